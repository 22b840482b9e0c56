/** Says again what was sent, to peers that missed it; nothing new. Source: pbft 16.3.9 */
import type { NodeId } from "../../bytes/ids.ts";
import type { Message, Status } from "./message.ts";
import { maySupport, supportFor } from "./view-reservation.ts";
import { isSealer, type PbftState } from "./state.ts";
import { ANSWER_INTERVAL_MS, STATUS_INTERVAL_MS } from "./timer.ts";
import { broadcast, send } from "./step-context.ts";

/** Own status, signed. */
export function statusOf(state: PbftState): Status {
  const { height, view, index, head, toView } = state;
  const type = "status";
  const signature = state.signer.sign({ type, height, view, index, head, toView });
  return { type, height, view, index, head, toView, signature, signer: state.config.self };
}

/** Broadcasts the status once per interval. Source: pbft 16.1 */
export function statusWhenDue(state: PbftState): void {
  if (state.now < state.statusAt) return;
  state.statusAt = state.now + STATUS_INTERVAL_MS;
  broadcast(state, statusOf(state), "members");
}

/** Sends the justification of the current view to a node in an older one. Source: pbft 16.3.9 */
function forwardJustification(state: PbftState, to: NodeId): void {
  if (state.view === 0 || !state.rules.forwardJustification) return;
  const { height, view, justification } = state;
  send(state, to, { type: "viewCertificate", height, view, justification });
}

/** Whether a peer may be answered now: not each one of many messages is. */
function mayAnswer(state: PbftState, to: NodeId): boolean {
  const peer = state.peers.get(to);
  if (!peer || state.now < peer.answeredAt + ANSWER_INTERVAL_MS) return false;
  peer.answeredAt = state.now;
  return true;
}

/** Answers a stale message, also unverified: its session proves who. Source: pbft 16.1 (Status) */
export function answerStale(state: PbftState, { from: to }: { readonly from: NodeId }): void {
  const peer = state.peers.get(to);
  if (!peer || !mayAnswer(state, to)) return;
  if (peer.height === state.height && peer.view < state.view) forwardJustification(state, to);
  else send(state, to, statusOf(state));
}

/** Helps a sealer to this node's views: justification, own view change. Source: pbft 16.3.9 */
export function helpForward(state: PbftState, to: NodeId, { view, toView }: Status): void {
  const changing = state.toView > state.view && toView <= state.toView;
  const isBehind = view < state.view;
  const isSupported = maySupport(state, toView);
  if (!(changing || isBehind || isSupported) || !mayAnswer(state, to)) return;
  if (isBehind) forwardJustification(state, to);
  if (changing && state.ownViewChange) send(state, to, state.ownViewChange);
  if (isSupported) send(state, to, supportFor(state, toView));
}

function ownMessages({ ownPrepare, ownSign, ownCommit, view }: PbftState): Message[] {
  const own = [ownPrepare, ownSign, ownCommit];
  return own.flatMap((message) => (message?.view === view ? message : []));
}

/** Sends own messages of the current view again. Source: pbft 16.3.9 */
export function resendVotes(state: PbftState, to: NodeId): void {
  if (!isSealer(state)) return;
  const { round } = state;
  if (state.now < (round.resentAt.get(to) ?? state.waitStart) + ANSWER_INTERVAL_MS) return;
  round.resentAt.set(to, state.now);
  for (const message of ownMessages(state)) send(state, to, message);
}

/** Broadcasts everything this node stands by: after a start. Source: pbft 16.2 */
export function broadcastAll(state: PbftState): void {
  for (const message of ownMessages(state)) broadcast(state, message, "sealers");
  if (state.ownViewChange) broadcast(state, state.ownViewChange, "sealers");
}
