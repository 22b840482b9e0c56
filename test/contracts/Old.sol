pragma solidity ^0.4.25;

/** As contracts of 2018 are: sums wrap, throw breaks, calls answer with a flag alone. */
contract Old {
    mapping (address => uint) public balances;
    uint8 public small = 250;
    bytes32 public last;

    event Sent(address indexed to, uint amount);

    function Old() public {
        balances[msg.sender] = 10;
    }

    function send(address to, uint amount) public {
        balances[msg.sender] -= amount;
        balances[to] += amount;
        Sent(to, amount);
    }

    function grow(uint8 by) public returns (uint8) {
        small += by;
        return small;
    }

    function strict(uint a, uint b) public pure returns (uint c) {
        c = a + b;
        if (c < a) throw;
        assert(c != 13);
    }

    function relay(address to, bytes4 id, uint value) public returns (bool) {
        last = sha3(to, value);
        return to.call(id, value);
    }

    function leave() public {
        selfdestruct(msg.sender);
    }
}
