/** addPeers: dials further peers, now and after each start. */
import { peersMethod } from "../peer-management.ts";

const SUMMARY = "Adds peer addresses to the configuration and dials them";

/** Source: node-network 5; rpc-semantics 13 */
export const addPeers = peersMethod("addPeers", SUMMARY, "add");
