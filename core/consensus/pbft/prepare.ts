/** Proposals: making one as leader, accepting one as replica. Source: pbft 4, 6, 16.3.2, 16.3.3 */
import { type Hash, isSameList } from "../../bytes/ids.ts";
import { isFromFuture } from "../block-time.ts";
import type { Proposal } from "../exchange.ts";
import { EMPTY_INTERVAL_MS } from "../sealing.ts";
import type { IgnoreReason } from "./effect.ts";
import { executeOwn, isIncomplete, obligatoryProposal } from "./execution.ts";
import type { Heard, Input } from "./input.ts";
import { highestLock, isJustified } from "./justification.ts";
import type { Prepare } from "./message.ts";
import { isSealer, leaderOf, type PbftState } from "./state.ts";
import { ignore, report, say, sayIdle, storeBody, type Turn } from "./turn.ts";
import { enterView } from "./view-change.ts";

/** A leader's proposal for the height being decided. Source: pbft 16.3.3 */
export function onPrepare(
  state: PbftState,
  turn: Turn,
  input: Heard<Prepare> & { readonly proposal: Proposal | undefined },
): void {
  const { message, proposal, from } = input;
  if (adoptsView(state, message)) enterView(state, turn, message.view, message.justification);
  const reason = reasonToIgnore(state, message);
  if (reason === "secondProposal") reportEquivocation(state, turn, message);
  if (reason) return ignore(turn, from, "prepare", reason);
  const refusal = reasonToRefuse(state, message, proposal);
  if (refusal) {
    state.round.refused = true;
    return ignore(turn, from, "prepare", refusal);
  }
  accept(state, message, proposal?.txCount);
}

/**
 * Whether the proposal proves that its view is open and this node may enter it. Source: pbft 16.3.7
 */
function adoptsView(state: PbftState, { view, justification }: Prepare): boolean {
  if (view <= state.view || view < state.toView || state.decision) return false;
  return state.rules.forwardJustification && isJustified(state, justification, view);
}

function reportEquivocation(state: PbftState, turn: Turn, second: Prepare): void {
  const first = state.round.prepare;
  if (!first) return;
  const { index } = second;
  report(turn, { event: "equivocation", index, first, second });
}

/** Why a proposal comes at the wrong time or from the wrong sealer, whatever it is. */
function reasonToIgnore(state: PbftState, message: Prepare): IgnoreReason | undefined {
  const { round } = state;
  if (state.decision) return "decided";
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
function reasonToRefuse(
  state: PbftState,
  message: Prepare,
  proposal: Proposal | undefined,
): IgnoreReason | undefined {
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

function accept(state: PbftState, message: Prepare, txCount: number | undefined): void {
  const { round } = state;
  round.prepare = message;
  round.proposal = message.proposal;
  round.txCount = txCount;
  round.empty = txCount === 0;
}

/**
 * The leader's part: asks for a proposal, or proposes again what the justification demands.
 * Source: pbft 16.3.2
 */
export function advanceProposal(state: PbftState, turn: Turn): boolean {
  const { round } = state;
  if (!mayPropose(state) || round.proposeAsked) return false;
  const obligatory = obligatoryProposal(state);
  if (obligatory === undefined) {
    round.proposeAsked = true;
    const emptyFrom = state.lastConsensusAt + EMPTY_INTERVAL_MS;
    const { view } = state;
    turn.effects.push({ type: "propose", height: state.height + 1, view, emptyFrom });
    return true;
  }
  const { work } = state;
  if (work?.token.proposal !== obligatory || isIncomplete(work)) return false;
  round.proposeAsked = true;
  accept(state, speak(state, turn, obligatory, work.txCount), work.txCount);
  return true;
}

function mayPropose(state: PbftState): boolean {
  const { round, decision } = state;
  return (
    isSealer(state) &&
    !decision &&
    round.proposal === undefined &&
    state.toView === state.view &&
    leaderOf(state) === state.index
  );
}

/**
 * A fresh proposal from the sealing side; one that comes too late is dropped. Source: pbft 4 (7)
 */
export function onProposal(
  state: PbftState,
  turn: Turn,
  input: Extract<Input, { type: "proposal" }>,
): void {
  const { proposal, view } = input;
  const { self } = state.config;
  const current = view === state.view && proposal.number === state.height + 1;
  if (!current || !mayPropose(state) || !state.round.proposeAsked) {
    return ignore(turn, self, "proposal", "stale");
  }
  if (obligatoryProposal(state) !== undefined) {
    return ignore(turn, self, "proposal", "disobeysJustification");
  }
  if (proposal.parentHash !== state.head) return ignore(turn, self, "proposal", "wrongParent");
  if (isAheadOfTime(state, proposal)) return ignore(turn, self, "proposal", "aheadOfTime");
  if (proposal.txCount > 0) executeOwn(state, turn, proposal.hash);
  accept(state, speak(state, turn, proposal.hash, proposal.txCount), proposal.txCount);
}

function speak(state: PbftState, turn: Turn, proposal: Hash, txCount: number | undefined): Prepare {
  const { height, view, index, signer, justification } = state;
  const content = { type: "prepare", height: height + 1, view, index, proposal } as const;
  const signature = signer.sign(content);
  const message = { ...content, signature, signer: state.config.self, justification };
  state.ownPrepare = message;
  if (txCount === 0) {
    // The view is left in this turn, see advanceView.
    sayIdle(state, turn, { message, toView: view + 1, isEmpty: true });
    return message;
  }
  storeBody(state, turn);
  say(turn, message);
  return message;
}
