/** getPendingTransactions: what waits in the pool. */
import { defineMethod, requireRunning, RUNNING_ERRORS } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import type { Json } from "../json.ts";
import { presentPending } from "../present.ts";
import { listOf, reference } from "../schema.ts";

/** As the pool is when asked, in its order; membership is not asked. Source: rpc-semantics 4, 5 */
export const getPendingTransactions = defineMethod({
  name: "getPendingTransactions",
  summary: "Transactions in the pool, in its order",
  params: [GROUP_ID],
  result: { name: "transactions", schema: listOf(reference("PendingTransaction")) },
  errors: RUNNING_ERRORS,
  isLong: true,
  run: async ({ node, pace }, [groupId]) => {
    const shown: Json[] = [];
    for (const transaction of requireRunning(node, groupId).pendingTransactions()) {
      await pace?.();
      shown.push(presentPending(transaction));
    }
    return shown;
  },
});
