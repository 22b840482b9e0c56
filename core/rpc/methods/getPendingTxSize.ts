/** getPendingTxSize: how many transactions wait in the pool. */
import { quantity } from "../../bytes/quantity.ts";
import { runningMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";

/** Membership is not asked. Source: rpc-semantics 4, 5 */
export const getPendingTxSize = runningMethod({
  name: "getPendingTxSize",
  summary: "Number of transactions in the pool",
  result: { name: "count", schema: QUANTITY },
  run: (group) => quantity(group.pendingCount()),
});
