/** getSyncStatus: how the group's ledger stands among its peers. */
import { memberMethod } from "../method.ts";
import { presentSyncStatus } from "../present-status.ts";
import { reference } from "../schema.ts";

/** Nine members, peers included. Source: interface 2.6; rpc-semantics 5.2 */
export const getSyncStatus = memberMethod({
  name: "getSyncStatus",
  summary: "Synchronisation status",
  result: { name: "status", schema: reference("SyncStatus") },
  run: (group, _, { node }) => presentSyncStatus(group, node.nodeId),
});
