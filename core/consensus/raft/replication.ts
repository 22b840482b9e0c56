/** The leader's entry on its way: heartbeats, acknowledgements, the commit. Source: raft 7, 8 */
import { type Hash, isSameList, type NodeId } from "../../bytes/ids.ts";
import { isFromFuture } from "../block-time.ts";
import type { Proposal } from "../exchange.ts";
import { EMPTY_INTERVAL_MS } from "../sealing.ts";
import type { IgnoreReason } from "./effect.ts";
import { isAtHand } from "./execution.ts";
import type { InputOf, Spoken } from "./input.ts";
import type { Acknowledgement, Append } from "./message.ts";
import type { RaftState, Work } from "./state.ts";
import { heartbeatMs, isBehind, resetElection } from "./timer.ts";
import { broadcast, ignore, ignoring, placeOf, report, send } from "./step-context.ts";

type Appended = Spoken<Append>;
type Proposed = InputOf<"proposal">;

/** A heartbeat: to all at once, or with the entry only to those who lack it. Source: raft 3, 8 */
export function heartbeatWhenDue(state: RaftState): void {
  if (state.now < state.heartbeatAt) return;
  state.heartbeatAt = state.now + heartbeatMs(state);
  if (state.config.sealers.length <= 1) return;
  const entry = state.entry?.proposal;
  const append: Append = { type: "append", ...placeOf(state), entry };
  if (entry === undefined || state.stored.size === 0) return broadcast(state, append);
  for (const id of state.config.sealers) {
    if (id === state.config.self) continue;
    const has = holdsEntry(state, id);
    send(state, has ? { ...append, entry: undefined } : append, id);
  }
}

/** Whether an acknowledgement of the own term says that a sealer has the entry on disk. */
function holdsEntry({ entry, stored, term, rules }: RaftState, id: NodeId): boolean {
  const held = stored.get(id);
  if (!entry || held?.proposal !== entry.proposal) return false;
  return held.term === term || !rules.ownTermCounts;
}

/** Whether a leader speaks whose term is over. Source: raft 7 */
export function isFormerLeader({ term, rules }: RaftState, { message }: Spoken): boolean {
  return message.term < term && rules.currentLeader;
}

/** A former leader learns of the term. */
export function refuseAppend(state: RaftState, { from, message }: Appended): void {
  ignore(state, from, message.type, "stale");
  acknowledge(state, from, state.term);
}

/** Whether somebody else leads this term. */
export function isSecondLeader({ leader, rules }: RaftState, { from }: Spoken): boolean {
  return leader !== undefined && leader !== from && rules.currentLeader;
}

/** There is one leader in a term. */
export const ignoreSecondLeader = ignoring("secondLeader");

/** Not heard at all: a leader whose blocks no node acknowledges gives way to another one. */
export const ignoreAheadOfTime = ignoring("aheadOfTime");

/** Follows the leader of the term and answers what is on disk. Source: raft 7, 8 */
export function takeAppend(state: RaftState, input: Appended): void {
  const { from, message, proposal } = input;
  state.leader = from;
  state.leaderContactAt = state.now;
  state.grants.clear();
  resetElection(state, state.now);
  state.leaderContact = { from, message, proposal };
  if (message.height === state.height && message.head !== state.head) {
    state.leaderContact = undefined;
    return ignore(state, from, message.type, "otherHead");
  }
  if (!takeEntry(state)) acknowledge(state, from, message.term);
}

/** The first word of a higher term's leader. */
export function takeFirstAppend(state: RaftState, input: Appended): void {
  if (leadsAheadOfTime(state, input)) ignoreAheadOfTime(state, input);
  else takeAppend(state, input);
}

/**
 * Whether an entry that its proposer leads with is too far ahead. What another leader has taken
 * over may be final. Source: decision 27
 */
export function leadsAheadOfTime(
  { entry, config, indexes }: RaftState,
  { from, message, proposal }: Appended,
): boolean {
  if (!proposal || message.entry === undefined || entry?.proposal === message.entry) return false;
  return proposal.sealer === indexes.get(from) && isFromFuture(proposal.time, config.time);
}

function acknowledge(state: RaftState, to: NodeId, term: number): void {
  const { entry } = state;
  const stored = entry && { term: entry.term, proposal: entry.proposal };
  send(state, { type: "acknowledgement", ...placeOf(state), term, stored }, to);
}

