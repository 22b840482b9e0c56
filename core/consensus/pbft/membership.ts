/** Beginning, taking part or not, and who is connected. Source: pbft 10, 14, 16.2 */
import { peerOf } from "./decision.ts";
import type { InputOf } from "./input.ts";
import { noteReach, reachableSealers } from "./reach.ts";
import { broadcastAll, statusOf, statusWhenDue } from "./resend.ts";
import { configure, isAbstaining, isSealer, type PbftState, restoreVotes } from "./state.ts";
import { send, type StepContext } from "./step-context.ts";

/**
 * Begins or begins again: own messages go out once more, nothing new is made up.
 * Source: pbft 10, 16.2
 */
export function begin(state: PbftState, context: StepContext): void {
  state.waitStart = context.now;
  state.lastConsensusAt = context.now;
  state.statusAt = context.now;
  if (isSealer(state)) broadcastAll(state, context);
  statusWhenDue(state, context);
}

/** Whether this node must not vote from now on. Source: decision 25 */
export function mustAbstain(
  _: PbftState,
  __: StepContext,
  { config }: InputOf<"votingRole">,
): boolean {
  return isAbstaining(config);
}

/** It is silent at once. Source: decision 25 */
export function abstain(state: PbftState, _: StepContext, { config }: InputOf<"votingRole">): void {
  configure(state, config);
}

/** A node that was silent joins in with what its record says. Source: decision 25 */
export function joinIn(state: PbftState, context: StepContext, input: InputOf<"votingRole">): void {
  configure(state, input.config);
  // A node that fell silent within this height still holds its messages; an observer has none.
  if (state.toView === 0 && !state.ownSign) restoreVotes(state, input.record);
  begin(state, context);
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
export function notePeers(
  state: PbftState,
  context: StepContext,
  input: InputOf<"peersChanged">,
): void {
  const before = reachableSealers(state, context.now);
  const known = state.connected;
  state.connected = new Set(input.connected);
  noteReach(state, before, context.now);
  for (const id of state.peers.keys()) {
    if (!state.connected.has(id)) state.peers.delete(id);
  }
  const fresh = input.connected.filter((id) => !known.has(id));
  if (fresh.length === 0) return;
  const message = statusOf(state);
  for (const to of fresh) {
    peerOf(state, to);
    send(context, to, message);
  }
}
