/** getEpochSealersList: exists for clients of rPBFT chains, which this node does not run. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** @throws RpcFault -40009 always, after the group checks. Source: rpc-semantics 13; decision 14 */
export const getEpochSealersList = defineMethod({
  name: "getEpochSealersList",
  summary: "Sealers of the current epoch; only on rPBFT groups",
  params: [GROUP_ID],
  result: { name: "sealers", schema: listOf(NODE_ID) },
  errors: MEMBER_ERRORS,
  run: ({ node }, [groupId]) => {
    const { consensusType } = requireMember(node, groupId);
    throw new RpcFault(
      "notInGroup",
      "method getEpochSealersList only supported when rpbft is used, " +
        `current consensus type is ${consensusType}`,
    );
  },
});
