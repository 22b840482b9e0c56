/** Proposals: making one as leader, accepting one as replica. Source: pbft 4, 6, 16.3.2, 16.3.3 */
import { type Hash, isSameList } from "../../bytes/ids.ts";
import { isFromFuture } from "../block-time.ts";
import type { Proposal } from "../exchange.ts";
import { EMPTY_INTERVAL_MS } from "../sealing.ts";
import { leaderIndex } from "../quorum.ts";
import type { IgnoreReason } from "./effect.ts";
import { executeOwn, isIncomplete, obligatoryProposal } from "./execution.ts";
import type { Received, InputOf } from "./input.ts";
import { highestLock, isJustified } from "./justification.ts";
import type { Prepare } from "./message.ts";
import { leaderOf, type PbftState } from "./state.ts";
import {
  ignore,
  broadcastDurable,
  broadcastIdle,
  reportEquivocation,
  storeBody,
} from "./step-context.ts";
import { opensView } from "./view-change.ts";

/** Whether a proposal proves that its view is open and may be entered. Source: pbft 16.3.7 */
export function opensItsView(state: PbftState, { message }: Received<Prepare>): boolean {
  return state.rules.forwardJustification && opensView(state, message);
}

/** Whether it does, and is accepted there. Source: pbft 16.3.3, 16.3.7 */
export function opensWithProposal(state: PbftState, input: Received<Prepare>): boolean {
  return opensItsView(state, input) && isProposable(state, input);
}

/** Whether a proposal of this view is accepted. Source: pbft 16.3.3 */
export function isAcceptable(state: PbftState, input: Received<Prepare>): boolean {
  return !reasonToIgnore(state, input.message) && isProposable(state, input);
}

/** Takes the one proposal of this view. Source: pbft 16.3.3 */
export function accept(state: PbftState, { message, proposal }: Received<Prepare>): void {
  noteProposal(state, message, proposal?.txCount);
}

/** Says why a proposal is not accepted. */
export function refuse(state: PbftState, input: Received<Prepare>): void {
  const { message, from } = input;
  const reason = reasonToIgnore(state, message);
  if (reason === "secondProposal") reportEquivocation(state, state.round.prepare, message);
  if (reason) return ignore(state, from, "prepare", reason);
  state.round.refused = true;
  const refusal = reasonToRefuse(state, input);
  if (refusal) ignore(state, from, "prepare", refusal);
}

/** Whether the leader of its view may propose it, whatever was proposed before. */
function isProposable(state: PbftState, input: Received<Prepare>): boolean {
  const { message } = input;
  const { height, config } = state;
  if (message.index !== leaderIndex(height, message.view, config.sealers.length)) return false;
  return reasonToRefuse(state, input) === undefined;
}

/** Why a proposal comes at the wrong time or from the wrong sealer, whatever it is. */
function reasonToIgnore(state: PbftState, message: Prepare): IgnoreReason | undefined {
  const { round } = state;
  if (message.view < state.view) return "stale";
  // A view that this node has given up on may be justified all the same.
  if (message.view > state.view) {
    return message.view < state.toView ? "viewChanging" : "badJustification";
  }
  if (message.index !== leaderOf(state)) return "notLeader";
  if (round.prepare)
    return round.prepare.proposal === message.proposal ? "duplicate" : "secondProposal";
  if (state.toView > state.view) return "viewChanging";
  const isOther = round.proposal !== undefined && round.proposal !== message.proposal;
  return isOther ? "secondProposal" : undefined;
}

/** The checks that need no execution. Source: pbft 6 (execution checks), 16.3.2 */
function reasonToRefuse(state: PbftState, input: Received<Prepare>): IgnoreReason | undefined {
  const { message, proposal } = input;
  if (!proposal) return "missingHeader";
  if (!isJustified(state, message.justification, message.view)) return "badJustification";
  if (proposal.hash !== message.proposal) return "headerHashDiffers";
  if (proposal.number !== state.height + 1) return "wrongNumber";
  if (proposal.parentHash !== state.head) return "wrongParent";
  if (!isSameList(proposal.sealers, state.config.sealers)) return "wrongSealerList";
  const lock = state.rules.justificationCheck ? highestLock(message.justification) : undefined;
  if (lock) return lock.proposal === message.proposal ? undefined : "disobeysJustification";
  if (isAheadOfTime(state, proposal)) return "aheadOfTime";
  // A block that is proposed again keeps the sealer who built it; a fresh one names its proposer.
  const reproposed = !state.rules.justificationCheck;
  return reproposed || proposal.sealer === message.index ? undefined : "wrongSealer";
}

