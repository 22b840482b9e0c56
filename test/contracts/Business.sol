// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.11;

/** A fungible token with allowances. */
contract Coin {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(string memory called, uint256 supply) {
        name = called;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "allowance too small");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function burn(uint256 value) external {
        balanceOf[msg.sender] -= value;
        totalSupply -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function move(address from, address to, uint256 value) private {
        require(to != address(0), "nobody");
        require(balanceOf[from] >= value, "balance too small");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

interface Keeper {
    function onReceived(address from, uint256 id) external returns (bytes4);
}

/** Tokens that differ, with approvals, given to contracts only when they agree. */
contract Collectible {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    mapping(uint256 => address) private owners;
    mapping(uint256 => address) public approved;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 id) external {
        require(owners[id] == address(0), "exists");
        owners[id] = to;
        balanceOf[to]++;
        emit Transfer(address(0), to, id);
    }

    function ownerOf(uint256 id) public view returns (address owner) {
        owner = owners[id];
        require(owner != address(0), "no such token");
    }

    function approve(address to, uint256 id) external {
        require(ownerOf(id) == msg.sender, "not the owner");
        approved[id] = to;
    }

    function safeTransfer(address to, uint256 id) external {
        address owner = ownerOf(id);
        require(msg.sender == owner || msg.sender == approved[id], "not allowed");
        delete approved[id];
        balanceOf[owner]--;
        balanceOf[to]++;
        owners[id] = to;
        emit Transfer(owner, to, id);
        if (to.code.length > 0) {
            try Keeper(to).onReceived(owner, id) returns (bytes4 answer) {
                require(answer == Keeper.onReceived.selector, "refused");
            } catch Error(string memory reason) {
                revert(reason);
            } catch {
                revert("no keeper");
            }
        }
    }
}

/** Takes even tokens, explains itself for odd ones, and breaks above a hundred. */
contract EvenKeeper is Keeper {
    uint256 public kept;

    function onReceived(address, uint256 id) external override returns (bytes4) {
        require(id % 2 == 0, "odd");
        assert(id <= 100);
        kept++;
        return Keeper.onReceived.selector;
    }
}

/** Runs a call when enough owners want it. */
contract Wallet {
    struct Proposal {
        address target;
        bytes data;
        uint256 votes;
        bool done;
    }

    event Executed(uint256 indexed id, bytes result);

    address[] public owners;
    uint256 public immutable threshold;
    Proposal[] public proposals;
    mapping(uint256 => mapping(address => bool)) public confirmed;

    constructor(address[] memory who, uint256 least) {
        require(least > 0 && least <= who.length, "bad threshold");
        owners = who;
        threshold = least;
    }

    modifier onlyOwner() {
        bool found;
        for (uint256 i = 0; i < owners.length; i++) found = found || owners[i] == msg.sender;
        require(found, "not an owner");
        _;
    }

    function propose(address target, bytes calldata data) external onlyOwner returns (uint256 id) {
        id = proposals.length;
        proposals.push(Proposal(target, data, 0, false));
    }

    function confirm(uint256 id) external onlyOwner returns (bool) {
        require(!confirmed[id][msg.sender], "twice");
        confirmed[id][msg.sender] = true;
        Proposal storage proposal = proposals[id];
        proposal.votes++;
        if (proposal.votes < threshold || proposal.done) return false;
        proposal.done = true;
        (bool ok, bytes memory result) = proposal.target.call(proposal.data);
        if (!ok) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
        emit Executed(id, result);
        return true;
    }
}

/** Bids in units of a coin; whoever is outbid takes the bid back. */
contract Auction {
    Coin public immutable coin;
    uint256 public immutable closesAt;
    address public leader;
    uint256 public highest;
    mapping(address => uint256) public refunds;

    error BidTooLow(uint256 offered, uint256 needed);
    error Closed(uint256 height);

    constructor(Coin money, uint256 blocks) {
        coin = money;
        closesAt = block.number + blocks;
    }

    function bid(uint256 amount) external {
        if (block.number >= closesAt) revert Closed(block.number);
        if (amount <= highest) revert BidTooLow(amount, highest + 1);
        coin.transferFrom(msg.sender, address(this), amount);
        if (leader != address(0)) refunds[leader] += highest;
        (leader, highest) = (msg.sender, amount);
    }

    function withdraw() external returns (uint256 amount) {
        amount = refunds[msg.sender];
        refunds[msg.sender] = 0;
        coin.transfer(msg.sender, amount);
    }
}

/** Votes that can be handed on, around no circle. */
contract Ballot {
    struct Voter {
        uint256 weight;
        bool voted;
        address delegate;
        uint256 choice;
    }

    mapping(address => Voter) public voters;
    uint256[] public counts;

    constructor(uint256 choices, address[] memory who) {
        counts = new uint256[](choices);
        for (uint256 i = 0; i < who.length; i++) voters[who[i]].weight = 1;
    }

    function hand(address to) external {
        Voter storage from = voters[msg.sender];
        require(from.weight != 0 && !from.voted, "no vote");
        while (voters[to].delegate != address(0)) {
            to = voters[to].delegate;
            require(to != msg.sender, "circle");
        }
        from.voted = true;
        from.delegate = to;
        Voter storage heir = voters[to];
        if (heir.voted) counts[heir.choice] += from.weight;
        else heir.weight += from.weight;
    }

    function vote(uint256 choice) external {
        Voter storage voter = voters[msg.sender];
        require(voter.weight != 0 && !voter.voted, "no vote");
        voter.voted = true;
        voter.choice = choice;
        counts[choice] += voter.weight;
    }

    function winner() external view returns (uint256 best) {
        for (uint256 i = 1; i < counts.length; i++) if (counts[i] > counts[best]) best = i;
    }
}

/** Goods against money, with a judge. */
contract Escrow {
    enum State { Open, Funded, Released, Returned }

    State public state;
    address public immutable buyer;
    address public immutable seller;
    address public immutable judge;
    Coin public immutable coin;
    uint256 public amount;

    constructor(address from, address to, address third, Coin money) {
        (buyer, seller, judge, coin) = (from, to, third, money);
    }

    function fund(uint256 value) external {
        require(msg.sender == buyer && state == State.Open, "cannot fund");
        state = State.Funded;
        amount = value;
        require(coin.transferFrom(buyer, address(this), value));
    }

    function settle(bool release) external returns (State) {
        require(state == State.Funded, "nothing to settle");
        require(msg.sender == judge || msg.sender == (release ? buyer : seller), "not yours");
        state = release ? State.Released : State.Returned;
        coin.transfer(release ? seller : buyer, amount);
        return state;
    }

    function toState(uint8 number) external pure returns (State) {
        return State(number);
    }
}

/** Pays out over time, from a cliff on. */
contract Vesting {
    uint64 public immutable start;
    uint64 public immutable cliff;
    uint64 public immutable duration;
    uint256 public immutable total;
    uint256 public released;

    constructor(uint64 from, uint64 wait, uint64 length, uint256 amount) {
        (start, cliff, duration, total) = (from, from + wait, length, amount);
    }

    function vested(uint64 time) public view returns (uint256) {
        if (time < cliff) return 0;
        if (time >= start + duration) return total;
        return (total * (time - start)) / duration;
    }

    function release(uint64 time) external returns (uint256 amount) {
        amount = vested(time) - released;
        released += amount;
    }
}
