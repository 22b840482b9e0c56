/** The tree of width 3 in which statuses travel. Source: sync 7 */
import type { NodeId } from "../bytes/ids.ts";

const WIDTH = 3;

/** Says who can be reached; a missing node is replaced by its children. */
export type IsReachable = (node: NodeId) => boolean;

/** Positions of the children of a position; some may lie beyond the end. */
function childPositions(position: number): number[] {
  return Array.from({ length: WIDTH }, (_, child) => WIDTH * position + 1 + child);
}

/** Reachable nodes at positions of a list; a missing one is replaced by its children. */
function reachableAt(
  nodes: readonly NodeId[],
  positions: readonly number[],
  isReachable: IsReachable,
): NodeId[] {
  return positions.flatMap((position) => {
    const node = nodes[position];
    if (node === undefined) return [];
    if (isReachable(node)) return [node];
    return reachableAt(nodes, childPositions(position), isReachable);
  });
}

/**
 * The nearest reachable ancestor, if any. Our own protocol rounds down: the parent of i is
 * (i - 1) / 3. Source: sync 7
 */
function reachableParent(
  nodes: readonly NodeId[],
  position: number,
  isReachable: IsReachable,
): NodeId[] {
  let at = position;
  while (at > 0) {
    at = Math.floor((at - 1) / WIDTH);
    const node = nodes[at];
    if (node !== undefined && isReachable(node)) return [node];
  }
  return [];
}

/** Observers, ascending, in slots of ceil(M / S), one for each sealer. Source: sync 7 */
function slotsOf(sealers: readonly NodeId[], members: readonly NodeId[]): NodeId[][] {
  const isSealer = new Set(sealers);
  const others = members.filter((member) => !isSealer.has(member)).sort();
  const size = Math.max(1, Math.ceil(others.length / Math.max(1, sealers.length)));
  return sealers.map((_, index) => others.slice(index * size, (index + 1) * size));
}

/**
 * To whom a node announces where it stands. A sealer talks to every other sealer and to the top of
 * its slot; another member to its parent and its children inside the slot, the parent of the top
 * being the slot's sealer. Missing nodes are skipped: their children and parents stand in, and the
 * next sealer that is there stands in for the missing sealer of a slot.
 * @param members sealers and observers
 * Source: sync 7
 */
export function statusNeighbours(
  sealers: readonly NodeId[],
  members: readonly NodeId[],
  self: NodeId,
  isReachable: IsReachable,
): NodeId[] {
  const sorted = [...sealers].sort();
  const slots = slotsOf(sorted, members);
  if (sorted.includes(self)) {
    const others = sorted.filter((sealer) => sealer !== self && isReachable(sealer));
    const isThere = (node: NodeId) => node === self || isReachable(node);
    const tops = slots
      .filter((_, slot) => sealerFrom(sorted, slot, isThere)[0] === self)
      .flatMap((nodes) => reachableAt(nodes, [0], isReachable));
    return [...others, ...tops];
  }
  const slot = slots.findIndex((nodes) => nodes.includes(self));
  const nodes = slots[slot];
  if (nodes === undefined) return [];
  const position = nodes.indexOf(self);
  const children = reachableAt(nodes, childPositions(position), isReachable);
  const parent = reachableParent(nodes, position, isReachable);
  if (parent.length > 0) return [...parent, ...children];
  return [...sealerFrom(sorted, slot, isReachable), ...children];
}

/** The first reachable sealer from an index on, around the list. */
function sealerFrom(sealers: readonly NodeId[], index: number, isReachable: IsReachable): NodeId[] {
  const rotated = [...sealers.slice(index), ...sealers.slice(0, index)];
  return rotated.filter(isReachable).slice(0, 1);
}
