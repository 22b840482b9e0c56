/** getGroupPeers: all members of the group. */
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** Sealers and observers together, ascending. Source: rpc-semantics 5 */
export const getGroupPeers = defineMethod({
  name: "getGroupPeers",
  summary: "Sealers and observers of the group, ascending",
  params: [GROUP_ID],
  result: { name: "members", schema: listOf(NODE_ID) },
  errors: MEMBER_ERRORS,
  run: async ({ node }, [groupId]) => {
    const { ledger } = requireMember(node, groupId);
    const [sealers, observers] = await Promise.all([ledger.sealers(), ledger.observers()]);
    return [...sealers, ...observers].sort();
  },
});