/** Of first proposals only; an empty one is no block. Source: decision 27 */
function isAheadOfTime({ config }: PbftState, { txCount, time }: Proposal): boolean {
  return txCount > 0 && isFromFuture(time, config.time);
}

function noteProposal(state: PbftState, message: Prepare, txCount: number | undefined): void {
  const { round } = state;
  round.prepare = message;
  round.proposal = message.proposal;
  round.txCount = txCount;
  round.empty = txCount === 0;
}

/** Whether a leader may propose what it likes, and has not asked for it. Source: pbft 16.3.2 */
export function canAsk(state: PbftState): boolean {
  if (!leads(state) || state.round.proposeAsked) return false;
  return obligatoryProposal(state) === undefined;
}

/** Asks the sealing side for a proposal. */
export function askForProposal(state: PbftState): void {
  const { height, view } = state;
  state.round.proposeAsked = true;
  const emptyFrom = state.lastConsensusAt + EMPTY_INTERVAL_MS;
  state.effects.push({ type: "propose", height: height + 1, view, emptyFrom });
}

/** Whether the block that the justification demands is at hand. Source: pbft 16.3.2 */
export function canProposeAgain(state: PbftState): boolean {
  const { work } = state;
  if (!work || !leads(state) || state.round.proposeAsked || isIncomplete(work)) return false;
  return work.token.proposal === obligatoryProposal(state);
}

/** Proposes it again. Source: pbft 16.3.2 */
export function proposeAgain(state: PbftState): void {
  const { work } = state;
  if (!work) return;
  state.round.proposeAsked = true;
  noteProposal(state, vote(state, work.token.proposal, work.txCount), work.txCount);
}

/** Whether this node leads its view, and has not proposed in it. */
function leads(state: PbftState): boolean {
  return leaderOf(state) === state.index && state.round.proposal === undefined;
}

/** Why a fresh proposal from the sealing side is stale: it may come too late. */
function reasonToDrop(state: PbftState, input: InputOf<"proposal">): IgnoreReason | undefined {
  const { proposal, view } = input;
  const current = view === state.view && proposal.number === state.height + 1;
  const isAsked = state.phase === "idle" && state.round.proposeAsked && leads(state);
  if (!current || !isAsked) return "stale";
  if (obligatoryProposal(state) !== undefined) return "disobeysJustification";
  if (proposal.parentHash !== state.head) return "wrongParent";
  return isAheadOfTime(state, proposal) ? "aheadOfTime" : undefined;
}

/** Says why it is dropped. Source: pbft 4 (7) */
export function dropProposal(state: PbftState, input: InputOf<"proposal">): void {
  const reason = reasonToDrop(state, input);
  if (reason) ignore(state, state.config.self, "proposal", reason);
}

/** Whether it is the one that was asked for. Source: pbft 4 (7) */
export function isOwnProposal(state: PbftState, input: InputOf<"proposal">): boolean {
  return reasonToDrop(state, input) === undefined;
}

/** Proposes. Source: pbft 4 (7) */
export function propose(state: PbftState, { proposal }: InputOf<"proposal">): void {
  if (proposal.txCount > 0) executeOwn(state, proposal.hash);
  noteProposal(state, vote(state, proposal.hash, proposal.txCount), proposal.txCount);
}

function vote(state: PbftState, proposal: Hash, txCount: number | undefined): Prepare {
  const { height, view, index, signer, justification } = state;
  const content = { type: "prepare", height: height + 1, view, index, proposal } as const;
  const signature = signer.sign(content);
  const message = { ...content, signature, signer: state.config.self, justification };
  state.ownPrepare = message;
  if (txCount === 0) {
    // The view is left in this step.
    broadcastIdle(state, message, view + 1, true);
    return message;
  }
  storeBody(state);
  broadcastDurable(state, message);
  return message;
}
