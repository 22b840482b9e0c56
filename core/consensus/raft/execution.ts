/** The one block at work, and blocks from peers that are ahead. Source: raft 7, 8 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { InputOf, Spoken } from "./input.ts";
import { configure, type RaftState, type Work } from "./state.ts";
import { aheadPeer, BLOCK_RETRY_MS, BODY_RETRY_MS, CATCH_UP_DELAY_MS } from "./timer.ts";
import { ignore, ignoring, report } from "./step-context.ts";

type Written = InputOf<"written">;
type Standing = Pick<InputOf<"peer">, "from" | "height">;

/** R of the block this node should be working on, if any. */
function wantedProposal({ decision, incoming, fresh, entry }: RaftState): Hash | undefined {
  return decision?.proposal ?? incoming?.proposal ?? fresh?.hash ?? entry?.proposal;
}

/** Whether what is worked on is stale. */
export function isWorkIdle(state: RaftState): boolean {
  return state.work !== undefined && wantedProposal(state) === undefined;
}

/** Whether another block is to be worked on. */
export function isOtherWanted(state: RaftState): boolean {
  const wanted = wantedProposal(state);
  return wanted !== undefined && state.work?.token.proposal !== wanted;
}

/** Begins to bring a block together. */
export function beginWork(state: RaftState): void {
  const proposal = wantedProposal(state);
  if (proposal === undefined) return;
  dropWork(state);
  const token = { height: state.height + 1, view: state.term, proposal };
  const stage = "assembling";
  state.work = { token, stage, executed: undefined, attempts: 0, retryAt: 0 };
  state.effects.push({ type: "assemble", height: state.height + 1, proposal });
}

/** What is not stored yet may still be replaced: it is executed once it is the entry. */
export function canExecute(state: RaftState): boolean {
  const { work, incoming } = state;
  return work?.stage === "assembled" && incoming?.proposal !== work.token.proposal;
}

/** Executes the block that is at hand. */
export function execute({ work, effects }: RaftState): void {
  if (!work) return;
  work.stage = "executing";
  effects.push({ type: "execute", token: work.token });
}

/** Gives up what is worked on. */
export function dropWork(state: RaftState): void {
  if (state.work?.stage === "executing") state.effects.push({ type: "cancelExecution" });
  state.work = undefined;
}

/** Whether all of a block is at hand. */
export function isAtHand({ work }: RaftState, proposal: Hash): boolean {
  if (work?.token.proposal !== proposal) return false;
  return work.stage !== "assembling" && work.stage !== "fetching";
}

/** The shell says whether all of a block is at hand. */
export function noteAssembled(state: RaftState, input: InputOf<"assembled">): void {
  const { work } = state;
  if (!work || isAtHand(state, input.proposal)) return;
  if (work.token.proposal !== input.proposal) return;
  if (input.complete) {
    work.stage = "assembled";
  } else if (work.stage === "assembling") {
    work.stage = "fetching";
    requestBody(state, work);
  }
}

/** Asks the next holder once the last one has had its time. */
export function retryBody(state: RaftState): void {
  const { work } = state;
  if (work?.stage === "fetching" && state.now >= work.retryAt) requestBody(state, work);
}

function requestBody(state: RaftState, work: Work): void {
  work.retryAt = state.now + BODY_RETRY_MS;
  const { height, proposal } = work.token;
  const holders = holdersOf(state);
  const to = holders[work.attempts++ % Math.max(1, holders.length)];
  if (to !== undefined) state.effects.push({ type: "requestBody", height, proposal, to });
}

/** Who may have the block: the node that sent it first, then the other sealers. */
function holdersOf({ decision, incoming, config }: RaftState): readonly NodeId[] {
  const from = decision ? decision.from : incoming?.from;
  const others = config.sealers.filter((id) => id !== config.self && id !== from);
  return from === undefined ? others : [from, ...others];
}

/** What an execution gave; results of others are stale. */
export function noteExecuted(state: RaftState, { token, executed }: InputOf<"executed">): void {
  const { work } = state;
  const isOwn = work?.token.proposal === token.proposal && work.token.view === token.view;
  if (!work || !isOwn || work.stage !== "executing") return;
  work.stage = executed === undefined ? "refused" : "executed";
  work.executed = executed;
}

/** The final block that is not written yet, when the work on it is at that stage. */
function isDecided({ decision, work }: RaftState, stage: Work["stage"]): boolean {
  if (!decision || decision.writing || work?.token.proposal !== decision.proposal) return false;
  return work.stage === stage;
}

/** Whether this node refuses a block that it holds as an entry, or found final itself. */
export function isOwnRefused(state: RaftState): boolean {
  const { decision, entry } = state;
  const isOwn = decision?.from === undefined || entry?.proposal === decision.proposal;
  return isOwn && isDecided(state, "refused");
}

