/** getObserverList: who follows the group without sealing. */
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** Table order. Source: rpc-semantics 5 */
export const getObserverList = defineMethod({
  name: "getObserverList",
  summary: "Observers of the group, in table order",
  params: [GROUP_ID],
  result: { name: "observers", schema: listOf(NODE_ID) },
  errors: MEMBER_ERRORS,
  run: ({ node }, [groupId]) => requireMember(node, groupId).ledger.observers(),
});
