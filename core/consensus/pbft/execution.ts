/** Brings proposals together and executes them, by token. Source: pbft 9, 14, 16.3.3, 16.3.5 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { ExecutionToken } from "../exchange.ts";
import type { StopReason } from "./effect.ts";
import type { InputOf } from "./input.ts";
import { highestLock } from "./justification.ts";
import type { ExecutedClaim } from "./message.ts";
import { leaderOf, newWork, type PbftState, type Work } from "./state.ts";
import { BODY_RETRY_MS } from "./timer.ts";

/** R of the block this node should be working on, if any. */
function wantedProposal(state: PbftState): Hash | undefined {
  const { decision, round, view, toView } = state;
  if (decision) return decision.proposal;
  if (toView > view) return undefined;
  if (round.empty) return undefined;
  return round.proposal ?? obligatoryProposal(state);
}

/** R that this leader must propose again in this view. Source: pbft 16.3.2 */
export function obligatoryProposal(state: PbftState): Hash | undefined {
  return leaderOf(state) === state.index ? highestLock(state.justification)?.proposal : undefined;
}

/**
 * Whether a proposal is decided, or locked by a vote that this view stands on, so that nothing else
 * can be proposed: it is executed whatever kept this node from voting for it.
 */
export function isBound({ decision, justification }: PbftState, proposal: Hash): boolean {
  return decision?.proposal === proposal || highestLock(justification)?.proposal === proposal;
}

/** Whether another block is to be worked on. */
export function isOtherWanted(state: PbftState): boolean {
  const wanted = wantedProposal(state);
  return wanted !== undefined && state.work?.token.proposal !== wanted;
}

/** Begins to bring a block together. */
export function beginWork(state: PbftState): void {
  const proposal = wantedProposal(state);
  if (proposal === undefined) return;
  dropWork(state);
  state.work = newWork(tokenOf(state, proposal), "assembling");
  state.effects.push({ type: "assemble", height: state.height + 1, proposal });
}

/** Whether the block that is called for is at hand, and accepted. */
export function canExecute(state: PbftState): boolean {
  const { work, round, decision } = state;
  if (work?.stage !== "assembled" && work?.stage !== "refused") return false;
  const { proposal } = work.token;
  if (proposal !== wantedProposal(state)) return false;
  if (round.proposal !== proposal && !decision) return false;
  return work.stage === "assembled" || (!work.wasBound && isBound(state, proposal));
}

/** Work on an own proposal: nothing is missing. */
export function executeOwn(state: PbftState, proposal: Hash): void {
  dropWork(state);
  state.work = newWork(tokenOf(state, proposal), "assembled");
}

function tokenOf({ height, view }: PbftState, proposal: Hash): ExecutionToken {
  return { height: height + 1, view, proposal };
}

/** Executes the block that is at hand. */
export function execute(state: PbftState): void {
  const { work } = state;
  if (!work) return;
  work.stage = "executing";
  work.wasBound = isBound(state, work.token.proposal);
  work.startedAt = state.now;
  if (state.round.proposal === work.token.proposal) state.waitStart = state.now;
  state.effects.push({ type: "execute", token: work.token });
}

/** Whether parts of the block are still missing. */
export function isIncomplete(work: Work): boolean {
  return work.stage === "assembling" || work.stage === "fetching";
}

/** Forgets the work at hand and cancels its execution. */
export function dropWork(state: PbftState): void {
  if (state.work?.stage === "executing") state.effects.push({ type: "cancelExecution" });
  state.work = undefined;
}

/** The shell says whether all of a proposal is at hand. Source: pbft 9 */
export function noteAssembled(state: PbftState, input: InputOf<"assembled">): void {
  const { work, round } = state;
  if (work?.token.proposal !== input.proposal) return;
  if (!isIncomplete(work)) return;
  if (input.complete) {
    work.stage = "assembled";
    work.txCount = input.txCount;
    if (round.proposal === input.proposal) round.txCount = input.txCount;
  } else if (work.stage === "assembling") {
    work.stage = "fetching";
    requestBody(state, work);
  }
}

/** Asks the next holder once the last one has had its time. Source: pbft 9 (ask a second peer) */
export function retryBody(state: PbftState): void {
  const { work } = state;
  if (work?.stage === "fetching" && state.now >= work.retryAt) requestBody(state, work);
}

function requestBody(state: PbftState, work: Work): void {
  work.retryAt = state.now + BODY_RETRY_MS;
  const holders = holdersOf(state, work.token.proposal);
  const to = holders[work.attempts % holders.length];
  work.attempts++;
  if (to === undefined) return;
  const { proposal, height } = work.token;
  state.effects.push({ type: "requestBody", height, proposal, to });
}

/** Who may have a block: those who vouched for it first, then all sealers. Source: pbft 16.3.3 */
function holdersOf(state: PbftState, proposal: Hash): readonly NodeId[] {
  const holders = new Set<NodeId>();
  const { decision, round } = state;
  if (round.prepare?.proposal === proposal) holders.add(round.prepare.signer);
  if (decision?.proposal === proposal) for (const id of decision.holders) holders.add(id);
  const lock = highestLock(state.justification);
  if (lock?.proposal === proposal) for (const entry of lock.certificate) holders.add(entry.signer);
  for (const id of state.config.sealers) holders.add(id);
  holders.delete(state.config.self);
  return [...holders];
}

/** The result of an execution; one with an older token changes nothing. Source: pbft 14 */
export function noteExecuted(state: PbftState, input: InputOf<"executed">): void {
  const { work, round } = state;
  if (work?.stage !== "executing") return;
  const { height, view, proposal } = work.token;
  const { token } = input;
  if (token.height !== height || token.view !== view || token.proposal !== proposal) return;
  work.executed = input.executed;
  work.executionMs = state.now - work.startedAt;
  work.stage = input.executed === undefined ? "refused" : "executed";
  if (round.proposal === proposal && state.toView === state.view) state.waitStart = state.now;
}

/**
 * Whether this node found another result of the same block. Where the claim is certified, execution
 * on this node is wrong: it must not vote again. Source: pbft 16.3.4
 */
export function foundOther({ work }: PbftState, { proposal, executed }: ExecutedClaim): boolean {
  return (
    work?.stage === "executed" && work.token.proposal === proposal && work.executed !== executed
  );
}

/** Ends the part of this node in the group. Source: pbft 16.3.4 */
export function stopGroup(
  state: PbftState,
  reason: StopReason,
  { proposal, executed }: ExecutedClaim,
): void {
  const own = state.work?.executed;
  const height = state.height + 1;
  state.effects.push({ type: "stopGroup", reason, height, proposal, own, certified: executed });
}
