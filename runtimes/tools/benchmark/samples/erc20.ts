/** A token with events and refusals. */
import { type Sample, solidity } from "./sample.ts";

const CONTRACT = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.2 <0.9.0;

/// An ERC-20 token; all of it belongs to the account that deploys it.
contract Token {
    string public constant name = "Benchmark";
    string public constant symbol = "BEN";
    uint8 public constant decimals = 18;
    uint256 public constant totalSupply = 1000000 ether;

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor() public {
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function transfer(address to, uint256 value) public returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) public returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) public returns (bool) {
        require(allowance[from][msg.sender] >= value, "allowance is too small");
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "balance is too small");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
`;

/** Addresses that nobody has the key of. */
const RECEIVER = `
/** One of this many receivers: addresses that nobody has the key of. */
const receiver = (index) => "0x" + (0xbe000000 + index).toString(16).padStart(40, "0");
`;

const TRANSFER = `"use strict";
${RECEIVER}
class Transfer {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
    this.receivers = roundArguments.receivers;
    this.count = 0;
  }

  async submitTransaction() {
    const to = receiver(this.count % this.receivers);
    this.count += 1;
    const args = { transaction_type: "transfer(address,uint256)", to, value: 1 };
    await this.sutAdapter.sendRequests({ contractId: "token", args, readOnly: false });
  }

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Transfer();
`;

const BALANCE = `"use strict";
${RECEIVER}
class Balance {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
    this.receivers = roundArguments.receivers;
    this.count = 0;
  }

  async submitTransaction() {
    const owner = receiver(this.count % this.receivers);
    this.count += 1;
    const args = { transaction_type: "balanceOf(address)", owner };
    await this.sutAdapter.sendRequests({ contractId: "token", args, readOnly: true });
  }

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Balance();
`;

/** `erc20`. */
export const ERC20: Sample = {
  name: "erc20",
  says: "an ERC-20 token: transfers, then balances",
  workers: 1,
  groups: [1],
  contracts: [solidity("token", "Token")],
  rounds: [
    {
      label: "transfer",
      description: "Sends tokens to a hundred addresses by turns",
      txNumber: 500,
      tps: 100,
      module: "workload/transfer.cjs",
      arguments: { receivers: 100 },
    },
    {
      label: "balance",
      description: "Reads balances",
      txNumber: 500,
      tps: 200,
      module: "workload/balance.cjs",
      arguments: { receivers: 100 },
    },
  ],
  files: {
    "contracts/Token.sol": CONTRACT,
    "workload/transfer.cjs": TRANSFER,
    "workload/balance.cjs": BALANCE,
  },
};
