/** erasePeers: forgets peer addresses; sessions stay. */
import { peersMethod } from "../peer-management.ts";

const SUMMARY = "Removes peer addresses from the configuration; existing sessions stay";

/** Source: node-network 5; rpc-semantics 13 */
export const erasePeers = peersMethod("erasePeers", SUMMARY, "erase");
