/** getTransactionByHash: a transaction of the ledger. */
import { defineMethod, MEMBER_ERRORS, requireBlocks } from "../method.ts";
import { GROUP_ID, hashArgument, TRANSACTION_HASH } from "../params.ts";
import { presentTransaction } from "../present.ts";
import { orNull, reference } from "../schema.ts";

/** null for an unknown transaction. Source: rpc-semantics 5, 6.3 */
export const getTransactionByHash = defineMethod({
  name: "getTransactionByHash",
  summary: "Transaction of a hash, or null",
  params: [GROUP_ID, TRANSACTION_HASH],
  result: { name: "transaction", schema: orNull(reference("Transaction")) },
  errors: MEMBER_ERRORS,
  run: async ({ node }, [groupId, rawHash]) => {
    const ledger = requireBlocks(node, groupId);
    const located = await ledger.transaction(hashArgument(rawHash));
    return located === undefined ? null : presentTransaction(located);
  },
});
