"use strict";

const { WorkloadModuleBase } = require("@hyperledger/caliper-core");

class AddUser extends WorkloadModuleBase {
  constructor() {
    super();
    this.count = 0;
  }

  async submitTransaction() {
    this.count++;
    const user = `user-${this.roundIndex}-${this.workerIndex}-${this.count}-${Date.now()}`;
    return this.sutAdapter.sendRequests({
      contractId: "dagtransfer",
      args: {
        transaction_type: "userAdd(string,uint256)",
        user,
        money: `${this.roundArguments.money}`,
      },
      readOnly: false,
    });
  }
}

module.exports.createWorkloadModule = () => new AddUser();
