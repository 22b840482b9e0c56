import { WorkloadModuleBase } from "@hyperledger/caliper-core";

class SetName extends WorkloadModuleBase {
  async submitTransaction() {
    const request = { contractId: "helloworld", contractFunction: "set", args: ["a name"] };
    return await this.sutAdapter.sendRequests(request);
  }
}

export const createWorkloadModule = () => new SetName();
