/** getPbftView: the view of the PBFT consensus. */
import { quantity } from "../../bytes/quantity.ts";
import { RpcFault } from "../../fault/rpc-fault.ts";
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { QUANTITY } from "../schema.ts";

/**
 * The current view. @throws RpcFault -40007 on a Raft group.
 *
 * Source: rpc-semantics 5; decision 7
 */
export const getPbftView = defineMethod({
  name: "getPbftView",
  summary: "Current PBFT view",
  params: [GROUP_ID],
  result: { name: "view", schema: QUANTITY },
  errors: [...MEMBER_ERRORS, "viewUnsupported"],
  run: ({ node }, [groupId]) => {
    const status = requireMember(node, groupId).consensusStatus();
    if (status.kind !== "pbft") throw new RpcFault("viewUnsupported");
    return quantity(status.currentView);
  },
});
