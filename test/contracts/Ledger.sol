pragma solidity ^0.7.6;

// Types of every width, storage that grows and shrinks, children, calls that may fail.
contract Leaf {
    uint256 public height;
    address public maker;

    constructor(uint256 at) {
        require(at != 13, "unlucky");
        height = at;
        maker = msg.sender;
    }

    function grow(uint64 by) external returns (uint256) {
        require(by > 0, "nothing to add");
        height += by;
        return height;
    }

    function end() external {
        selfdestruct(msg.sender);
    }
}

contract Ledger {
    struct Row {
        int128 amount;
        uint32 count;
        bytes12 tag;
        string note;
    }

    mapping(address => Row) private rows;
    mapping(bytes32 => uint256[]) private lists;
    Leaf[] public leaves;
    bytes private blob;
    event Written(address indexed who, int128 amount, bytes12 tag);
    event Noted(string indexed note, string text, uint256[] values);
    event Failed(bytes reason) anonymous;

    function write(int128 amount, uint32 count, bytes12 tag, string calldata note) external {
        Row storage row = rows[msg.sender];
        row.amount += amount;
        row.count = count;
        row.tag = tag;
        row.note = note;
        emit Written(msg.sender, amount, tag);
    }

    function erase(address who) external {
        delete rows[who];
    }

    function read(address who) external view returns (int128, uint32, bytes12, string memory) {
        Row storage row = rows[who];
        return (row.amount, row.count, row.tag, row.note);
    }

    function push(bytes32 key, uint256[] calldata values) external {
        for (uint256 i = 0; i < values.length; i++) lists[key].push(values[i]);
        emit Noted("list", "pushed", lists[key]);
    }

    function pop(bytes32 key, uint8 times) external {
        for (uint8 i = 0; i < times; i++) lists[key].pop();
    }

    function sum(bytes32 key) external view returns (uint256 total) {
        uint256[] storage list = lists[key];
        for (uint256 i = 0; i < list.length; i++) total += list[i];
    }

    function store(bytes calldata data) external {
        blob = data;
    }

    function digest(bytes calldata data) external view returns (bytes32, bytes32, bytes20) {
        return (keccak256(abi.encodePacked(blob, data)), sha256(data), ripemd160(data));
    }

    function plant(uint256 at, bytes32 salt, bool salted) external returns (address) {
        Leaf leaf = salted ? new Leaf{salt: salt}(at) : new Leaf(at);
        leaves.push(leaf);
        return address(leaf);
    }

    function growAll(uint64[3] calldata by) external returns (uint256 grown) {
        for (uint256 i = 0; i < leaves.length && i < 3; i++) {
            try leaves[i].grow(by[i]) returns (uint256) {
                grown++;
            } catch Error(string memory reason) {
                emit Noted("grow", reason, new uint256[](0));
            } catch (bytes memory reason) {
                emit Failed(reason);
            }
        }
    }

    function fell(uint256 index) external {
        leaves[index].end();
    }

    function relay(address target, bytes calldata data, bool delegated) external returns (bool) {
        (bool done, bytes memory answer) = delegated ? target.delegatecall(data) : target.call(data);
        if (!done) emit Failed(answer);
        return done;
    }

    function mix(int8 a, int64 b, uint16 c, bool up) external pure returns (int256) {
        int256 mixed = int256(a) * b - int256(uint256(c));
        return up ? mixed << (c % 40) : mixed / (b == 0 ? int256(1) : int256(b));
    }

    function recover(bytes32 hash, uint8 v, bytes32 r, bytes32 s) external pure returns (address) {
        return ecrecover(hash, v, r, s);
    }
}
