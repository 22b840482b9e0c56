/** getBlockHeaderByHash: a block header by its hash. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { defineMethod, MEMBER_ERRORS, requireBlocks } from "../method.ts";
import { BLOCK_HASH, flagParam, GROUP_ID, hashArgument } from "../params.ts";
import { presentHeader } from "../present.ts";
import { reference } from "../schema.ts";

const INCLUDE_SIGNATURES = flagParam("includeSignatures", "With the signature list");

/** @throws RpcFault -40003 for an unknown hash. Source: rpc-semantics 5, 6.2 */
export const getBlockHeaderByHash = defineMethod({
  name: "getBlockHeaderByHash",
  summary: "Block header of a hash",
  params: [GROUP_ID, BLOCK_HASH, INCLUDE_SIGNATURES],
  result: { name: "header", schema: reference("BlockHeader") },
  errors: [...MEMBER_ERRORS, "blockHashUnknown"],
  run: async ({ node }, [groupId, rawHash, includeSignatures]) => {
    const ledger = requireBlocks(node, groupId);
    const sealed = await ledger.header(hashArgument(rawHash));
    if (sealed === undefined) throw new RpcFault("blockHashUnknown");
    return presentHeader(sealed, includeSignatures);
  },
});
