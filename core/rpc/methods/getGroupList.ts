/** getGroupList: the running groups of which the node is a member. */
import { readyMethod } from "../method.ts";
import { INTEGER, listOf } from "../schema.ts";

/** Ascending. Source: rpc-semantics 5 */
export const getGroupList = readyMethod({
  name: "getGroupList",
  summary: "Running groups in which the node is sealer or observer, ascending",
  params: [],
  result: { name: "groups", schema: listOf(INTEGER) },
  run: (node) => node.groupList(),
});
