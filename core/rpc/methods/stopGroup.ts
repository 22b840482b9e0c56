/** stopGroup: answers when the group has stopped. */
import { groupOperation } from "../group-management.ts";

/** Source: rpc-semantics 10; groups 3 */
export const stopGroup = groupOperation("stopGroup", "Stops a running group");
