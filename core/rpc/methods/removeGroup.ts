/** removeGroup: a running group is stopped in order first. */
import { groupOperation } from "../group-management.ts";

/** Source: rpc-semantics 10; groups 3 */
export const removeGroup = groupOperation(
  "removeGroup",
  "Marks a group deleted, stopping it first; its data is kept",
);
