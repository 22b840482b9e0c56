/** The tutorial's contract: one value, set and read. */
import { CONSOLE_CONTRACTS } from "../../../folder/console-contracts.ts";
import { type Sample, solidity } from "./sample.ts";

const SET = `"use strict";

/** Sets the greeting: each transaction another one. */
class Set {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
    this.workerIndex = workerIndex;
    this.count = 0;
  }

  async submitTransaction() {
    this.count += 1;
    const greeting = "hello " + this.count + " of worker " + this.workerIndex;
    const args = { transaction_type: "set(string)", greeting };
    await this.sutAdapter.sendRequests({ contractId: "helloworld", args, readOnly: false });
  }

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Set();
`;

const GET = `"use strict";

/** Reads the greeting: a call, which no block has. */
class Get {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
  }

  async submitTransaction() {
    const args = { transaction_type: "get()" };
    await this.sutAdapter.sendRequests({ contractId: "helloworld", args, readOnly: true });
  }

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Get();
`;

const MIXED = `"use strict";

/** Reads and writes by turns: a share of the calls are transactions. */
class Mixed {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
    this.workerIndex = workerIndex;
    this.writes = roundArguments.writes;
    this.count = 0;
  }

  async submitTransaction() {
    // Evenly spread: a write whenever the share of the count reaches a whole number anew.
    const before = Math.floor(this.count * this.writes);
    this.count += 1;
    if (Math.floor(this.count * this.writes) === before) {
      const args = { transaction_type: "get()" };
      await this.sutAdapter.sendRequests({ contractId: "helloworld", args, readOnly: true });
      return;
    }
    const greeting = "hello " + this.count + " of worker " + this.workerIndex;
    const args = { transaction_type: "set(string)", greeting };
    await this.sutAdapter.sendRequests({ contractId: "helloworld", args, readOnly: false });
  }

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Mixed();
`;

const CONTRACTS = [solidity("helloworld", "HelloWorld")];
const SOURCE = { "contracts/HelloWorld.sol": CONSOLE_CONTRACTS["HelloWorld.sol"] ?? "" };

/** `hello`. */
export const HELLO: Sample = {
  name: "hello",
  says: "HelloWorld: set, then get",
  workers: 1,
  groups: [1],
  contracts: CONTRACTS,
  rounds: [
    {
      label: "set",
      description: "Writes a greeting",
      txNumber: 500,
      tps: 100,
      module: "workload/set.cjs",
    },
    {
      label: "get",
      description: "Reads the greeting",
      txNumber: 500,
      tps: 200,
      module: "workload/get.cjs",
    },
  ],
  files: { ...SOURCE, "workload/set.cjs": SET, "workload/get.cjs": GET },
};

/** `mixed`. */
export const MIXED_SAMPLE: Sample = {
  name: "mixed",
  says: "reads and writes by turns, one write in five",
  workers: 1,
  groups: [1],
  contracts: CONTRACTS,
  rounds: [
    {
      label: "mixed",
      description: "One transaction and four calls by turns",
      txNumber: 1_000,
      tps: 200,
      module: "workload/mixed.cjs",
      arguments: { writes: 0.2 },
    },
  ],
  files: { ...SOURCE, "workload/mixed.cjs": MIXED },
};
