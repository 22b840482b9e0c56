/** startGroup: runs a group whose files are there. */
import { groupOperation } from "../group-management.ts";

/** Source: rpc-semantics 10; groups 3 */
export const startGroup = groupOperation("startGroup", "Starts a stopped group");
