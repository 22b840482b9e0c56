/** Equality of node lists. */
import type { NodeId } from "../../bytes/ids.ts";

/** Whether two lists name the same nodes in the same order. */
export function isSameNodes(left: readonly NodeId[], right: readonly NodeId[]): boolean {
  if (left === right) return true;
  return left.length === right.length && left.every((id, index) => id === right[index]);
}
