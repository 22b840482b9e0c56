/** getPendingTxSize: how many transactions wait in the pool. */
import { quantity } from "../../bytes/quantity.ts";
import { defineMethod, requireRunning, RUNNING_ERRORS } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { QUANTITY } from "../schema.ts";

/** Membership is not asked. Source: rpc-semantics 4, 5 */
export const getPendingTxSize = defineMethod({
  name: "getPendingTxSize",
  summary: "Number of transactions in the pool",
  params: [GROUP_ID],
  result: { name: "count", schema: QUANTITY },
  errors: RUNNING_ERRORS,
  run: ({ node }, [groupId]) => quantity(requireRunning(node, groupId).pendingCount()),
});