/**
 * Examines the entry of the newest heartbeat; an entry that is held already is kept under the new
 * term and acknowledged. Gives whether it was.
 */
function takeEntry(state: RaftState): boolean {
  const { leaderContact, entry, decision } = state;
  if (!leaderContact || decision || leaderContact.message.height !== state.height) return false;
  const { from, message, proposal } = leaderContact;
  if (message.entry === undefined) return false;
  state.leaderContact = { from, proposal, message: { ...message, entry: undefined } };
  const wanted = message.entry;
  if (entry?.proposal === wanted && !state.rules.ownTermCounts) return false;
  if (entry?.term === message.term) {
    if (entry.proposal !== wanted) ignore(state, from, message.type, "secondProposal");
    return false;
  }
  if (!proposal || proposal.hash !== wanted || !fits(state, proposal)) {
    ignore(state, from, message.type, "wrongProposal");
    return false;
  }
  state.incoming = { term: message.term, proposal: wanted, proposer: proposal.sealer, from };
  if (!canStoreIncoming(state)) return false;
  storeIncoming(state);
  return true;
}

/** Whether a proposal extends the own head under the own list. Source: raft 7 */
export function fits(state: RaftState, proposal: Proposal): boolean {
  const { number, parentHash, sealers, sealer } = proposal;
  const extendsHead = number === state.height + 1 && parentHash === state.head;
  const { config } = state;
  return extendsHead && isSameList(sealers, config.sealers) && sealer < config.sealers.length;
}

/** Whether the leader's block can be stored: all of it is here. Source: raft 8 */
export function canStoreIncoming(state: RaftState): boolean {
  const { incoming, entry } = state;
  if (!incoming) return false;
  return entry?.proposal === incoming.proposal || isAtHand(state, incoming.proposal);
}

/** On disk, then acknowledged. Source: raft 8 */
export function storeIncoming(state: RaftState): void {
  const { incoming, entry } = state;
  if (!incoming) return;
  const { term, proposal, proposer, from } = incoming;
  if (entry?.proposal !== proposal) state.body = proposal;
  state.incoming = undefined;
  state.entry = { term, height: state.height + 1, proposal, proposer };
  state.changed = true;
  acknowledge(state, from, term);
}

/** Whether an entry waits that came while the block below was being written. */
export function hasWaitingEntry({ leaderContact, height, decision }: RaftState): boolean {
  return (
    leaderContact?.message.entry !== undefined &&
    leaderContact.message.height === height &&
    !decision
  );
}

/** Takes it, when it stands on the own head. */
export function takeWaiting(state: RaftState): void {
  const { leaderContact } = state;
  if (!leaderContact || leaderContact.message.head === state.head) return void takeEntry(state);
  state.leaderContact = undefined;
  ignore(state, leaderContact.from, "append", "otherHead");
}

/** The leader's head is what the own entry executes to: the entry is final. Source: raft 8 */
export function isCommitNoticed({
  leaderContact,
  entry,
  work,
  decision,
  height,
}: RaftState): boolean {
  if (!leaderContact || !entry || decision || leaderContact.message.height !== height + 1)
    return false;
  return work?.token.proposal === entry.proposal && work.executed === leaderContact.message.head;
}

/** The entry is final as the leader has executed it. */
export function decideAsLeader(state: RaftState): void {
  decide(state, state.leaderContact?.message.head);
}

function decide(state: RaftState, executed: Hash | undefined): void {
  const { entry } = state;
  if (!entry) return;
  state.decision = { proposal: entry.proposal, executed, from: undefined, writing: false };
}

/** Whether a follower stands on another block. */
export function standsElsewhere({ height, head }: RaftState, { message }: Spoken): boolean {
  return message.height === height && message.head !== head;
}

/** Nothing that it has counts here. */
export const ignoreOtherHead = ignoring("otherHead");

/** Only a leader is answered so. */
export const ignoreAnswer = ignoring("notLeader");

/** Notes what a follower has on disk; renews the lease. Source: raft 5, 7 */
export function countStored(state: RaftState, { from, message }: Spoken<Acknowledgement>): void {
  state.answeredAt.set(from, state.now);
  if (message.height !== state.height) return;
  if (message.stored) state.stored.set(from, message.stored);
  else if (state.rules.ownTermCounts) state.stored.delete(from);
}

