/** Leaving a view and entering the next. Source: pbft 16.3.6, 16.3.7 */
import type { LeaveCause } from "./effect.ts";
import { checkCertified, dropWork } from "./execution.ts";
import type { Heard } from "./input.ts";
import { buildJustification, highestLock, isJustified, isLockCertified } from "./justification.ts";
import type { LockClaim, ViewCertificate, ViewChange } from "./message.ts";
import { maySupport, supportFor } from "./promise.ts";
import { answerStale } from "./resend.ts";
import {
  emptyRound,
  isSealer,
  VIEW_WINDOW,
  voterKey,
  type PbftState,
  viewChangeFor,
} from "./state.ts";
import { isExecuting } from "./timer.ts";
import { broadcast, ignore, report, sayIdle, type Turn } from "./turn.ts";

/** A vote for a view at this height. Source: pbft 16.1, 16.3.7 */
export function onViewChange(
  state: PbftState,
  turn: Turn,
  { message, from }: Heard<ViewChange>,
): void {
  if (message.head !== state.head) return ignore(turn, from, "viewChange", "otherHead");
  if (message.view <= state.view) {
    // Whoever sends it is behind; its signer may be long past it.
    answerStale(state, turn, from);
    return ignore(turn, from, "viewChange", "stale");
  }
  if (message.view > state.view + VIEW_WINDOW) {
    return ignore(turn, from, "viewChange", "tooFarAhead");
  }
  if (message.lock && !isLockCertified(state, message.lock, message.view)) {
    return ignore(turn, from, "viewChange", "badLock");
  }
  const first = votesFor(state, message.view).get(voterKey(state, message));
  if (first) {
    if (!sameLock(first.lock, message.lock)) {
      const { index } = message;
      report(turn, { event: "equivocation", index, first, second: message });
    }
    return ignore(turn, from, "viewChange", "duplicate");
  }
  if (message.lock) checkCertified(state, turn, message.lock);
  count(state, message);
  support(state, turn, message.view);
}

/** Votes for a lower view with others, once: see promise.ts. */
function support(state: PbftState, turn: Turn, view: number): void {
  if (!maySupport(state, view)) return;
  const own = supportFor(state, view);
  if (votesFor(state, view).has(voterKey(state, own))) return;
  count(state, own);
  broadcast(turn, own, "sealers");
}

/** Whether two view changes of one sealer for one view claim the same. */
export function sameLock(left: LockClaim | undefined, right: LockClaim | undefined): boolean {
  if (!left || !right) return left === right;
  return (
    left.view === right.view && left.proposal === right.proposal && left.executed === right.executed
  );
}

function votesFor(state: PbftState, view: number): Map<number | string, ViewChange> {
  let votes = state.viewChanges.get(view);
  if (!votes) {
    votes = new Map();
    state.viewChanges.set(view, votes);
  }
  return votes;
}

function count(state: PbftState, message: ViewChange): void {
  votesFor(state, message.view).set(voterKey(state, message), message);
  state.viewChangesChanged = true;
}

/** A forwarded justification: valid whoever sent it. Source: pbft 16.3.7 */
export function onViewCertificate(
  state: PbftState,
  turn: Turn,
  { message, from }: Heard<ViewCertificate>,
): void {
  const { view, justification } = message;
  if (state.decision) return ignore(turn, from, "viewCertificate", "decided");
  if (message.height !== state.height || view <= state.view || view < state.toView) {
    return ignore(turn, from, "viewCertificate", "stale");
  }
  if (!isJustified(state, justification, view)) {
    return ignore(turn, from, "viewCertificate", "badJustification");
  }
  enterView(state, turn, view, justification);
}

/**
 * The wait for this view is over. While between views the vote is only repeated: no lone climbing.
 * Source: pbft 16.3.6
 */
