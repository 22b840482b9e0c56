/**
 * The one block that is brought together, executed and written; blocks from peers that are ahead.
 * Source: raft 7, 8
 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { Input } from "./input.ts";
import { configure, type RaftState, type Work } from "./state.ts";
import { aheadPeer, BLOCK_RETRY_MS, BODY_RETRY_MS, CATCH_UP_DELAY_MS } from "./timer.ts";
import { ignore, report, type Turn } from "./turn.ts";

/** R of the block this node should be working on, if any. */
function wantedProposal({ decision, incoming, fresh, entry }: RaftState): Hash | undefined {
  return decision?.proposal ?? incoming?.proposal ?? fresh?.hash ?? entry?.proposal;
}

/** Starts or continues the work that the state calls for. Gives whether anything changed. */
export function advanceWork(state: RaftState, turn: Turn): boolean {
  const wanted = wantedProposal(state);
  if (wanted === undefined) {
    dropWork(state, turn);
    return false;
  }
  const { work, height, term } = state;
  if (work?.token.proposal !== wanted) {
    dropWork(state, turn);
    const token = { height: height + 1, view: term, proposal: wanted };
    const stage = "assembling";
    state.work = { token, stage, executed: undefined, attempts: 0, retryAt: 0 };
    turn.effects.push({ type: "assemble", height: height + 1, proposal: wanted });
    return true;
  }
  // What is not stored yet may still be replaced: it is executed once it is the entry.
  if (work.stage !== "assembled" || state.incoming?.proposal === wanted) return false;
  work.stage = "executing";
  turn.effects.push({ type: "execute", token: work.token });
  return true;
}

function dropWork(state: RaftState, turn: Turn): void {
  if (state.work?.stage === "executing") turn.effects.push({ type: "cancelExecution" });
  state.work = undefined;
}

/** Whether all of a block is at hand. */
export function isAtHand({ work }: RaftState, proposal: Hash): boolean {
  if (work?.token.proposal !== proposal) return false;
  return work.stage !== "assembling" && work.stage !== "fetching";
}

/** The shell says whether all of a block is at hand. */
export function onAssembled(
  state: RaftState,
  turn: Turn,
  input: Extract<Input, { type: "assembled" }>,
): void {
  const { work } = state;
  if (!work || isAtHand(state, input.proposal)) return;
  if (work.token.proposal !== input.proposal) return;
  if (input.complete) {
    work.stage = "assembled";
  } else if (work.stage === "assembling") {
    work.stage = "fetching";
    requestBody(state, turn, work);
  }
}

/** Asks the next holder once the last one has had its time. */
export function retryBody(state: RaftState, turn: Turn): void {
  const { work } = state;
  if (work?.stage === "fetching" && turn.now >= work.retryAt) requestBody(state, turn, work);
}

function requestBody(state: RaftState, turn: Turn, work: Work): void {
  work.retryAt = turn.now + BODY_RETRY_MS;
  const { height, proposal } = work.token;
  const holders = holdersOf(state);
  const to = holders[work.attempts++ % Math.max(1, holders.length)];
  if (to !== undefined) turn.effects.push({ type: "requestBody", height, proposal, to });
}

/** Who may have the block: whoever sent it first, then the other sealers. */
function holdersOf({ decision, incoming, config }: RaftState): readonly NodeId[] {
  const from = decision ? decision.from : incoming?.from;
  const others = config.sealers.filter((id) => id !== config.self && id !== from);
  return from === undefined ? others : [from, ...others];
}

/** What an execution gave; results of others are stale. */
export function onExecuted(
  state: RaftState,
  { token, executed }: Extract<Input, { type: "executed" }>,
): void {
  const { work } = state;
  const isOwn = work?.token.proposal === token.proposal && work.token.view === token.view;
  if (!work || !isOwn || work.stage !== "executing") return;
  work.stage = executed === undefined ? "refused" : "executed";
  work.executed = executed;
}

