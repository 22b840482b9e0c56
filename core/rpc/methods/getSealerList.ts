/** getSealerList: who may seal blocks of the group. */
import { memberMethod } from "../method.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** Table order: genesis order, later additions appended. Source: rpc-semantics 5 */
export const getSealerList = memberMethod({
  name: "getSealerList",
  summary: "Sealers of the group, in table order",
  result: { name: "sealers", schema: listOf(NODE_ID) },
  run: ({ ledger }) => ledger.sealers(),
});
