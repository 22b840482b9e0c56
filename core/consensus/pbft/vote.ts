/** The two votes: sign after execution, commit after the lock. Source: pbft 16.3.3-5 */
import type { Hash } from "../../bytes/ids.ts";
import { checkCertified, stopGroup } from "./execution.ts";
import type { Heard } from "./input.ts";
import { highestLock } from "./justification.ts";
import type { Commit, Sign } from "./message.ts";
import { isSealer, signedBy, VIEW_WINDOW, voterKey, type PbftState } from "./state.ts";
import { ignore, report, say, storeBody, type Turn } from "./turn.ts";

/** A sign vote of the current view: the first of each sealer counts. Source: pbft 3, 16.3.4 */
export function onSign(state: PbftState, turn: Turn, { message, from }: Heard<Sign>): void {
  if (state.decision) return ignore(turn, from, "sign", "decided");
  if (message.view !== state.view) return ignore(turn, from, "sign", "stale");
  const key = voterKey(state, message);
  const first = state.signs.get(key);
  if (first) return onSecondVote(turn, { message, from, first });
  state.signs.set(key, message);
  checkOtherResult(state, turn, message);
}

/**
 * A commit vote of any view near the current one, even while this node is between views.
 * Source: pbft 16.3.5
 */
export function onCommit(state: PbftState, turn: Turn, { message, from }: Heard<Commit>): void {
  if (state.decision) return ignore(turn, from, "commit", "decided");
  if (!signedBy(state, message.index, message.sealSigner)) {
    return ignore(turn, from, "commit", "otherSigner");
  }
  if (message.view > state.view + VIEW_WINDOW) return ignore(turn, from, "commit", "tooFarAhead");
  if (message.view < state.view - VIEW_WINDOW) return ignore(turn, from, "commit", "stale");
  const first = state.commits.get(message.view)?.get(voterKey(state, message));
  if (first) return onSecondVote(turn, { message, from, first });
  countCommit(state, message);
}

function onSecondVote<Vote extends Sign | Commit>(
  turn: Turn,
  second: { readonly message: Vote; readonly from: Vote["signer"]; readonly first: Vote },
): void {
  const { message, from, first } = second;
  const same = saysTheSame(first, message);
  if (!same) {
    const { index } = message;
    report(turn, { event: "equivocation", index, first, second: message });
  }
  ignore(turn, from, message.type, same ? "duplicate" : "secondVote");
}

/** Whether two votes of one kind and round are for one result. */
export function saysTheSame(first: Sign | Commit, second: Sign | Commit): boolean {
  return first.proposal === second.proposal && first.executed === second.executed;
}

/** Votes that agree with one. */
function agreeing<Vote extends Sign | Commit>(
  votes: Iterable<Vote>,
  proposal: Hash,
  executed: Hash,
): Vote[] {
  const found: Vote[] = [];
  for (const vote of votes) {
    if (vote.proposal === proposal && vote.executed === executed) found.push(vote);
  }
  return found;
}

/**
 * Q votes for another result of the block that this node executed: its execution is wrong.
 * Source: pbft 16.3.4
 */
function checkOtherResult(state: PbftState, turn: Turn, vote: Sign): void {
  const { work } = state;
  if (work?.stage !== "executed" || work.token.proposal !== vote.proposal) return;
  if (work.executed === vote.executed) return;
  const { proposal, executed } = vote;
  const votes = agreeing(state.signs.values(), proposal, executed);
  if (votes.length >= state.quorum) checkCertified(state, turn, vote);
}

/** Counts a commit vote; Q of them in one view make the block final. Source: pbft 16.3.5 */
function countCommit(state: PbftState, message: Commit): void {
  const { view, proposal, executed } = message;
  let votes = state.commits.get(view);
  if (!votes) {
    votes = new Map();
    state.commits.set(view, votes);
  }
  votes.set(voterKey(state, message), message);
  const agreed = agreeing(votes.values(), proposal, executed);
  if (state.decision || agreed.length < state.quorum) return;
  const seals = agreed.map(({ index, seal }) => ({ index, signature: seal }));
  seals.sort((left, right) => left.index - right.index);
  const holders = agreed.map((vote) => vote.signer);
  state.decision = { view, proposal, executed, seals, holders, writing: false };
}

/** Looks again at own commit vote after a restart: alone it may be a quorum. */
export function recountCommits(state: PbftState): void {
  if (state.ownCommit) countCommit(state, state.ownCommit);
}

/** Votes for what was executed, then for what is certified. Source: pbft 16.3.3, 16.3.4 */
export function advanceVotes(state: PbftState, turn: Turn): boolean {
  const { work, round } = state;
  if (!isSealer(state) || state.decision || state.stopped) return false;
  if (state.toView > state.view && state.rules.silence) return false;
  if (work?.stage !== "executed" || work.token.proposal !== round.proposal) return false;
  if (work.executed === undefined) return false;
  if (state.ownSign?.view !== state.view) {
    voteSign(state, turn, round.proposal, work.executed);
    return true;
  }
  if (contradictsItself(state, round.proposal, work.executed)) {
    stopGroup(state, turn, "executionDiffers", state.ownSign);
    return true;
  }
  if (state.lock?.view === state.view) return false;
  const votes = agreeing(state.signs.values(), round.proposal, work.executed);
  if (votes.length < state.quorum) return false;
  lock(state, turn, votes);
  return true;
}

/** After a restart the block is executed again: it must give what this node signed. */
function contradictsItself(state: PbftState, proposal: Hash, executed: Hash): boolean {
  const { ownSign } = state;
  return ownSign?.proposal === proposal && ownSign.executed !== executed;
}

function voteSign(state: PbftState, turn: Turn, proposal: Hash, executed: Hash): void {
  // A certificate for another result may have arrived before this node had its own.
  for (const vote of state.signs.values()) checkOtherResult(state, turn, vote);
  const certified = highestLock(state.justification);
  if (certified) checkCertified(state, turn, certified);
  if (state.stopped) return;
  const { height, view, index } = state;
  const content = { type: "sign", height: height + 1, view, index, proposal, executed } as const;
  const message = { ...content, signature: state.signer.sign(content), signer: state.config.self };
  state.ownSign = message;
  state.signs.set(voterKey(state, message), message);
  storeBody(state, turn);
  say(turn, message);
}

/**
 * Locks on Q sign votes and votes commit; both are on disk before the vote leaves.
 * Source: pbft 16.3.4
 */
function lock(state: PbftState, turn: Turn, votes: readonly Sign[]): void {
  const [{ proposal, executed }] = votes as [Sign];
  const { height, view, index, signer } = state;
  const { self } = state.config;
  const certificate = votes.map((vote) => ({
    index: vote.index,
    signature: vote.signature,
    signer: vote.signer,
  }));
  state.lock = { view, proposal, executed, certificate };
  state.waitStart = turn.now;
  const seal = signer.sign({ type: "seal", executed });
  const place = { type: "commit", height: height + 1, view, index } as const;
  const content = { ...place, proposal, executed, seal };
  const message = { ...content, signature: signer.sign(content), signer: self, sealSigner: self };
  state.ownCommit = message;
  countCommit(state, message);
  storeBody(state, turn);
  say(turn, message);
}
