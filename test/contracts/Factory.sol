// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.11;

contract Child {
    uint256 public immutable value;

    constructor(uint256 initial) {
        value = initial;
    }
}

/** Creates contracts at addresses that anybody can compute beforehand. */
contract Factory {
    error TooLarge(uint256 wanted, uint256 limit);
    event Created(address indexed child, bytes32 indexed salt);

    function create(bytes32 salt, uint256 value) external returns (address) {
        if (value > 1000) revert TooLarge(value, 1000);
        Child child = new Child{salt: salt}(value);
        emit Created(address(child), salt);
        return address(child);
    }

    function createPlain(uint256 value) external returns (address) {
        Child child = new Child(value);
        emit Created(address(child), bytes32(0));
        return address(child);
    }

    function sum(Child left, Child right) external view returns (uint256) {
        return left.value() + right.value();
    }

    function aboveMost(uint256 more) external pure returns (uint256) {
        return type(uint256).max + more;
    }
}
