/** queryPeers: the peer addresses the node dials. */
import { readyMethod } from "../method.ts";
import { listOf, TEXT } from "../schema.ts";

/** In the order of the configuration. Source: rpc-semantics 13 */
export const queryPeers = readyMethod({
  name: "queryPeers",
  summary: "Configured peer addresses",
  params: [],
  result: { name: "addresses", schema: listOf(TEXT) },
  run: (node) => node.configuredPeers?.() ?? [],
});