/** This node must not go on. Source: raft 8 */
export function stopGroup(state: RaftState): void {
  const { height, decision } = state;
  if (!decision) return;
  const { proposal } = decision;
  const reason = "executionRefused";
  state.effects.push({ type: "stopGroup", reason, height: height + 1, proposal });
  if (state.lastDeadline !== undefined) state.effects.push({ type: "deadline", at: undefined });
  state.lastDeadline = undefined;
}

/** Whether a block of a peer is refused. */
export function isRefused(state: RaftState): boolean {
  return isDecided(state, "refused");
}

/** A block that is refused is not taken, nor is its sender asked again. */
export function distrustRefused(state: RaftState): void {
  distrust(state, "refused");
}

/** Whether a block of a peer does not execute to its header. */
export function isExecutedOtherwise(state: RaftState): boolean {
  const { decision, work } = state;
  if (!isDecided(state, "executed") || decision?.from === undefined) return false;
  return decision.executed !== work?.executed;
}

/** A block that does not execute to its header is not taken, nor is its sender asked again. */
export function distrustExecuted(state: RaftState): void {
  distrust(state, "executionDiffers");
}

function distrust(state: RaftState, reason: "refused" | "executionDiffers"): void {
  const from = state.decision?.from;
  state.decision = undefined;
  if (from === undefined) return;
  state.peers.delete(from);
  ignore(state, from, "block", reason);
}

/** Whether a final block has been executed. */
export function canWrite(state: RaftState): boolean {
  return isDecided(state, "executed");
}

/** It is written. */
export function write(state: RaftState): void {
  const { decision, work, height } = state;
  if (!decision || work?.executed === undefined) return;
  decision.writing = true;
  const { proposal } = decision;
  state.effects.push({ type: "write", height: height + 1, proposal, executed: work.executed });
}

/** Whether a block is above the head. */
export function isNewBlock({ height }: RaftState, written: Written): boolean {
  return written.height > height;
}

/** A block is on disk: the next height begins. */
export function advanceHead(state: RaftState, written: Written): void {
  const { height, hash, config } = written;
  const proposal = state.decision?.proposal;
  report(state, { event: "committed", height, hash, proposal, term: state.term });
  dropWork(state);
  state.height = height;
  state.head = hash;
  state.decision = undefined;
  state.incoming = undefined;
  if (state.fresh) report(state, { event: "proposalDropped", proposal: state.fresh.hash });
  state.fresh = undefined;
  state.proposeAsked = false;
  state.proposeFrom = state.now;
  state.stored.clear();
  state.heartbeatAt = state.now;
  if (state.entry && state.entry.height <= height) state.entry = undefined;
  if (configure(state, config)) state.standBackFor = "sealersChanged";
  for (const id of state.peers.keys()) if (!state.indexes.has(id)) state.peers.delete(id);
  state.catchUpAttempts = 0;
  state.catchUpAt = aheadPeer(state) === undefined ? undefined : state.now + CATCH_UP_DELAY_MS;
}

/** What every message says of its sender. */
export function noteSender(state: RaftState, { from, message }: Spoken): void {
  notePeer(state, { from, height: message.height });
}

/** A node that takes no part only notes who is ahead. */
export const ignoreSuspended = ignoring("suspended");

/** Messages are between sealers only. Source: raft 2 */
export function ignoreStray(state: RaftState, { from, message }: Spoken): void {
  ignore(state, from, message.type, from === state.config.self ? "ownMessage" : "notSealer");
}

/** Notes where a sealer stands, by its word or by what sync has learned. */
export function notePeer(state: RaftState, { from, height }: Standing): void {
  if (!state.indexes.has(from) || from === state.config.self) return;
  if (height > (state.peers.get(from) ?? -1)) state.peers.set(from, height);
  if (height > state.height && state.catchUpAt === undefined) {
    state.catchUpAt = state.now + CATCH_UP_DELAY_MS;
  }
}

/** Asks a sealer that is ahead for the next block. */
export function catchUp(state: RaftState): void {
  if (state.catchUpAt === undefined || state.decision || state.now < state.catchUpAt) return;
  const to = aheadPeer(state);
  state.catchUpAttempts++;
  state.catchUpAt = to === undefined ? undefined : state.now + BLOCK_RETRY_MS;
  if (to !== undefined) state.effects.push({ type: "requestBlock", height: state.height + 1, to });
}

/** A block without seals: of a sealer, on the own head, none but what is final. Source: raft 8 */
export function takeBlock(state: RaftState, { from, block }: InputOf<"block">): void {
  if (!state.indexes.has(from)) return ignore(state, from, "block", "notSealer");
  const { number, parentHash, hash } = block.proposal;
  if (number <= state.height) return ignore(state, from, "block", "stale");
  if (number !== state.height + 1 || parentHash !== state.head) {
    return ignore(state, from, "block", "wrongBlock");
  }
  if (state.decision) return ignore(state, from, "block", "decided");
  state.decision = { proposal: hash, executed: block.executed, from, writing: false };
  // The block brought everything that was missing of it.
  const { work } = state;
  if (work?.stage === "fetching" && work.token.proposal === hash) work.stage = "assembled";
}