/** A final block that has been executed is written. Gives whether anything changed. */
export function advanceDecision(state: RaftState, turn: Turn): boolean {
  const { decision, work, entry, height } = state;
  if (!decision || decision.writing || work?.token.proposal !== decision.proposal) return false;
  const { proposal, from } = decision;
  if (work.stage === "refused") {
    const isOwn = from === undefined || entry?.proposal === proposal;
    if (!isOwn) return distrust(state, turn, from, "refused");
    state.stopped = true;
    const reason = "executionRefused";
    turn.effects.push({ type: "stopGroup", reason, height: height + 1, proposal });
    return false;
  }
  if (work.stage !== "executed" || work.executed === undefined) return false;
  const { executed } = work;
  if (from !== undefined && decision.executed !== executed) {
    return distrust(state, turn, from, "executionDiffers");
  }
  decision.writing = true;
  turn.effects.push({ type: "write", height: height + 1, proposal, executed });
  return true;
}

/** A block that does not execute to its header is not taken, nor is its sender asked again. */
function distrust(
  state: RaftState,
  turn: Turn,
  from: NodeId,
  reason: "refused" | "executionDiffers",
): boolean {
  state.decision = undefined;
  state.peers.delete(from);
  ignore(turn, from, "block", reason);
  return true;
}

/** A block is on disk: the next height begins. Gives whether the sealers are others now. */
export function onWritten(
  state: RaftState,
  turn: Turn,
  { height, hash, config }: Extract<Input, { type: "written" }>,
): boolean {
  if (height <= state.height) return false;
  const proposal = state.decision?.proposal;
  report(turn, { event: "committed", height, hash, proposal, term: state.term });
  dropWork(state, turn);
  state.height = height;
  state.head = hash;
  state.decision = undefined;
  state.incoming = undefined;
  if (state.fresh) report(turn, { event: "proposalDropped", proposal: state.fresh.hash });
  state.fresh = undefined;
  state.proposeAsked = false;
  state.proposeFrom = turn.now;
  state.stored.clear();
  state.heartbeatAt = turn.now;
  if (state.entry && state.entry.height <= height) state.entry = undefined;
  const changed = configure(state, config);
  for (const id of state.peers.keys()) if (!state.indexes.has(id)) state.peers.delete(id);
  state.catchUpAttempts = 0;
  state.catchUpAt = aheadPeer(state) === undefined ? undefined : turn.now + CATCH_UP_DELAY_MS;
  return changed;
}

/** Notes where a sealer stands. */
export function noteHeight(state: RaftState, turn: Turn, from: NodeId, height: number): void {
  if (!state.indexes.has(from) || from === state.config.self) return;
  if (height > (state.peers.get(from) ?? -1)) state.peers.set(from, height);
  if (height > state.height && state.catchUpAt === undefined) {
    state.catchUpAt = turn.now + CATCH_UP_DELAY_MS;
  }
}

/** Asks a sealer that is ahead for the next block. */
export function catchUpWhenDue(state: RaftState, turn: Turn): void {
  if (state.catchUpAt === undefined || state.decision || turn.now < state.catchUpAt) return;
  const to = aheadPeer(state);
  state.catchUpAttempts++;
  state.catchUpAt = to === undefined ? undefined : turn.now + BLOCK_RETRY_MS;
  if (to !== undefined) turn.effects.push({ type: "requestBlock", height: state.height + 1, to });
}

/**
 * A block without seals: only from a current sealer, only on the own head, and never another one
 * than what is known to be final. Source: raft 8
 */
export function onBlock(
  state: RaftState,
  turn: Turn,
  { from, block }: Extract<Input, { type: "block" }>,
): void {
  if (!state.indexes.has(from)) return ignore(turn, from, "block", "notSealer");
  const { number, parentHash, hash } = block.proposal;
  if (number <= state.height) return ignore(turn, from, "block", "stale");
  if (number !== state.height + 1 || parentHash !== state.head) {
    return ignore(turn, from, "block", "wrongBlock");
  }
  if (state.decision) return ignore(turn, from, "block", "decided");
  state.decision = { proposal: hash, executed: block.executed, from, writing: false };
  // The block brought everything that was missing of it.
  const { work } = state;
  if (work?.stage === "fetching" && work.token.proposal === hash) work.stage = "assembled";
}
