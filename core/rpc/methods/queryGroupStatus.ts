/** queryGroupStatus: the life cycle state of a group. */
import { refuseGroupId } from "../group-management.ts";
import { defineMethod, requireReady, requireVersion } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { presentGroupStatus } from "../present-status.ts";
import { reference } from "../schema.ts";

const NAME = "queryGroupStatus";

/**
 * Answers also where the other group operations are forbidden.
 * Source: rpc-semantics 10; decision 13
 */
export const queryGroupStatus = defineMethod({
  name: NAME,
  summary: "State of a group on this node",
  params: [GROUP_ID],
  result: { name: "status", schema: reference("GroupStatus") },
  errors: ["notReady", "notInGroup"],
  run: async ({ node }, [groupId]) => {
    requireVersion(node, NAME);
    const refused = refuseGroupId(groupId);
    if (refused !== undefined) return presentGroupStatus({ ...refused, status: "" });
    requireReady(node);
    return presentGroupStatus(await node.groupStatus(groupId));
  },
});
