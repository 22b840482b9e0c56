/** getTransactionByBlockNumberAndIndex: a transaction by its place in a block. */
import { hashOfNumber, transactionAt } from "../lookup.ts";
import { defineMethod, MEMBER_ERRORS, requireBlocks } from "../method.ts";
import { BLOCK_NUMBER, GROUP_ID, TRANSACTION_INDEX } from "../params.ts";
import { reference } from "../schema.ts";

/** The block is looked up before the index is read. Source: rpc-semantics 5 */
export const getTransactionByNumberAndIndex = defineMethod({
  name: "getTransactionByBlockNumberAndIndex",
  summary: "Transaction at a position of the block of a number",
  params: [GROUP_ID, BLOCK_NUMBER, TRANSACTION_INDEX],
  result: { name: "transaction", schema: reference("Transaction") },
  errors: [...MEMBER_ERRORS, "blockNumberUnknown", "transactionIndexOutOfRange"],
  run: async ({ node }, [groupId, rawNumber, rawIndex]) => {
    const ledger = requireBlocks(node, groupId);
    return transactionAt(ledger, await hashOfNumber(ledger, rawNumber), rawIndex);
  },
});
