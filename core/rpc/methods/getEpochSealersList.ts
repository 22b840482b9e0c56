/** getEpochSealersList: exists for clients of rPBFT chains, which this node does not run. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { memberMethod } from "../method.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** @throws RpcFault -40009 always, after the group checks. Source: rpc-semantics 13; decision 14 */
export const getEpochSealersList = memberMethod({
  name: "getEpochSealersList",
  summary: "Sealers of the current epoch; only on rPBFT groups",
  result: { name: "sealers", schema: listOf(NODE_ID) },
  run: ({ consensusType }) => {
    throw new RpcFault(
      "notInGroup",
      "method getEpochSealersList only supported when rpbft is used, " +
        `current consensus type is ${consensusType}`,
    );
  },
});
