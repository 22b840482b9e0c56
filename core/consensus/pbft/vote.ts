/** The two votes: sign after execution, commit after the lock. Source: pbft 16.3.3-5 */
import type { IgnoreReason } from "./effect.ts";
import { foundOther, stopGroup } from "./execution.ts";
import type { Received } from "./input.ts";
import { highestLock } from "./justification.ts";
import type { Commit, ExecutedClaim, Sign } from "./message.ts";
import { signedBy, VIEW_WINDOW, voterKey, votesOf, type PbftState } from "./state.ts";
import {
  ignore,
  isOtherMessage,
  reportEquivocation,
  broadcastDurable,
  storeBody,
} from "./step-context.ts";

/**
 * Whether a sign vote completes Q for another result of the block that this node executed: its
 * execution is wrong. Source: pbft 16.3.4
 */
export function provesOtherResult(state: PbftState, { message }: Received<Sign>): boolean {
  if (!foundOther(state, message) || state.signs.has(voterKey(state, message))) return false;
  return agreeing(state.signs.values(), message).length + 1 >= state.quorum;
}

/** This node must not go on. Source: pbft 16.3.4 */
export function stopOverSign(state: PbftState, { message }: Received<Sign>): void {
  stopGroup(state, "executionDiffers", message);
}

/** A sign vote of the current view: the first of each sealer counts. Source: pbft 3, 16.3.4 */
export function countSign(state: PbftState, input: Received<Sign>): void {
  const { message } = input;
  const key = voterKey(state, message);
  const first = state.signs.get(key);
  if (first) return onSecondVote(state, first, input);
  state.signs.set(key, message);
}

/** Why a commit vote does not count, no matter who voted before. */
function reasonToIgnore(state: PbftState, message: Commit): IgnoreReason | undefined {
  if (!signedBy(state, message.index, message.sealSigner)) return "otherSigner";
  if (message.view > state.view + VIEW_WINDOW) return "tooFarAhead";
  return message.view < state.view - VIEW_WINDOW ? "stale" : undefined;
}

/** Whether a commit vote is the one that makes its block final. Source: pbft 16.3.5 */
export function makesFinal(state: PbftState, { message }: Received<Commit>): boolean {
  if (reasonToIgnore(state, message)) return false;
  if (state.commits.get(message.view)?.has(voterKey(state, message))) return false;
  return agreedCommits(state, message).length + 1 >= state.quorum;
}

/** A commit vote of any view near this one, even between views. Source: pbft 16.3.5 */
export function countCommit(state: PbftState, input: Received<Commit>): void {
  const { message, from } = input;
  const reason = reasonToIgnore(state, message);
  if (reason) return ignore(state, from, "commit", reason);
  const first = state.commits.get(message.view)?.get(voterKey(state, message));
  if (first) return onSecondVote(state, first, input);
  count(state, message);
}

function onSecondVote(
  state: PbftState,
  first: Sign | Commit,
  { message, from }: Received<Sign | Commit>,
): void {
  reportEquivocation(state, first, message);
  ignore(state, from, message.type, isOtherMessage(first, message) ? "secondVote" : "duplicate");
}

/** Votes that agree with a claim. */
function agreeing<Vote extends Sign | Commit>(votes: Iterable<Vote>, claim: ExecutedClaim): Vote[] {
  const found: Vote[] = [];
  for (const vote of votes) {
    if (vote.proposal === claim.proposal && vote.executed === claim.executed) found.push(vote);
  }
  return found;
}

function count(state: PbftState, message: Commit): void {
  votesOf(state.commits, message.view).set(voterKey(state, message), message);
}

/** The commit votes of its view that agree with one. */
function agreedCommits({ commits }: PbftState, claim: Commit): Commit[] {
  return agreeing(commits.get(claim.view)?.values() ?? [], claim);
}

/** The block of a commit vote is final, with the seals of all that agree. Source: pbft 16.3.5 */
export function decide(state: PbftState, { message }: Pick<Received<Commit>, "message">) {
  const { view, proposal, executed } = message;
  const agreed = agreedCommits(state, message);
  const seals = agreed.map(({ index, seal }) => ({ index, signature: seal }));
  seals.sort((left, right) => left.index - right.index);
  const holders = agreed.map((vote) => vote.signer);
  state.decision = { view, proposal, executed, seals, holders, writing: false };
}

