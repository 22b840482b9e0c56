/** Beginning, taking part or not, and who is connected. Source: pbft 10, 14, 16.2 */
import { noteReach, peerOf, reachableSealers } from "./decision.ts";
import type { InputOf } from "./input.ts";
import { broadcastAll, statusOf, statusWhenDue } from "./resend.ts";
import { configure, isAbstaining, isSealer, type PbftState, restoreVotes } from "./state.ts";
import { send } from "./step-context.ts";

/** Begins (again): own messages go out once more, none is new. Source: pbft 10, 16.2 */
export function begin(state: PbftState): void {
  state.waitStart = state.now;
  state.lastConsensusAt = state.now;
  state.statusAt = state.now;
  if (isSealer(state)) broadcastAll(state);
  statusWhenDue(state);
}

/** Whether this node must not vote from now on. Source: decision 25 */
export function mustAbstain(_: PbftState, { config }: InputOf<"votingRole">): boolean {
  return isAbstaining(config);
}

/** It is silent at once. Source: decision 25 */
export function abstain(state: PbftState, { config }: InputOf<"votingRole">): void {
  configure(state, config);
}

/** A node that was silent joins in with what its record says. Source: decision 25 */
export function joinIn(state: PbftState, input: InputOf<"votingRole">): void {
  configure(state, input.config);
  // A node that fell silent within this height still holds its messages; an observer has none.
  if (state.toView === 0 && !state.ownSign) restoreVotes(state, input.record);
  begin(state);
}

/** Whether a sealer has left its view. Source: pbft 16.3.6 */
export function hasLeftView(state: PbftState): boolean {
  return isSealer(state) && state.toView > state.view;
}

/** Whether a sealer holds a lock of its view. Source: pbft 16.3.4 */
export function hasLocked(state: PbftState): boolean {
  return isSealer(state) && state.lock?.view === state.view;
}

/** Whether a sealer has spoken for a proposal of its view. Source: pbft 16.2 */
export function hasAccepted(state: PbftState): boolean {
  return isSealer(state) && state.round.proposal !== undefined;
}

/** Sessions came or went. Regaining a quorum forgets the back-off. Source: pbft 16.3.8, 16.3.9 */
export function notePeers(state: PbftState, input: InputOf<"peersChanged">): void {
  const before = reachableSealers(state, state.now);
  const known = state.connected;
  state.connected = new Set(input.connected);
  noteReach(state, before, state.now);
  for (const id of state.peers.keys()) {
    if (!state.connected.has(id)) state.peers.delete(id);
  }
  const fresh = input.connected.filter((id) => !known.has(id));
  if (fresh.length === 0) return;
  const message = statusOf(state);
  for (const to of fresh) {
    peerOf(state, to);
    send(state, to, message);
  }
}