/** The work on the own block that is not stored yet, when it is at that stage. */
function isFresh({ fresh, work, decision }: RaftState, stage: Work["stage"]): boolean {
  if (!fresh || decision || work?.token.proposal !== fresh.hash) return false;
  return work.stage === stage;
}

/** Whether the own block does not execute. */
export function isFreshRefused(state: RaftState): boolean {
  return isFresh(state, "refused");
}

/** It is no block for others either. */
export function dropFresh(state: RaftState): void {
  const { fresh } = state;
  state.fresh = undefined;
  askAgainLater(state);
  if (fresh) drop(state, fresh, "refused");
}

/** Whether the own block has been executed. */
export function isFreshExecuted(state: RaftState): boolean {
  return isFresh(state, "executed");
}

/** It becomes the entry. Source: raft 8 */
export function storeFresh(state: RaftState): void {
  const { fresh, term, index, height } = state;
  if (!fresh) return;
  state.entry = { term, height: height + 1, proposal: fresh.hash, proposer: index };
  state.fresh = undefined;
  state.changed = true;
  state.body = fresh.hash;
  state.heartbeatAt = state.now;
  heartbeatWhenDue(state);
}

/** A majority has the entry on disk under this term. Source: raft 8 */
export function isStoredByMajority(state: RaftState): boolean {
  const { entry, decision, config } = state;
  if (!entry || decision) return false;
  let count = 1;
  for (const id of config.sealers) if (id !== config.self && holdsEntry(state, id)) count++;
  return count >= state.quorum;
}

/** The entry is final; this node's own execution counts. */
export function decideAlone(state: RaftState): void {
  decide(state, undefined);
}

/** One block at a time, and none while somebody is ahead. Source: raft 7 (sealing) */
export function canPropose(state: RaftState): boolean {
  const { entry, fresh, decision } = state;
  if (state.proposeAsked || entry || fresh || decision) return false;
  return state.now >= state.proposeFrom && !isBehind(state);
}

/** Asks the sealing side for a block. */
export function askForProposal(state: RaftState): void {
  state.proposeAsked = true;
  state.effects.push({ type: "propose", height: state.height + 1, view: state.term });
}

function askAgainLater(state: RaftState): void {
  state.proposeAsked = false;
  state.proposeFrom = state.now + EMPTY_INTERVAL_MS;
}

function drop(state: RaftState, { hash }: Proposal, reason: IgnoreReason): void {
  ignore(state, state.config.self, "proposal", reason);
  report(state, { event: "proposalDropped", proposal: hash });
}

/** Whether a block was asked for in another term. */
export function isOfOtherTerm({ term }: RaftState, { view }: Proposed): boolean {
  return view !== term;
}

/** Only a leader proposes, and only in its term. */
export function dropAsNotLeader(state: RaftState, { proposal }: Proposed): void {
  drop(state, proposal, "notLeader");
}

/** Whether a block does not stand on the head, or is one too many. Source: raft 7 */
export function isWrongProposal(state: RaftState, { proposal }: Proposed): boolean {
  const { entry, fresh, decision, index } = state;
  const isBusy = entry !== undefined || fresh !== undefined || decision !== undefined;
  return isBusy || !fits(state, proposal) || proposal.sealer !== index;
}

/** It is not proposed. */
export function dropAsWrong(state: RaftState, { proposal }: Proposed): void {
  drop(state, proposal, "wrongProposal");
}

/** Whether no node would acknowledge a block. Source: decision 27 */
export function isAheadOfTime({ config }: RaftState, { proposal }: Proposed): boolean {
  return isFromFuture(proposal.time, config.time);
}

/** A node that holds an entry is not voted out: it must not become one. */
export function dropAsAhead(state: RaftState, { proposal }: Proposed): void {
  drop(state, proposal, "aheadOfTime");
}

/** Whether there is nothing in a block. */
export function isEmpty(_: RaftState, { proposal }: Proposed): boolean {
  return proposal.txCount === 0;
}

/** A block without transactions is not proposed. Source: raft 7 */
export function skipEmpty(state: RaftState): void {
  askAgainLater(state);
  ignore(state, state.config.self, "proposal", "empty");
}

/** The sealing side has a block: it is executed first. Source: raft 7 */
export function takeProposal(state: RaftState, { proposal }: Proposed): void {
  state.fresh = proposal;
}
