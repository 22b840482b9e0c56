/** Many events in each transaction, and rounds without any chain. */
import { type Sample, solidity } from "./sample.ts";

const CONTRACT = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.2 <0.9.0;

/// Emits as many events as it is told.
contract Events {
    event Measured(uint256 indexed series, uint256 indexed index, string text);

    uint256 public count;

    function emitMany(uint256 series, uint256 amount, string memory text) public {
        for (uint256 index = 0; index < amount; ++index) {
            emit Measured(series, index, text);
        }
        count += amount;
    }
}
`;

const EMIT = `"use strict";

/** Each transaction emits several events with a text. */
class Emit {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
    this.amount = roundArguments.events;
    this.text = "x".repeat(roundArguments.bytes);
    this.count = 0;
  }

  async submitTransaction() {
    this.count += 1;
    const transaction_type = "emitMany(uint256,uint256,string)";
    const args = { transaction_type, series: this.count, amount: this.amount, text: this.text };
    await this.sutAdapter.sendRequests({ contractId: "events", args, readOnly: false });
  }

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Emit();
`;

/** `events`. */
export const EVENTS: Sample = {
  name: "events",
  says: "many events in each transaction",
  workers: 1,
  groups: [1],
  contracts: [solidity("events", "Events")],
  rounds: [
    {
      label: "emit",
      description: "Ten events of 100 bytes in each transaction",
      txNumber: 300,
      tps: 50,
      module: "workload/emit.cjs",
      arguments: { events: 10, bytes: 100 },
    },
  ],
  files: { "contracts/Events.sol": CONTRACT, "workload/emit.cjs": EMIT },
};

const EMPTY_WORKLOAD = `"use strict";

/** Sends nothing: what is left is what the tool itself costs. */
class Empty {
  async initializeWorkloadModule() {}

  async submitTransaction() {}

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Empty();
`;

/** `empty`. */
export const EMPTY: Sample = {
  name: "empty",
  says: "sends nothing: the tool's own cost",
  workers: 1,
  groups: [1],
  contracts: [],
  rounds: [
    {
      label: "empty",
      description: "Sends nothing",
      txNumber: 5_000,
      tps: 1_000,
      module: "workload/empty.cjs",
    },
  ],
  files: { "workload/empty.cjs": EMPTY_WORKLOAD },
};

const SKELETON_WORKLOAD = `"use strict";

/** A workload: what is sent, one transaction after the other. */
class Workload {
  /** Called once for each round and worker, before the clock runs. */
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.workerIndex = workerIndex;
    this.roundArguments = roundArguments;
    this.sutAdapter = sutAdapter;
    this.count = 0;
  }

  /** Called as often as the rate wants. The answer tells what became of the transaction. */
  async submitTransaction() {
    this.count += 1;
    const value = this.roundArguments.start + this.count;
    const args = { transaction_type: "set(uint256)", value };
    // readOnly: true makes it a call, which no block has.
    await this.sutAdapter.sendRequests({ contractId: "example", args, readOnly: false });
  }

  /** Called once after the round. */
  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Workload();
`;

const SKELETON_CONTRACT = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.2 <0.9.0;

/// Put your contract here.
contract Example {
    uint256 public value;

    function set(uint256 next) public {
        value = next;
    }
}
`;

/** `skeleton`: the beginning of a workload of one's own. */
export const SKELETON: Sample = {
  name: "skeleton",
  says: "the beginning of a workload of your own",
  workers: 1,
  groups: [1],
  contracts: [solidity("example", "Example")],
  rounds: [
    {
      label: "set",
      description: "Sets a number",
      txNumber: 100,
      tps: 50,
      module: "workload/workload.cjs",
      arguments: { start: 0 },
    },
  ],
  files: {
    "contracts/Example.sol": SKELETON_CONTRACT,
    "workload/workload.cjs": SKELETON_WORKLOAD,
  },
};
