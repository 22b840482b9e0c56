// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.11;

/** The contract of docs/client.md: a text that anybody may replace. */
contract Greeter {
    struct Visit {
        address by;
        uint64 height;
        string text;
    }

    string public greeting;
    mapping(address => uint256) public visits;
    Visit private last;

    event Greeted(address indexed by, string text, uint256 times);
    error TooLong(uint256 length, uint256 most);

    constructor(string memory first) {
        greeting = first;
    }

    function greet(string calldata text) external returns (uint256 times) {
        require(bytes(text).length > 0, "say something");
        if (bytes(text).length > 100) revert TooLong(bytes(text).length, 100);
        greeting = text;
        times = ++visits[msg.sender];
        last = Visit(msg.sender, uint64(block.number), text);
        emit Greeted(msg.sender, text, times);
    }

    function lastVisit() external view returns (Visit memory) {
        return last;
    }

    function about(address who) external view returns (string memory text, uint256 times) {
        return (greeting, visits[who]);
    }
}
