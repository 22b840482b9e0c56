/** getBlockByHash: a block by its hash. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { defineMethod, MEMBER_ERRORS, requireBlocks } from "../method.ts";
import { BLOCK_HASH, flagParam, GROUP_ID, hashArgument } from "../params.ts";
import { presentFarBlock } from "../present.ts";
import { reference } from "../schema.ts";

const INCLUDE_TRANSACTIONS = flagParam("includeTransactions", "Whole transactions, not hashes");

/** @throws RpcFault -40003 for an unknown hash. Source: rpc-semantics 5, 6.1 */
export const getBlockByHash = defineMethod({
  name: "getBlockByHash",
  summary: "Block of a hash",
  params: [GROUP_ID, BLOCK_HASH, INCLUDE_TRANSACTIONS],
  result: { name: "block", schema: reference("Block") },
  errors: [...MEMBER_ERRORS, "blockHashUnknown"],
  run: async ({ node }, [groupId, rawHash, includeTransactions]) => {
    const ledger = requireBlocks(node, groupId);
    const block = await ledger.header(hashArgument(rawHash));
    if (block === undefined) throw new RpcFault("blockHashUnknown");
    return await presentFarBlock(ledger, block, includeTransactions);
  },
});
