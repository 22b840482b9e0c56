/** getSealerList: who may seal blocks of the group. */
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** Table order: genesis order, later additions appended. Source: rpc-semantics 5 */
export const getSealerList = defineMethod({
  name: "getSealerList",
  summary: "Sealers of the group, in table order",
  params: [GROUP_ID],
  result: { name: "sealers", schema: listOf(NODE_ID) },
  errors: MEMBER_ERRORS,
  run: ({ node }, [groupId]) => requireMember(node, groupId).ledger.sealers(),
});
