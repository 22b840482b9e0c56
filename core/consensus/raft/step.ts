/** The door of the Raft core: one input in, effects out, in order. Source: raft 5, 8 */
import { unreachable } from "../../fault/invariant.ts";
import type { Effect } from "./effect.ts";
import {
  becomeFollower,
  checkLease,
  electWhenDue,
  onPreVote,
  onPreVoteReply,
  onVote,
  onVoteReply,
} from "./election.ts";
import {
  advanceDecision,
  advanceWork,
  catchUpWhenDue,
  noteHeight,
  onAssembled,
  onBlock,
  onExecuted,
  onWritten,
  retryBody,
} from "./execution.ts";
import type { Input } from "./input.ts";
import {
  advanceFollower,
  advanceLeader,
  heartbeatWhenDue,
  onAcknowledgement,
  onAppend,
  onProposal,
} from "./replication.ts";
import { configure, type RaftState } from "./state.ts";
import { nextDeadline } from "./timer.ts";
import { ignore, putRecordFirst, type Turn } from "./turn.ts";

/** What a step gives: the state (the same object, changed) and what is to be done, in order. */
export interface Step {
  readonly state: RaftState;
  readonly effects: readonly Effect[];
}

/**
 * Takes one input. Pure but for the state object, which it changes and gives back. Source: raft 8
 */
export function step(state: RaftState, input: Input): Step {
  const turn: Turn = { now: input.now, effects: [], changed: false, body: undefined };
  if (state.stopped) return { state, effects: turn.effects };
  checkLease(state, turn);
  dispatch(state, turn, input);
  settle(state, turn);
  heartbeatWhenDue(state, turn);
  putRecordFirst(state, turn);
  const at = state.stopped ? undefined : nextDeadline(state);
  // A tick has used up the shell's one timer, also when it came too early.
  if (at !== state.lastDeadline || input.type === "tick") {
    state.lastDeadline = at;
    turn.effects.push({ type: "deadline", at });
  }
  return { state, effects: turn.effects };
}

function dispatch(state: RaftState, turn: Turn, input: Input): void {
  switch (input.type) {
    case "start":
      return becomeFollower(state, turn, "sealersChanged");
    case "tick":
      electWhenDue(state, turn);
      retryBody(state, turn);
      return catchUpWhenDue(state, turn);
    case "message":
      return onMessage(state, turn, input);
    case "proposal":
      return onProposal(state, turn, input);
    case "assembled":
      return onAssembled(state, turn, input);
    case "executed":
      return onExecuted(state, input);
    case "written":
      if (onWritten(state, turn, input)) becomeFollower(state, turn, "sealersChanged");
      return;
    case "block":
      return onBlock(state, turn, input);
    case "voice":
      if (configure(state, input.config)) becomeFollower(state, turn, "sealersChanged");
      return;
    case "peer":
      return noteHeight(state, turn, input.from, input.height);
    case "syncing":
      state.syncing = input.active;
      return becomeFollower(state, turn, "syncing");
    default:
      return unreachable(input);
  }
}

/** Between sealers only, and not while suspended. Source: raft 2, 3 */
function onMessage(state: RaftState, turn: Turn, input: Extract<Input, { type: "message" }>): void {
  const { from, message } = input;
  if (from === state.config.self) return ignore(turn, from, message.type, "ownMessage");
  if (!state.indexes.has(from)) return ignore(turn, from, message.type, "notSealer");
  noteHeight(state, turn, from, message.height);
  if (state.role === "suspended") return ignore(turn, from, message.type, "suspended");
  switch (message.type) {
    case "preVote":
      return onPreVote(state, turn, from, message);
    case "preVoteReply":
      return onPreVoteReply(state, turn, from, message);
    case "vote":
      return onVote(state, turn, from, message);
    case "voteReply":
      return onVoteReply(state, turn, from, message);
    case "append":
      return onAppend(state, turn, { ...input, message });
    case "acknowledgement":
      return onAcknowledgement(state, turn, from, message);
    default:
      return unreachable(message);
  }
}

/** Lets every part of the protocol react until nothing changes. */
function settle(state: RaftState, turn: Turn): void {
  while (!state.stopped) {
    const changed =
      advanceFollower(state, turn) ||
      advanceLeader(state, turn) ||
      advanceWork(state, turn) ||
      advanceDecision(state, turn);
    if (!changed) return;
  }
}