/** Whether the own commit vote was the last one of Q: of a sealer alone it is. */
export function isFinal(state: PbftState): boolean {
  const { ownCommit, quorum } = state;
  return ownCommit !== undefined && agreedCommits(state, ownCommit).length >= quorum;
}

/** Then its block is final. Source: pbft 16.3.5 */
export function decideLast(state: PbftState): void {
  if (state.ownCommit) decide(state, { message: state.ownCommit });
}

/** What executing the proposal of this view gave here. */
function ownResult({ work, round }: PbftState): ExecutedClaim | undefined {
  const { proposal } = round;
  if (work?.stage !== "executed" || work.token.proposal !== proposal) return undefined;
  const { executed } = work;
  return proposal === undefined || executed === undefined ? undefined : { proposal, executed };
}

/** Whether the proposal of this view is executed and not signed yet. Source: pbft 16.3.3 */
export function canSign(state: PbftState): boolean {
  return state.ownSign?.view !== state.view && ownResult(state) !== undefined;
}

/** What Q sealers signed, where it is not what this node found. */
function certifiedOther(state: PbftState): ExecutedClaim | undefined {
  const certified = highestLock(state.justification);
  const isOther = certified && foundOther(state, certified);
  const isProven = (vote: Sign) =>
    foundOther(state, vote) && agreeing(state.signs.values(), vote).length >= state.quorum;
  return [...state.signs.values()].find(isProven) ?? (isOther ? certified : undefined);
}

/** Whether another result was certified before this node had its own. Source: pbft 16.3.4 */
export function isCertifiedOtherwise(state: PbftState): boolean {
  return state.ownSign?.view !== state.view && certifiedOther(state) !== undefined;
}

/** This node must not vote. Source: pbft 16.3.4 */
export function stopOverCertificate(state: PbftState): void {
  const claim = certifiedOther(state);
  if (claim) stopGroup(state, "executionDiffers", claim);
}

/** Votes for what was executed. Source: pbft 16.3.3 */
export function sign(state: PbftState): void {
  const result = ownResult(state);
  if (!result) return;
  const { height, view, index } = state;
  const content = { type: "sign", height: height + 1, view, index, ...result } as const;
  const message = { ...content, signature: state.signer.sign(content), signer: state.config.self };
  state.ownSign = message;
  state.signs.set(voterKey(state, message), message);
  storeBody(state);
  broadcastDurable(state, message);
}

/** After a restart the block is executed again: it must give what this node signed. */
export function contradictsItself(state: PbftState): boolean {
  const { ownSign } = state;
  return ownSign?.view === state.view && foundOther(state, ownSign);
}

/** This node must not vote again. Source: pbft 16.3.4 */
export function stopOverOwnSign(state: PbftState): void {
  if (state.ownSign) stopGroup(state, "ownSignDiffers", state.ownSign);
}

/** Sign votes of this view for what this node signed too. */
function certificateOf(state: PbftState): readonly Sign[] {
  const result = ownResult(state);
  return result ? agreeing(state.signs.values(), result) : [];
}

/** Whether Q sealers signed what this node found. Source: pbft 16.3.4 */
export function canLock(state: PbftState): boolean {
  if (state.ownSign?.view !== state.view || state.lock?.view === state.view) return false;
  return certificateOf(state).length >= state.quorum;
}

/** Locks on Q sign votes, then votes commit: first on disk, then sent. Source: pbft 16.3.4 */
export function lock(state: PbftState): void {
  const votes = certificateOf(state);
  const [first] = votes;
  if (!first) return;
  const { proposal, executed } = first;
  const { height, view, index, signer } = state;
  const { self } = state.config;
  const certificate = votes.map((vote) => ({
    index: vote.index,
    signature: vote.signature,
    signer: vote.signer,
  }));
  state.lock = { view, proposal, executed, certificate };
  state.waitStart = state.now;
  const seal = signer.sign({ type: "seal", executed });
  const place = { type: "commit", height: height + 1, view, index } as const;
  const content = { ...place, proposal, executed, seal };
  const message = { ...content, signature: signer.sign(content), signer: self, sealSigner: self };
  state.ownCommit = message;
  count(state, message);
  storeBody(state);
  broadcastDurable(state, message);
}
