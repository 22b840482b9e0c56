/** erasePeers: forgets peer addresses; sessions stay. */
import { defineMethod } from "../method.ts";
import { ENDPOINTS, managePeers, PEER_ERRORS } from "../peer-management.ts";
import { presentOperation } from "../present-status.ts";
import { reference } from "../schema.ts";

/** The outcome is a code and a message. Source: node-network 5; rpc-semantics 13 */
export const erasePeers = defineMethod({
  name: "erasePeers",
  summary: "Removes peer addresses from the configuration; existing sessions stay",
  params: [ENDPOINTS],
  result: { name: "outcome", schema: reference("GroupOperation") },
  errors: PEER_ERRORS,
  changes: true,
  manages: true,
  run: async (call, [addresses]) => presentOperation(await managePeers(call, "erase", addresses)),
});
