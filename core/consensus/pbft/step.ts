/** The door of the PBFT core: one input in, effects out, in order. Source: pbft 14, 16 */
import type { NodeId } from "../../bytes/ids.ts";
import { unreachable } from "../../fault/invariant.ts";
import {
  advanceDecision,
  catchUpWhenDue,
  onBlock,
  onStatus,
  onWritten,
  peerOf,
} from "./decision.ts";
import type { Effect } from "./effect.ts";
import { advanceWork, onAssembled, onExecuted, retryBody } from "./execution.ts";
import type { Input } from "./input.ts";
import { aheadOf, decidedHeight, keepForLater, type RoundMessage } from "./future.ts";
import { checkOwnWords, isBeyondOwnWords } from "./lost-votes.ts";
import { advanceProposal, onPrepare, onProposal } from "./prepare.ts";
import { answerStale, broadcastAll, statusOf, statusWhenDue } from "./resend.ts";
import { configure, isSealer, restoreVotes, signedBy, type PbftState } from "./state.ts";
import { noteReach, reachableSealers } from "./reach.ts";
import { nextDeadline, viewDeadline } from "./timer.ts";
import { ignore, putRecordFirst, report, send, type Turn } from "./turn.ts";
import { advanceView, onViewCertificate, onViewChange, onViewTimeout } from "./view-change.ts";
import { advanceVotes, onCommit, onSign, recountCommits } from "./vote.ts";

/** What a step gives: the state (the same object, changed) and what is to be done, in order. */
export interface Step {
  readonly state: PbftState;
  readonly effects: readonly Effect[];
}

type MessageInput = Extract<Input, { type: "message" }>;

/**
 * Takes one input. Pure but for the state object, which it changes and gives back. Source: pbft 14
 */
export function step(state: PbftState, input: Input): Step {
  const turn: Turn = {
    now: input.now,
    effects: [],
    said: false,
    isIdle: false,
    body: undefined,
    via: undefined,
  };
  if (state.stopped) return { state, effects: turn.effects };
  dispatch(state, turn, input);
  settle(state, turn);
  putRecordFirst(state, turn);
  const at = state.stopped ? undefined : nextDeadline(state);
  // A tick has used up the shell's one timer, also when it came too early.
  if (at !== state.lastDeadline || input.type === "tick") {
    state.lastDeadline = at;
    turn.effects.push({ type: "deadline", at });
  }
  return { state, effects: turn.effects };
}

function dispatch(state: PbftState, turn: Turn, input: Input): void {
  switch (input.type) {
    case "start":
      return onStart(state, turn);
    case "tick":
      return onTick(state, turn);
    case "message":
      return onMessage(state, turn, input);
    case "stale":
      return onStale(state, turn, input.from);
    case "proposal":
      return onProposal(state, turn, input);
    case "assembled":
      return onAssembled(state, turn, input);
    case "executed":
      return onExecuted(state, turn, input);
    case "written":
      return onWritten(state, turn, input);
    case "block":
      return onBlock(state, turn, input);
    case "voice":
      return onVoice(state, turn, input);
    case "peersChanged":
      return onPeers(state, turn, input);
    default:
      unreachable(input);
  }
}

/**
 * Begins or begins again: own words go out once more, nothing new is made up. Source: pbft 10, 16.2
 */
function onStart(state: PbftState, turn: Turn): void {
  state.waitStart = turn.now;
  state.lastConsensusAt = turn.now;
  state.statusAt = turn.now;
  if (isSealer(state)) {
    broadcastAll(state, turn);
    recountCommits(state);
  }
  statusWhenDue(state, turn);
}

/**
 * A node that was silent joins in with what its record says; a block that is being written brings
 * the same configuration with it. One that is to be silent is so at once. Source: decision 25
 */
function onVoice(
  state: PbftState,
  turn: Turn,
  { config, record }: Extract<Input, { type: "voice" }>,
): void {
  if (config.voice === "silent" || config.voice === "muted") return configure(state, config);
  if (state.decision || isSealer(state)) return;
  configure(state, config);
  // A node that fell silent within this height still holds its words; an observer has none.
  if (state.toView === 0 && !state.ownSign) restoreVotes(state, record);
  onStart(state, turn);
}

function onTick(state: PbftState, turn: Turn): void {
  const timedOut = isSealer(state) && !state.decision && turn.now >= viewDeadline(state);
  if (timedOut) onViewTimeout(state, turn);
  statusWhenDue(state, turn);
  retryBody(state, turn);
  catchUpWhenDue(state, turn);
}

