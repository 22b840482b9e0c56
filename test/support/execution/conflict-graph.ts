/** The order that conflicts leave to the transactions of a block. Source: execution 12 */
import type { ByteString } from "../../../core/bytes/byte-string.ts";
import type { ConflictFields } from "./conflict-fields.ts";

/** The first must have run before the second begins. */
export type ConflictEdge = readonly [before: number, after: number];

/**
 * The edges between transactions in block order: each goes after the last one before it that
 * claims one of its fields. Source: execution 12
 */
export function conflictEdges(claims: readonly ConflictFields[]): readonly ConflictEdge[] {
  const edges: ConflictEdge[] = [];
  const last = new Map<ByteString, number>();
  let barrier: number | undefined;
  const go = (before: ReadonlySet<number>, after: number): void => {
    for (const index of before) edges.push([index, after]);
  };
  for (const [index, claim] of claims.entries()) {
    if (claim === null) {
      const before = new Set(last.values());
      // Nothing claimed a field since the barrier, or those who did come after it anyway.
      if (before.size === 0 && barrier !== undefined) before.add(barrier);
      go(before, index);
      last.clear();
      barrier = index;
      continue;
    }
    const fields = new Set([...claim.written, ...claim.read]);
    const before = new Set<number>();
    for (const field of fields) {
      const previous = last.get(field) ?? barrier;
      if (previous !== undefined) before.add(previous);
    }
    go(before, index);
    for (const field of fields) last.set(field, index);
  }
  return edges;
}

/** Groups of transactions that may run at the same time, each after all groups before it. */
export function conflictWaves(
  count: number,
  edges: readonly ConflictEdge[],
): readonly (readonly number[])[] {
  const waiting = new Array<number>(count).fill(0);
  const followers = Array.from({ length: count }, (): number[] => []);
  for (const [before, after] of edges) {
    waiting[after] = (waiting[after] ?? 0) + 1;
    followers[before]?.push(after);
  }
  const waves: number[][] = [];
  let ready = [...waiting.keys()].filter((index) => waiting[index] === 0);
  while (ready.length > 0) {
    waves.push(ready);
    const next: number[] = [];
    for (const after of ready.flatMap((index) => followers[index] ?? [])) {
      const left = (waiting[after] ?? 0) - 1;
      waiting[after] = left;
      if (left === 0) next.push(after);
    }
    ready = next.sort((left, right) => left - right);
  }
  return waves;
}
