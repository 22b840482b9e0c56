/** getGroupList: the running groups of which the node is a member. */
import { defineMethod, requireReady } from "../method.ts";
import { INTEGER, listOf } from "../schema.ts";

/** Ascending. Source: rpc-semantics 5 */
export const getGroupList = defineMethod({
  name: "getGroupList",
  summary: "Running groups in which the node is sealer or observer, ascending",
  params: [],
  result: { name: "groups", schema: listOf(INTEGER) },
  errors: ["notReady"],
  run: ({ node }) => {
    requireReady(node);
    return node.groupList();
  },
});