/** Sessions came or went. Regaining a quorum forgets the back-off. Source: pbft 16.3.8, 16.3.9 */
function onPeers(
  state: PbftState,
  turn: Turn,
  input: Extract<Input, { type: "peersChanged" }>,
): void {
  const before = reachableSealers(state, turn.now);
  const known = state.connected;
  state.connected = new Set(input.connected);
  noteReach(state, before, turn.now);
  for (const id of state.peers.keys()) {
    if (!state.connected.has(id)) state.peers.delete(id);
  }
  const fresh = input.connected.filter((id) => !known.has(id));
  if (fresh.length === 0) return;
  const message = statusOf(state);
  for (const to of fresh) {
    peerOf(state, to);
    send(turn, to, message);
  }
}

function onMessage(state: PbftState, turn: Turn, input: MessageInput): void {
  turn.via = input.via;
  takeMessage(state, turn, input);
  turn.via = undefined;
}

function takeMessage(state: PbftState, turn: Turn, input: MessageInput): void {
  const { message, from, via } = input;
  if (message.type === "status") {
    // An old one that somebody repeats must not stand for what a session says.
    if (via !== undefined && state.connected.has(from))
      return ignore(turn, from, "status", "duplicate");
    if (message.signer !== from) return ignore(turn, from, "status", "otherSigner");
    return onStatus(state, turn, from, message);
  }
  const isOwn = message.type !== "viewCertificate" && message.signer === state.config.self;
  if (!isOwn && checkOwnWords(state, turn, message)) return;
  if (!isSealer(state)) return ignore(turn, from, message.type, "observer");
  if (message.type === "viewCertificate") return onViewCertificate(state, turn, { from, message });
  if (message.signer === state.config.self) return onOwnMessage(state, turn, input);
  if (isUnderOtherName(state, message, from))
    // Of what was passed on nobody can tell who lies.
    return ignore(turn, from, message.type, via === undefined ? "otherSigner" : "notSealer");
  if (!state.indexes.has(message.signer)) return ignore(turn, from, message.type, "notSealer");
  const ahead = aheadOf(state, message);
  if (ahead > 0) return keepForLater(state, turn, input);
  if (ahead < 0) {
    if (message.type === "prepare" || message.type === "viewChange") answerStale(state, turn, from);
    return ignore(turn, from, message.type, "stale");
  }
  state.views.set(message.index, message.view);
  handle(state, turn, input);
}

/** Whether a message names the index of another sealer than signed it: whoever sends it lies. */
function isUnderOtherName(state: PbftState, message: RoundMessage, from: NodeId): boolean {
  const { index, signer } = message;
  if (decidedHeight(message) === state.height + 1) return !signedBy(state, index, signer);
  // The list of another height may be another one. Honest nodes pass nothing on that others signed:
  // what is signed by nobody known, or not by the sender whose index it names, is made up.
  return signer !== from && (!state.indexes.has(signer) || signedBy(state, index, from));
}

/** Its message said that much unverified: a session is proof enough of who is to be helped. */
function onStale(state: PbftState, turn: Turn, from: NodeId): void {
  if (isSealer(state)) answerStale(state, turn, from);
}

/**
 * A message under the own key: an echo, or words of a twin that the record knows nothing of.
 * Source: decision 25
 */
function onOwnMessage(state: PbftState, turn: Turn, { message, from }: MessageInput): void {
  ignore(turn, from, message.type, "ownMessage");
  if (isBeyondOwnWords(state, message)) report(turn, { event: "twin", message });
}

function handle(state: PbftState, turn: Turn, { from, message, proposal }: MessageInput): void {
  switch (message.type) {
    case "prepare":
      return onPrepare(state, turn, { from, message, proposal });
    case "sign":
      return onSign(state, turn, { from, message });
    case "commit":
      return onCommit(state, turn, { from, message });
    case "viewChange":
      return onViewChange(state, turn, { from, message });
    default:
      return;
  }
}

/** Lets every part of the protocol react until nothing changes. */
function settle(state: PbftState, turn: Turn): void {
  while (!state.stopped) {
    const changed =
      advanceDecision(state, turn) ||
      advanceView(state, turn) ||
      advanceProposal(state, turn) ||
      advanceWork(state, turn) ||
      advanceVotes(state, turn) ||
      replayFuture(state, turn);
    if (!changed) return;
  }
}

/** What was kept is looked at again once the round has moved. Source: pbft 16.3.7 */
function replayFuture(state: PbftState, turn: Turn): boolean {
  if (!state.futureDue) return false;
  state.futureDue = false;
  if (state.future.size === 0) return false;
  const kept = state.future;
  state.future = new Map();
  for (const input of kept.values()) {
    const { message } = input;
    if (message.type === "viewCertificate" || message.type === "status") continue;
    if (aheadOf(state, message) >= 0) onMessage(state, turn, input);
  }
  return true;
}
