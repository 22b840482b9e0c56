/** Which sealers hear this node, by a session or through others. Source: pbft 11, 16.3.8 */
import type { NodeId } from "../../bytes/ids.ts";
import { isSealer, type PbftState } from "./state.ts";
import { STATUS_INTERVAL_MS } from "./timer.ts";

/** A sealer whose statuses do not come through any more is out of reach after this. */
const DISTANT_MS = 5 * STATUS_INTERVAL_MS;

/** Sealers that hear this node, itself included. */
export function reachableSealers(state: PbftState, now: number): number {
  let count = isSealer(state) ? 1 : 0;
  for (const id of state.connected) if (state.indexes.has(id)) count++;
  for (const [id, at] of state.distant)
    if (now < at + DISTANT_MS && state.indexes.has(id) && !state.connected.has(id)) count++;
  return count;
}

/** Regaining a quorum forgets the back-off. @param before how many were in reach */
export function noteReach(state: PbftState, before: number, now: number): void {
  const isRegained = before < state.quorum && reachableSealers(state, now) >= state.quorum;
  if (isRegained) state.failedViews = 0;
}

/** The status of a sealer without a session came through. Bounded by the list of sealers. */
export function noteDistant(state: PbftState, from: NodeId, now: number): void {
  for (const id of state.distant.keys()) if (!state.indexes.has(id)) state.distant.delete(id);
  if (!state.indexes.has(from)) return;
  const before = reachableSealers(state, now);
  state.distant.set(from, now);
  noteReach(state, before, now);
}
