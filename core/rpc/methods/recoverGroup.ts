/** recoverGroup: a deleted group becomes stopped. */
import { groupOperation } from "../group-management.ts";

/** Source: rpc-semantics 10; groups 3 */
export const recoverGroup = groupOperation("recoverGroup", "Makes a deleted group a stopped one");
