/** getPendingTransactions: what waits in the pool. */
import { defineMethod, requireRunning, RUNNING_ERRORS } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { presentPending } from "../present.ts";
import { listOf, reference } from "../schema.ts";

/** Pool order; membership is not asked. Source: rpc-semantics 4, 5 */
export const getPendingTransactions = defineMethod({
  name: "getPendingTransactions",
  summary: "Transactions in the pool, in its order",
  params: [GROUP_ID],
  result: { name: "transactions", schema: listOf(reference("PendingTransaction")) },
  errors: RUNNING_ERRORS,
  run: ({ node }, [groupId]) =>
    requireRunning(node, groupId).pendingTransactions().map(presentPending),
});
