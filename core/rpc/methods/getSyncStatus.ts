/** getSyncStatus: how the group's ledger stands among its peers. */
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { presentSyncStatus } from "../present-status.ts";
import { reference } from "../schema.ts";

/** Nine members, peers included. Source: interface 2.6; rpc-semantics 5.2 */
export const getSyncStatus = defineMethod({
  name: "getSyncStatus",
  summary: "Synchronisation status",
  params: [GROUP_ID],
  result: { name: "status", schema: reference("SyncStatus") },
  errors: MEMBER_ERRORS,
  run: ({ node }, [groupId]) => presentSyncStatus(requireMember(node, groupId), node.nodeId),
});
