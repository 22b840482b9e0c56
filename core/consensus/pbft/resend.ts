/**
 * Saying again what was said: to peers that missed it. Nothing new is said here.
 * Source: pbft 16.3.9
 */
import type { NodeId } from "../../bytes/ids.ts";
import type { Message, Status } from "./message.ts";
import { isSealer, type PbftState } from "./state.ts";
import { ANSWER_INTERVAL_MS, STATUS_INTERVAL_MS } from "./timer.ts";
import { broadcast, type Turn } from "./turn.ts";

/** Own status, signed. */
export function statusOf(state: PbftState): Status {
  const { height, view, index, head, toView } = state;
  const type = "status";
  const signature = state.signer.sign({ type, height, view, index, head, toView });
  return { type, height, view, index, head, toView, signature, signer: state.config.self };
}

/** Broadcasts the status once per interval. Source: pbft 16.1 */
export function statusWhenDue(state: PbftState, turn: Turn): void {
  if (turn.now < state.statusAt) return;
  state.statusAt = turn.now + STATUS_INTERVAL_MS;
  broadcast(state, turn, statusOf(state), "members");
}

/** Sends the justification of the current view to a node in an older one. Source: pbft 16.3.9 */
export function forwardJustification(state: PbftState, turn: Turn, to: NodeId): void {
  if (state.view === 0 || !state.rules.forwardJustification) return;
  const { height, view, justification } = state;
  send(turn, to, { type: "viewCertificate", height, view, justification });
}

/** Answers a stale message, but not each one of many. Source: pbft 16.1 (Status) */
export function answerStale(state: PbftState, turn: Turn, to: NodeId): void {
  const peer = state.peers.get(to);
  if (!peer || turn.now < peer.answeredAt + ANSWER_INTERVAL_MS) return;
  peer.answeredAt = turn.now;
  if (peer.height === state.height && peer.view < state.view) forwardJustification(state, turn, to);
  else send(turn, to, statusOf(state));
}

/** Sends own view change again while between views. Source: pbft 16.3.9 */
export function resendViewChange(state: PbftState, turn: Turn, to: NodeId): void {
  if (state.toView > state.view && state.ownViewChange) send(turn, to, state.ownViewChange);
}

/** Sends own messages of the current view again. Source: pbft 16.3.9 */
export function resendVotes(state: PbftState, turn: Turn, to: NodeId): void {
  if (!isSealer(state)) return;
  const { round, view } = state;
  if (turn.now < (round.resentAt.get(to) ?? state.waitStart) + ANSWER_INTERVAL_MS) return;
  round.resentAt.set(to, turn.now);
  for (const message of [state.ownPrepare, state.ownSign, state.ownCommit]) {
    if (message?.view === view) send(turn, to, message);
  }
}

/** Broadcasts everything this node stands by: after a start. Source: pbft 16.2 */
export function broadcastAll(state: PbftState, turn: Turn): void {
  const own = [state.ownPrepare, state.ownSign, state.ownCommit];
  for (const message of own) {
    if (message?.view === state.view) broadcast(state, turn, message, "sealers");
  }
  if (state.ownViewChange) broadcast(state, turn, state.ownViewChange, "sealers");
}

function send(turn: Turn, to: NodeId, message: Message): void {
  turn.effects.push({ type: "send", message, to });
}
