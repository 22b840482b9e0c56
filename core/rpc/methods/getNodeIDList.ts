/** getNodeIDList: the node and its connected peers. */
import { defineMethod, requireReady } from "../method.ts";
import { ANY_GROUP_ID } from "../params.ts";
import { listOf, NODE_ID } from "../schema.ts";

/** The own ID is first; the group ID is ignored. Source: rpc-semantics 4, 5 */
export const getNodeIDList = defineMethod({
  name: "getNodeIDList",
  summary: "Own node ID, then those of the connected peers",
  params: [ANY_GROUP_ID],
  result: { name: "nodes", schema: listOf(NODE_ID) },
  errors: ["notReady"],
  run: ({ node }) => {
    requireReady(node);
    return [node.nodeId, ...node.peers().map((peer) => peer.nodeId)];
  },
});
