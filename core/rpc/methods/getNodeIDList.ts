/** getNodeIDList: the node and its connected peers. */
import { readyMethod } from "../method.ts";
import { ANY_GROUP_ID } from "../params.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** The own ID is first; the group ID is ignored. Source: rpc-semantics 4, 5 */
export const getNodeIDList = readyMethod({
  name: "getNodeIDList",
  summary: "Own node ID, then those of the connected peers",
  params: [ANY_GROUP_ID],
  result: { name: "nodes", schema: listOf(NODE_ID) },
  run: (node) => [node.nodeId, ...node.peers().map((peer) => peer.nodeId)],
});
