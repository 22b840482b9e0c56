"use strict";

const { WorkloadModuleBase } = require("@hyperledger/caliper-core");

class SetName extends WorkloadModuleBase {
  submitTransaction() {
    const request = { contractId: "helloworld", contractFunction: "set", args: ["a name"] };
    return this.sutAdapter.sendRequests(request);
  }
}

module.exports.createWorkloadModule = () => new SetName();
