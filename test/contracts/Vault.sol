pragma solidity ^0.6.10;

interface Erc20 {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
}

/** Calls another contract, and outlives its refusals. */
contract Vault {
    event Deposited(address indexed from, uint256 amount);
    event Refused(string reason);

    function deposit(Erc20 token, uint256 amount) public {
        token.transferFrom(msg.sender, address(this), amount);
        emit Deposited(msg.sender, amount);
    }

    function tryDeposit(Erc20 token, uint256 amount) public returns (bool) {
        try this.depositFrom(token, msg.sender, amount) {
            return true;
        } catch Error(string memory reason) {
            emit Refused(reason);
            return false;
        }
    }

    function depositFrom(Erc20 token, address from, uint256 amount) public {
        // Undone together with the inner call when that one refuses.
        emit Deposited(from, amount);
        token.transferFrom(from, address(this), amount);
    }

    function held(Erc20 token) public view returns (uint256) {
        return token.balanceOf(address(this));
    }
}
