/** getTransactionByHash: a transaction of the ledger. */
import { blocksMethod } from "../method.ts";
import { hashArgument, TRANSACTION_HASH } from "../params.ts";
import { presentTransaction } from "../present.ts";
import { orNull, reference } from "../schema.ts";

/** null for an unknown transaction. Source: rpc-semantics 5, 6.3 */
export const getTransactionByHash = blocksMethod({
  name: "getTransactionByHash",
  summary: "Transaction of a hash, or null",
  params: [TRANSACTION_HASH],
  result: { name: "transaction", schema: orNull(reference("Transaction")) },
  run: async (ledger, [rawHash]) => {
    const located = await ledger.transaction(hashArgument(rawHash));
    return located === undefined ? null : presentTransaction(located);
  },
});
