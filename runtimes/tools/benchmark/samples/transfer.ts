/** Transfers between accounts by name, in contracts whose transactions may run side by side. */
import { type Sample, precompiled, solidity } from "./sample.ts";

const CONTRACT = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.2 <0.9.0;

/// Precompiled at 0x1006: which functions may run in parallel.
interface ParallelConfig {
    /// The first parameters, as many as criticalSize says, are what a transaction touches.
    function registerParallelFunctionInternal(
        address target,
        string calldata signature,
        uint256 criticalSize
    ) external returns (int256);
}

/// Balances by name. Transfers between different names do not wait for each other.
contract ParallelTransfer {
    ParallelConfig private constant CONFIG =
        ParallelConfig(0x0000000000000000000000000000000000001006);

    mapping(string => uint256) private balances;

    constructor() public {
        CONFIG.registerParallelFunctionInternal(address(this), "set(string,uint256)", 1);
        CONFIG.registerParallelFunctionInternal(
            address(this), "transfer(string,string,uint256)", 2
        );
    }

    function set(string memory name, uint256 balance) public {
        balances[name] = balance;
    }

    function transfer(string memory from, string memory to, uint256 amount) public {
        require(balances[from] >= amount, "balance is too small");
        balances[from] -= amount;
        balances[to] += amount;
    }

    function balanceOf(string memory name) public view returns (uint256) {
        return balances[name];
    }
}
`;

/** @param call how an account is made: the contract and the function */
function addText(contract: string, call: string): string {
  return `"use strict";

/** Makes accounts: each transaction one, with names that the next round knows. */
class Add {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
    this.workerIndex = workerIndex;
    this.balance = roundArguments.balance;
    this.count = 0;
  }

  async submitTransaction() {
    const name = "user" + this.workerIndex + "-" + this.count;
    this.count += 1;
    const args = { transaction_type: "${call}(string,uint256)", name, balance: this.balance };
    await this.sutAdapter.sendRequests({ contractId: "${contract}", args, readOnly: false });
  }

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Add();
`;
}

/** @param call how money is moved: the contract and the function */
function moveText(contract: string, call: string): string {
  return `"use strict";

/** Moves 1 from an account to the next one; neighbours in time touch different accounts. */
class Transfer {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
    this.workerIndex = workerIndex;
    // The round before made this many accounts, all workers together.
    this.accounts = Math.max(2, Math.floor(roundArguments.accounts / workers));
    this.count = 0;
  }

  name(index) {
    return "user" + this.workerIndex + "-" + (index % this.accounts);
  }

  async submitTransaction() {
    const from = this.name(2 * this.count);
    const to = this.name(2 * this.count + 1);
    this.count += 1;
    const args = { transaction_type: "${call}(string,string,uint256)", from, to, amount: 1 };
    await this.sutAdapter.sendRequests({ contractId: "${contract}", args, readOnly: false });
  }

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Transfer();
`;
}

const ACCOUNTS = 100;
const ROUNDS = [
  {
    label: "add",
    description: "Makes the accounts",
    txNumber: ACCOUNTS,
    tps: 100,
    module: "workload/add.cjs",
    arguments: { balance: 1_000_000 },
  },
  {
    label: "transfer",
    description: "Moves money between pairs of accounts",
    txNumber: 500,
    tps: 200,
    module: "workload/transfer.cjs",
    arguments: { accounts: ACCOUNTS },
  },
];

/** `transfer`. */
export const TRANSFER: Sample = {
  name: "transfer",
  says: "parallel transfers in a Solidity contract",
  workers: 2,
  groups: [1],
  contracts: [solidity("transfer", "ParallelTransfer")],
  rounds: ROUNDS,
  files: {
    "contracts/ParallelTransfer.sol": CONTRACT,
    "workload/add.cjs": addText("transfer", "set"),
    "workload/transfer.cjs": moveText("transfer", "transfer"),
  },
};

const DAG = {
  contracts: [precompiled("dagtransfer", 0x5002)],
  files: {
    "workload/add.cjs": addText("dagtransfer", "userAdd"),
    "workload/transfer.cjs": moveText("dagtransfer", "userTransfer"),
  },
};

/** `dag-transfer`. */
export const DAG_TRANSFER: Sample = {
  name: "dag-transfer",
  says: "parallel transfers in the precompiled contract at 0x5002",
  workers: 2,
  groups: [1],
  rounds: ROUNDS,
  ...DAG,
};

/** `groups`. */
export const GROUPS: Sample = {
  name: "groups",
  says: "the same transfers in several groups at one time",
  workers: 2,
  groups: [1, 2],
  rounds: ROUNDS,
  ...DAG,
};
