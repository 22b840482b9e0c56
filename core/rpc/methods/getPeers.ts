/** getPeers: the connected peers. */
import { readyMethod } from "../method.ts";
import { ANY_GROUP_ID } from "../params.ts";
import { presentPeer } from "../present-status.ts";
import { listOf, reference } from "../schema.ts";

/** The group ID is ignored. Source: rpc-semantics 4, 5.3 */
export const getPeers = readyMethod({
  name: "getPeers",
  summary: "Connected peers",
  params: [ANY_GROUP_ID],
  result: { name: "peers", schema: listOf(reference("Peer")) },
  run: (node) => node.peers().map(presentPeer),
});
