/** queryPeers: the peer addresses the node dials. */
import { defineMethod, requireReady } from "../method.ts";
import { listOf, TEXT } from "../schema.ts";

/** In the order of the configuration. Source: rpc-semantics 13 */
export const queryPeers = defineMethod({
  name: "queryPeers",
  summary: "Configured peer addresses",
  params: [],
  result: { name: "addresses", schema: listOf(TEXT) },
  errors: ["notReady"],
  run: ({ node }) => {
    requireReady(node);
    return node.configuredPeers?.() ?? [];
  },
});