export function onViewTimeout(state: PbftState, turn: Turn): void {
  if (state.toView > state.view && state.rules.noLoneClimbing) {
    state.waitStart = turn.now;
    if (state.ownViewChange) broadcast(turn, state.ownViewChange, "sealers");
    return;
  }
  leaveView(state, turn, state.toView + 1, "timeout");
}

/**
 * Leaves after an empty proposal, joins others, enters what a quorum wants.
 * Source: pbft 16.3.6, 16.3.7
 */
export function advanceView(state: PbftState, turn: Turn): boolean {
  if (state.decision || !isSealer(state)) return false;
  if (state.round.empty && state.toView === state.view) {
    leaveView(state, turn, state.view + 1, "empty");
    return true;
  }
  if (!state.viewChangesChanged) return false;
  state.viewChangesChanged = false;
  const joined = viewToJoin(state);
  if (joined !== undefined) {
    leaveView(state, turn, joined, "joined");
    return true;
  }
  for (const [view, votes] of state.viewChanges) {
    if (view < state.toView || votes.size < state.quorum) continue;
    enterView(state, turn, view, buildJustification(votes.values(), state.quorum));
    return true;
  }
  return false;
}

/**
 * The (f+1)-th highest of the views above w that distinct other sealers want. Source: pbft 16.3.6
 */
function viewToJoin(state: PbftState): number | undefined {
  const wanted = new Map<number, number>();
  for (const [view, votes] of state.viewChanges) {
    if (view <= state.toView) continue;
    for (const { index } of votes.values()) {
      if (index !== state.index) wanted.set(index, Math.max(view, wanted.get(index) ?? 0));
    }
  }
  if (wanted.size <= state.maxFaulty) return undefined;
  return [...wanted.values()].sort((left, right) => right - left)[state.maxFaulty];
}

/** Gives up on the view: from now on silent in every view below `toView`. Source: pbft 16.3.6 */
function leaveView(state: PbftState, turn: Turn, toView: number, cause: LeaveCause): void {
  reportLeaving(state, turn, toView, cause);
  if (cause === "empty") state.failedViews = 0;
  else if (state.toView === state.view) state.failedViews++;
  state.toView = toView;
  state.waitStart = turn.now;
  const message = viewChangeFor(state, toView);
  state.ownViewChange = message;
  count(state, message);
  sayIdle(state, turn, { message, toView, isEmpty: cause === "empty" });
}

function reportLeaving(state: PbftState, turn: Turn, toView: number, cause: LeaveCause): void {
  const { height, view, round, work } = state;
  if (state.toView === view && isExecuting(state) && round.proposal !== undefined) {
    const { proposal } = round;
    report(turn, { event: "executionOutlived", proposal, view });
  }
  const executed = work?.stage === "executed" && work.token.proposal === round.proposal;
  const { txCount } = round;
  report(turn, { event: "viewLeft", height: height + 1, view, toView, cause, txCount, executed });
}

/**
 * Stands in a view that Q sealers wanted, from now on bound by its justification.
 * Source: pbft 16.3.7
 */
export function enterView(
  state: PbftState,
  turn: Turn,
  view: number,
  justification: readonly ViewChange[],
): void {
  state.view = view;
  state.toView = view;
  state.justification = justification;
  state.round = emptyRound();
  state.signs = new Map();
  for (const wanted of [...state.viewChanges.keys()]) {
    if (wanted <= view) state.viewChanges.delete(wanted);
  }
  for (const voted of [...state.commits.keys()]) {
    if (voted < view - VIEW_WINDOW) state.commits.delete(voted);
  }
  state.ownViewChange = undefined;
  state.viewChangesChanged = true;
  state.futureDue = true;
  state.waitStart = turn.now;
  state.lastConsensusAt = turn.now;
  const lock = highestLock(justification);
  if (lock) checkCertified(state, turn, lock);
  if (state.work && state.work.token.proposal !== lock?.proposal) dropWork(state, turn);
  report(turn, { event: "viewChanged", height: state.height + 1, view });
}
