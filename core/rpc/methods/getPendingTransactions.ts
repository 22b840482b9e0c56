/** getPendingTransactions: what waits in the pool. */
import { runningMethod } from "../method.ts";
import { presentAllPending } from "../present.ts";
import { listOf, reference } from "../schema.ts";

/** As the pool is when asked, in its order; membership is not asked. Source: rpc-semantics 4, 5 */
export const getPendingTransactions = runningMethod({
  name: "getPendingTransactions",
  summary: "Transactions in the pool, in its order",
  result: { name: "transactions", schema: listOf(reference("PendingTransaction")) },
  isLong: true,
  run: (group) => presentAllPending([...group.pendingTransactions()]),
});
