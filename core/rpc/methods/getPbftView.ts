/** getPbftView: the view of the PBFT consensus. */
import { quantity } from "../../bytes/quantity.ts";
import { RpcFault } from "../../fault/rpc-fault.ts";
import { memberMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";

/** @throws RpcFault -40007 on a Raft group. Source: rpc-semantics 5; decision 7 */
export const getPbftView = memberMethod({
  name: "getPbftView",
  summary: "Current PBFT view",
  result: { name: "view", schema: QUANTITY },
  errors: ["viewUnsupported"],
  run: (group) => {
    const status = group.consensusStatus();
    if (status.kind !== "pbft") throw new RpcFault("viewUnsupported");
    return quantity(status.currentView);
  },
});
