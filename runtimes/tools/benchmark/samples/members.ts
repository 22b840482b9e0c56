/** Group management: who belongs to a group changes, through the precompiled service for that. */
import { precompiled, type Sample } from "./sample.ts";

/** @param method of the service, without its types */
function memberText(method: string): string {
  return `"use strict";

/** Node IDs that nobody has: observers that never connect, and have no vote. */
const nodeId = (worker, count) => ("b" + worker + "0" + count).padStart(128, "0");

class Members {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
    this.workerIndex = workerIndex;
    this.count = 0;
  }

  async submitTransaction() {
    this.count += 1;
    const node = nodeId(this.workerIndex, this.count);
    const args = { transaction_type: "${method}(string)", node };
    await this.sutAdapter.sendRequests({ contractId: "members", args, readOnly: false });
  }

  async cleanupWorkloadModule() {}
}

module.exports.createWorkloadModule = () => new Members();
`;
}

const COUNT = 100;
const TPS = 50;

/** `members`: the second round takes away what the first has added. */
export const MEMBERS: Sample = {
  name: "members",
  says: "group management: observers join a group and leave it",
  workers: 1,
  groups: [1],
  contracts: [precompiled("members", 0x1003)],
  rounds: [
    {
      label: "join",
      description: "Adds observers that nobody runs; they have no vote",
      txNumber: COUNT,
      tps: TPS,
      module: "workload/join.cjs",
    },
    {
      label: "leave",
      description: "Removes them: the group is what it was",
      txNumber: COUNT,
      tps: TPS,
      module: "workload/leave.cjs",
    },
  ],
  files: {
    "workload/join.cjs": memberText("addObserver"),
    "workload/leave.cjs": memberText("remove"),
  },
};
