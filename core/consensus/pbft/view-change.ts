/** Leaving a view and entering the next. Source: pbft 16.3.6, 16.3.7 */
import type { IgnoreReason, LeaveCause } from "./effect.ts";
import { dropWork, foundOther, stopGroup } from "./execution.ts";
import type { Received } from "./input.ts";
import { buildJustification, highestLock, isJustified, isLockCertified } from "./justification.ts";
import type { Prepare, ViewCertificate, ViewChange } from "./message.ts";
import { maySupport, supportFor } from "./view-reservation.ts";
import { answerStale } from "./resend.ts";
import {
  emptyRound,
  VIEW_WINDOW,
  voterKey,
  votesOf,
  type PbftState,
  viewChangeFor,
} from "./state.ts";
import { isExecuting, viewDeadline } from "./timer.ts";
import { broadcast, ignore, report, broadcastIdle, reportEquivocation } from "./step-context.ts";

/** Why a vote for a view does not count. Source: pbft 16.1, 16.3.7 */
function reasonToIgnore(state: PbftState, message: ViewChange): IgnoreReason | undefined {
  if (message.head !== state.head) return "otherHead";
  if (message.view <= state.view) return "stale";
  if (message.view > state.view + VIEW_WINDOW) return "tooFarAhead";
  if (message.lock && !isLockCertified(state, message.lock, message.view)) return "badLock";
  return voteLike(state, message) && "duplicate";
}

/** Whether it proves another result of the block that this node executed. Source: pbft 16.3.4 */
export function holdsOtherLock(state: PbftState, { message }: Received<ViewChange>): boolean {
  if (!message.lock || !foundOther(state, message.lock)) return false;
  return reasonToIgnore(state, message) === undefined;
}

/** This node must not go on. Source: pbft 16.3.4 */
export function stopOverLock(state: PbftState, { message }: Received<ViewChange>): void {
  if (message.lock) stopGroup(state, "executionDiffers", message.lock);
}

/** A vote for a view at this height. Source: pbft 16.1, 16.3.7 */
export function countViewChange(state: PbftState, { message, from }: Received<ViewChange>): void {
  const reason = reasonToIgnore(state, message);
  // A node that sends it is behind; its signer may be long past it.
  if (reason === "stale") answerStale(state, { from });
  if (reason === "duplicate") reportEquivocation(state, voteLike(state, message), message);
  if (reason) return ignore(state, from, "viewChange", reason);
  count(state, message);
  support(state, message.view);
}

/** The vote of the same sealer for the same view. */
function voteLike(state: PbftState, message: ViewChange): ViewChange | undefined {
  return votesOf(state.viewChanges, message.view).get(voterKey(state, message));
}

/** Votes for a lower view with others, once: see view-reservation.ts. */
function support(state: PbftState, view: number): void {
  if (!maySupport(state, view)) return;
  const own = supportFor(state, view);
  if (voteLike(state, own)) return;
  count(state, own);
  broadcast(state, own, "sealers");
}

function count(state: PbftState, message: ViewChange): void {
  votesOf(state.viewChanges, message.view).set(voterKey(state, message), message);
}

/** Whether view changes of Q sealers open a view to be entered. Source: pbft 16.3.7 */
export function opensView(state: PbftState, message: Prepare | ViewCertificate): boolean {
  const { view, justification } = message;
  if (view <= state.view || view < state.toView) return false;
  return isJustified(state, justification, view);
}

/** A forwarded justification: valid from any sender. Source: pbft 16.3.7 */
export function certifiesView(state: PbftState, { message }: Received<ViewCertificate>): boolean {
  return message.height === state.height && opensView(state, message);
}

/** Why it opens no view. */
export function ignoreCertificate(
  state: PbftState,
  { message, from }: Received<ViewCertificate>,
): void {
  const { height, view } = message;
  const isOver = height !== state.height || view <= state.view || view < state.toView;
  ignore(state, from, "viewCertificate", isOver ? "stale" : "badJustification");
}

