/** getNodeInfo: the node as its peers see it. */
import { readyMethod } from "../method.ts";
import { presentPeer } from "../present-status.ts";
import { reference } from "../schema.ts";

/** Members as in getPeers. Source: rpc-semantics 13 */
export const getNodeInfo = readyMethod({
  name: "getNodeInfo",
  summary: "The node itself in the form of getPeers",
  params: [],
  result: { name: "node", schema: reference("Peer") },
  run: (node) => {
    const unnamed = { nodeId: node.nodeId, endpoint: "", agency: "", node: "", topics: [] };
    return presentPeer(node.self?.() ?? unnamed);
  },
});
