/** getTransactionByBlockHashAndIndex: a transaction by its place in a block. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { transactionAt } from "../lookup.ts";
import { defineMethod, MEMBER_ERRORS, requireBlocks } from "../method.ts";
import { BLOCK_HASH, GROUP_ID, hashArgument, TRANSACTION_INDEX } from "../params.ts";
import { reference } from "../schema.ts";

/** The block is looked up before the index is read. Source: rpc-semantics 5 */
export const getTransactionByHashAndIndex = defineMethod({
  name: "getTransactionByBlockHashAndIndex",
  summary: "Transaction at a position of the block of a hash",
  params: [GROUP_ID, BLOCK_HASH, TRANSACTION_INDEX],
  result: { name: "transaction", schema: reference("Transaction") },
  errors: [...MEMBER_ERRORS, "blockHashUnknown", "transactionIndexOutOfRange"],
  run: async ({ node }, [groupId, rawHash, rawIndex]) => {
    const ledger = requireBlocks(node, groupId);
    const hash = hashArgument(rawHash);
    if ((await ledger.header(hash)) === undefined) throw new RpcFault("blockHashUnknown");
    return transactionAt(ledger, hash, rawIndex);
  },
});
