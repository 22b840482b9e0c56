/** startGroup: runs a group whose files are there. */
import { MANAGEMENT_ERRORS, manageGroup } from "../group-management.ts";
import { defineMethod } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { presentOperation } from "../present-status.ts";
import { reference } from "../schema.ts";

/** The outcome is a code and a message. Source: rpc-semantics 10; groups 3 */
export const startGroup = defineMethod({
  name: "startGroup",
  summary: "Starts a stopped group",
  params: [GROUP_ID],
  result: { name: "outcome", schema: reference("GroupOperation") },
  errors: MANAGEMENT_ERRORS,
  changes: true,
  run: async (call, [groupId]) => presentOperation(await manageGroup(call, "startGroup", groupId)),
});
