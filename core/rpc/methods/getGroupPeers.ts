/** getGroupPeers: all members of the group. */
import { memberMethod } from "../method.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** Sealers and observers together, ascending. Source: rpc-semantics 5 */
export const getGroupPeers = memberMethod({
  name: "getGroupPeers",
  summary: "Sealers and observers of the group, ascending",
  result: { name: "members", schema: listOf(NODE_ID) },
  run: async ({ ledger }) =>
    (await Promise.all([ledger.sealers(), ledger.observers()])).flat().sort(),
});
