/** getPendingTransactions: what waits in the pool. */
import { defineMethod, requireRunning, RUNNING_ERRORS } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { presentAllPending } from "../present.ts";
import { listOf, reference } from "../schema.ts";

/** As the pool is when asked, in its order; membership is not asked. Source: rpc-semantics 4, 5 */
export const getPendingTransactions = defineMethod({
  name: "getPendingTransactions",
  summary: "Transactions in the pool, in its order",
  params: [GROUP_ID],
  result: { name: "transactions", schema: listOf(reference("PendingTransaction")) },
  errors: RUNNING_ERRORS,
  isLong: true,
  run: async ({ node }, [groupId]) =>
    presentAllPending([...requireRunning(node, groupId).pendingTransactions()]),
});
