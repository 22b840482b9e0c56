// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.11;

/** Holds the code of a counter whose state lies elsewhere. */
contract CounterLogic {
    address private unused;
    uint256 public count;

    event Counted(address indexed by, uint256 count);

    function add(uint256 more) external returns (uint256) {
        require(more < 100, "too much");
        count += more;
        emit Counted(msg.sender, count);
        return count;
    }
}

/** Hands every call to an implementation that can be replaced. */
contract Proxy {
    address public implementation;

    constructor(address first) {
        implementation = first;
    }

    function upgrade(address next) external {
        implementation = next;
    }

    fallback() external payable {
        address target = implementation;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

/** Text and bytes in storage and memory, short and long. */
contract Texts {
    string public text;
    bytes private raw;

    function set(string calldata value) external {
        text = value;
    }

    function append(string calldata more) external returns (uint256) {
        text = string(abi.encodePacked(text, more));
        return bytes(text).length;
    }

    function push(bytes1 value, uint256 times) external returns (uint256) {
        for (uint256 i = 0; i < times; i++) raw.push(value);
        return raw.length;
    }

    function pop(uint256 times) external returns (bytes memory) {
        for (uint256 i = 0; i < times; i++) raw.pop();
        return raw;
    }

    function slice(bytes calldata data, uint256 from, uint256 to)
        external
        pure
        returns (bytes memory)
    {
        return data[from:to];
    }

    function digest(string calldata a, string calldata b) external pure returns (bytes32, bytes32) {
        return (keccak256(abi.encodePacked(a, b)), sha256(bytes(a)));
    }

    function reverse(string calldata value) external pure returns (string memory) {
        bytes memory from = bytes(value);
        bytes memory to = new bytes(from.length);
        for (uint256 i = 0; i < from.length; i++) to[from.length - 1 - i] = from[i];
        return string(to);
    }
}

/** Structs in mappings and arrays; deleting moves the last one. */
contract Registry {
    struct Item {
        uint128 price;
        uint64 stock;
        bool listed;
        string title;
        uint32[] tags;
    }

    mapping(bytes32 => Item) private items;
    bytes32[] public keys;
    mapping(bytes32 => uint256) private places;

    function put(bytes32 key, uint128 price, string calldata title, uint32[] calldata tags)
        external
    {
        Item storage item = items[key];
        if (!item.listed) {
            keys.push(key);
            places[key] = keys.length;
        }
        item.price = price;
        item.stock += 1;
        item.listed = true;
        item.title = title;
        item.tags = tags;
    }

    function remove(bytes32 key) external returns (uint256) {
        uint256 place = places[key];
        require(place != 0, "absent");
        bytes32 last = keys[keys.length - 1];
        keys[place - 1] = last;
        places[last] = place;
        keys.pop();
        delete places[key];
        delete items[key];
        return keys.length;
    }

    function get(bytes32 key) external view returns (Item memory) {
        return items[key];
    }

    function sum(uint128[3][] calldata grid) external pure returns (uint256 total) {
        for (uint256 i = 0; i < grid.length; i++) {
            for (uint256 j = 0; j < 3; j++) total += grid[i][j];
        }
    }
}

/** Something with an area. */
abstract contract Shape {
    uint256 public edits;

    function area() public view virtual returns (uint256);

    function name() public pure virtual returns (string memory) {
        return "shape";
    }

    function scale(uint256) public virtual {
        edits++;
    }
}

/** A base with a step of its own. */
abstract contract Coloured is Shape {
    uint24 public colour = 0xff8800;

    function scale(uint256 by) public virtual override {
        super.scale(by);
        colour = uint24(uint256(colour) / by);
    }
}

/** The diamond below both. */
contract Box is Coloured {
    uint256 private a;
    uint256 private b;

    constructor(uint256 left, uint256 right) {
        (a, b) = (left, right);
    }

    function area() public view override returns (uint256) {
        return a * b;
    }

    function name() public pure override returns (string memory) {
        return string(abi.encodePacked("box, a ", super.name()));
    }

    function scale(uint256 by) public override {
        super.scale(by);
        (a, b) = (a * by, b * by);
    }
}

/** Events of every form. */
contract Herald {
    event Plain(uint8 a, string b);
    event Marked(uint256 indexed a, string indexed b, bytes32 indexed c, int16 d);
    event Hidden(address indexed who) anonymous;

    function cry(uint8 a, string calldata b, int16 d) external {
        emit Plain(a, b);
        emit Marked(a, b, keccak256(bytes(b)), d);
        emit Hidden(msg.sender);
    }
}

/** Every way to fail. */
contract Judge {
    error Verdict(address who, uint256[] counts, string text);
    uint256[] private list;
    uint256 public cases;

    function judge(uint256 kind) external returns (uint256) {
        cases++;
        if (kind == 0) require(false);
        if (kind == 1) require(false, "a reason of more than thirty-two bytes, for the second word");
        if (kind == 2) assert(cases == 0);
        if (kind == 3) return 7 / (cases - cases);
        if (kind == 4) return list[cases];
        if (kind == 5) list.pop();
        if (kind == 6) return uint256(new uint256[](1 << 66).length);
        if (kind == 7) {
            uint256[] memory counts = new uint256[](2);
            counts[1] = kind;
            revert Verdict(msg.sender, counts, "guilty");
        }
        if (kind == 8) revert();
        return cases;
    }

    function attempt(uint256 kind) external returns (uint8, bytes memory) {
        try this.judge(kind) returns (uint256 value) {
            return (0, abi.encode(value));
        } catch Error(string memory reason) {
            return (1, bytes(reason));
        } catch Panic(uint256 code) {
            return (2, abi.encode(code));
        } catch (bytes memory low) {
            return (3, low);
        }
    }
}

/** Nested structs through the coder. */
contract Codec {
    struct Leaf {
        bytes4 id;
        int64 value;
    }
    struct Node {
        string label;
        Leaf[] leaves;
        uint16[2][] pairs;
    }

    function turn(Node calldata node, bool deep) external pure returns (Node memory, bytes32) {
        Node memory copy = node;
        for (uint256 i = 0; i < copy.leaves.length; i++) {
            if (deep) copy.leaves[i].value = -copy.leaves[i].value;
        }
        return (copy, keccak256(abi.encode(copy)));
    }

    function swap(bytes calldata data) external pure returns (bytes memory) {
        (uint256 a, string memory b, address c) = abi.decode(data, (uint256, string, address));
        return abi.encode(c, b, a);
    }
}

/** Arithmetic of every width, checked and not. */
contract Numbers {
    function checked(uint8 a, uint8 b) external pure returns (uint8, uint8, uint8) {
        return (a + b, a - b, a * b);
    }

    function wrapping(uint8 a, uint8 b) external pure returns (uint8, uint8, uint8) {
        unchecked {
            return (a + b, a - b, a * b);
        }
    }

    function signed(int128 a, int128 b) external pure returns (int128, int128, int128, int128) {
        return (a / b, a % b, a >> 3, -a);
    }

    function power(uint256 base, uint256 exponent) external pure returns (uint256) {
        return base ** exponent;
    }

    function modular(uint256 a, uint256 b, uint256 m) external pure returns (uint256, uint256) {
        return (addmod(a, b, m), mulmod(a, b, m));
    }

    function narrow(uint256 a) external pure returns (uint8, int8, bytes4, address) {
        return (uint8(a), int8(int256(a)), bytes4(bytes32(a)), address(uint160(a)));
    }

    function bits(uint256 a, uint8 by) external pure returns (uint256, uint256, uint256) {
        return (a << by, a >> by, ~a);
    }
}

/** Assembly: memory, loops, functions, hashing, code of itself. */
contract Machine {
    function root(uint256 x) external pure returns (uint256 z) {
        assembly {
            function half(v) -> h { h := shr(1, v) }
            z := x
            let y := half(add(x, 1))
            for {} lt(y, z) {} {
                z := y
                y := half(add(div(x, y), y))
            }
        }
    }

    function count(uint256 x) external pure returns (uint256 n) {
        assembly {
            for {} x { x := and(x, sub(x, 1)) } { n := add(n, 1) }
        }
    }

    function slots(uint256 slot, uint256 value) external returns (uint256 before, uint256 size) {
        assembly {
            before := sload(slot)
            sstore(slot, value)
            size := codesize()
            mstore(0, value)
            log2(0, 32, slot, value)
        }
    }

    function pick(uint256 x) external pure returns (uint256 r) {
        assembly {
            switch mod(x, 3)
            case 0 { r := byte(31, x) }
            case 1 { r := signextend(0, x) }
            default { r := sar(4, x) }
        }
    }
}

/** What comes without a function. */
contract Doors {
    event Came(bytes4 selector, uint256 size);
    uint256 public visits;

    receive() external payable {
        visits += 1000;
    }

    fallback(bytes calldata data) external returns (bytes memory) {
        visits++;
        emit Came(msg.sig, data.length);
        return abi.encodePacked(visits, data);
    }
}

/** Calls itself, within and through a message. */
contract Tower {
    uint256 public deepest;

    function fib(uint256 n) public pure returns (uint256) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    function climb(uint256 floors) external returns (uint256) {
        if (floors > deepest) deepest = floors;
        if (floors == 0) return 1;
        return 1 + this.climb(floors - 1);
    }
}

/** Linked code that works on the storage of its caller. */
library Heap {
    struct Data {
        uint256[] items;
    }

    function push(Data storage heap, uint256 value) public {
        uint256[] storage items = heap.items;
        items.push(value);
        uint256 at = items.length - 1;
        while (at > 0 && items[(at - 1) / 2] > items[at]) {
            uint256 parent = (at - 1) / 2;
            (items[parent], items[at]) = (items[at], items[parent]);
            at = parent;
        }
    }

    function pop(Data storage heap) public returns (uint256 least) {
        uint256[] storage items = heap.items;
        require(items.length > 0, "empty heap");
        least = items[0];
        items[0] = items[items.length - 1];
        items.pop();
        uint256 at = 0;
        while (true) {
            uint256 child = 2 * at + 1;
            if (child >= items.length) break;
            if (child + 1 < items.length && items[child + 1] < items[child]) child++;
            if (items[at] <= items[child]) break;
            (items[at], items[child]) = (items[child], items[at]);
            at = child;
        }
    }
}

/** Sorts by the linked heap. */
contract Sorter {
    using Heap for Heap.Data;
    Heap.Data private heap;

    function add(uint256[] calldata values) external {
        for (uint256 i = 0; i < values.length; i++) heap.push(values[i]);
    }

    function take() external returns (uint256) {
        return heap.pop();
    }
}