/** Enters the view that a message proves to be open. Source: pbft 16.3.7 */
export function enterProven(
  state: PbftState,
  { message }: Received<Prepare | ViewCertificate>,
): void {
  enterView(state, message.view, message.justification);
}

/** Whether the wait for this view is over. Source: pbft 16.3.6 */
export function isTimedOut(state: PbftState): boolean {
  return state.now >= viewDeadline(state);
}

/** Leaves a view in which nothing came of it in time. Source: pbft 16.3.6 */
export function leaveInVain(state: PbftState): void {
  leaveView(state, state.toView + 1, "timeout");
}

/** While between views the vote is only repeated: no lone climbing. Source: pbft 16.3.6 */
export function repeatViewChange(state: PbftState): void {
  state.waitStart = state.now;
  if (state.ownViewChange) broadcast(state, state.ownViewChange, "sealers");
}

/** Whether the proposal of this view is empty: it is to be left. Source: pbft 16.3.6 */
export function isRoundEmpty({ round }: PbftState): boolean {
  return round.empty;
}

/** Leaves it at once. Source: pbft 16.3.6 */
export function leaveEmpty(state: PbftState): void {
  leaveView(state, state.view + 1, "empty");
}

/** Whether more than f others want a later view. Source: pbft 16.3.6 */
export function mustJoin(state: PbftState): boolean {
  return viewToJoin(state) !== undefined;
}

/** Wants it too. Source: pbft 16.3.6 */
export function join(state: PbftState): void {
  const view = viewToJoin(state);
  if (view !== undefined) leaveView(state, view, "joined");
}

/** The view that Q sealers want, with their votes. Source: pbft 16.3.7 */
function openView({ viewChanges, toView, quorum }: PbftState) {
  for (const entry of viewChanges) if (entry[0] >= toView && entry[1].size >= quorum) return entry;
  return undefined;
}

/** Whether Q sealers want a view. Source: pbft 16.3.7 */
export function hasViewQuorum(state: PbftState): boolean {
  return openView(state) !== undefined;
}

/** Enters what Q sealers want. Source: pbft 16.3.7 */
export function enterWanted(state: PbftState): void {
  const open = openView(state);
  if (!open) return;
  const [view, votes] = open;
  enterView(state, view, buildJustification(votes.values(), state.quorum));
}

/** The (f+1)-th highest view above w that other sealers want. Source: pbft 16.3.6 */
function viewToJoin(state: PbftState): number | undefined {
  if (state.viewChanges.size === 0) return undefined;
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
function leaveView(state: PbftState, toView: number, cause: LeaveCause): void {
  reportLeaving(state, toView, cause);
  if (cause === "empty") state.failedViews = 0;
  else if (state.toView === state.view) state.failedViews++;
  state.toView = toView;
  state.waitStart = state.now;
  const message = viewChangeFor(state, toView);
  state.ownViewChange = message;
  count(state, message);
  broadcastIdle(state, message, toView, cause === "empty");
}

function reportLeaving(state: PbftState, toView: number, cause: LeaveCause): void {
  const { height, view, round, work } = state;
  if (state.toView === view && isExecuting(state) && round.proposal !== undefined) {
    const { proposal } = round;
    report(state, { event: "executionOutlived", proposal, view });
  }
  const executed = work?.stage === "executed" && work.token.proposal === round.proposal;
  const { txCount } = round;
  report(state, { event: "viewLeft", height: height + 1, view, toView, cause, txCount, executed });
}

/** Enters a view that Q sealers wanted, bound by its justification. Source: pbft 16.3.7 */
function enterView(state: PbftState, view: number, justification: readonly ViewChange[]): void {
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
  state.futureDue = true;
  state.waitStart = state.now;
  state.lastConsensusAt = state.now;
  const { work } = state;
  if (work && work.token.proposal !== highestLock(justification)?.proposal) dropWork(state);
  report(state, { event: "viewChanged", height: state.height + 1, view });
}
