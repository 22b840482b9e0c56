/** getTotalTransactionCount: the counters of the ledger. */
import { memberMethod } from "../method.ts";
import { presentTotals } from "../present-status.ts";
import { reference } from "../schema.ts";

/** All transactions and those that failed, at the latest block. Source: rpc-semantics 5 */
export const getTotalTransactionCount = memberMethod({
  name: "getTotalTransactionCount",
  summary: "Numbers of transactions and of failed transactions",
  result: { name: "totals", schema: reference("TransactionTotals") },
  run: async ({ ledger }) => presentTotals(await ledger.totals()),
});
