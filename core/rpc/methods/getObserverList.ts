/** getObserverList: who follows the group without sealing. */
import { memberMethod } from "../method.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** Table order. Source: rpc-semantics 5 */
export const getObserverList = memberMethod({
  name: "getObserverList",
  summary: "Observers of the group, in table order",
  result: { name: "observers", schema: listOf(NODE_ID) },
  run: ({ ledger }) => ledger.observers(),
});
