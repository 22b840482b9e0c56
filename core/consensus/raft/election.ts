/** Who leads: pre-votes, votes, terms, stepping down. Source: raft 5, 6, 8 */
import type { StepDownCause } from "./effect.ts";
import type { InputOf, Spoken } from "./input.ts";
import type { PreVote, PreVoteReply, Vote, VoteReply } from "./message.ts";
import { configure, entryTerm, isSealer, noLeader, type RaftState } from "./state.ts";
import { backOff, forgetBackOff, resetElection } from "./timer.ts";
import { broadcast, ignoring, placeOf, report, send } from "./step-context.ts";

/** Whether somebody speaks of a term that is new here. Source: raft 8 */
export function isNewerTerm({ term }: RaftState, { message }: Spoken): boolean {
  return message.term > term;
}

/** Whether somebody speaks of a term that is over. */
export function isOlderTerm({ term }: RaftState, { message }: Spoken): boolean {
  return message.term < term;
}

/** The vote of a higher term is free. Source: raft 8 */
export function takeTerm(state: RaftState, { message }: Spoken): void {
  state.term = message.term;
  state.vote = undefined;
  state.changed = true;
}

/** Follows no node yet. Source: raft 5 */
export function follow(state: RaftState): void {
  const { fresh } = state;
  if (fresh) report(state, { event: "proposalDropped", proposal: fresh.hash });
  Object.assign(state, noLeader());
  if (state.rules.ownTermCounts) state.stored.clear();
}

/** As {@link follow}, and waits anew for a leader. */
export function standBack(state: RaftState): void {
  follow(state);
  resetElection(state, state.now);
}

function stepDown(state: RaftState, cause: StepDownCause): void {
  report(state, { event: "steppedDown", height: state.height, term: state.term, cause });
  standBack(state);
}

/** Somebody else may lead a higher term. Source: raft 8 */
export function yieldToTerm(state: RaftState): void {
  stepDown(state, "higherTerm");
}

/** A leader that has not heard from a majority within the lease is none. Source: raft 3, 8 */
export function yieldLease(state: RaftState): void {
  stepDown(state, "leaseExpired");
}

/** No node would take the own block. Source: decision 27 */
export function yieldAhead(state: RaftState): void {
  stepDown(state, "aheadOfTime");
}

/** There are other sealers, or a download. */
export function yieldOffice(state: RaftState): void {
  stepDown(state, state.standBackFor ?? "sealersChanged");
}

/** Whether every role ends: the sealers are others, or a download begins or ends. */
export function mustStandBack({ standBackFor }: RaftState): boolean {
  return standBackFor !== undefined;
}

/** Whether besides this node takes no part from now on. Source: raft 5 */
export function mustSuspend(state: RaftState): boolean {
  return mustStandBack(state) && !takesPart(state);
}

/** Whether besides this node takes part from now on. Source: raft 5 */
export function mayFollow(state: RaftState): boolean {
  return mustStandBack(state) && takesPart(state);
}

function takesPart(state: RaftState): boolean {
  return isSealer(state) && !state.syncing;
}

/** The node begins. */
export function begin(state: RaftState): void {
  state.standBackFor = "sealersChanged";
}

/** A silent node may vote, or must not any more. Source: decision 25 */
export function takeVotingRole(state: RaftState, { config }: InputOf<"votingRole">): void {
  if (configure(state, config)) state.standBackFor = "sealersChanged";
}

/** A download has begun or ended. */
export function noteSyncing(state: RaftState, { active }: InputOf<"syncing">): void {
  state.syncing = active;
  state.standBackFor = "syncing";
}

/** No node leads. One late tick is one election. */
export function electionIsDue({ electionAt, now }: RaftState): boolean {
  return now >= electionAt;
}

/** No node leads, and no other node is there. */
export function electsItself(state: RaftState): boolean {
  return state.quorum <= 1 && electionIsDue(state);
}

/** An election has failed: the next one is waited for longer. Source: raft 3 (back-off) */
export function waitLonger(state: RaftState): void {
  backOff(state);
}

/** Asks whether a vote would be won. Source: raft 8 (pre-vote) */
export function askAround(state: RaftState): void {
  forgetLeader(state);
  broadcast(state, { type: "preVote", ...placeOf(state), entryTerm: entryTerm(state) });
}

function forgetLeader(state: RaftState): void {
  state.leader = undefined;
  state.leaderContactAt = undefined;
  state.leaderContact = undefined;
  state.incoming = undefined;
  state.grants = new Set([state.config.self]);
  resetElection(state, state.now);
}

/** The only sealer has won before it asks. */
export function electItself(state: RaftState): void {
  forgetLeader(state);
  raiseTerm(state);
}

/** Raises the term and asks for votes; the own one is on disk first. Source: raft 8 */
export function askForVotes(state: RaftState): void {
  raiseTerm(state);
  broadcast(state, { type: "vote", ...placeOf(state), entryTerm: entryTerm(state) });
}

function raiseTerm(state: RaftState): void {
  state.term++;
  state.vote = state.config.self;
  state.changed = true;
  state.grants = new Set([state.config.self]);
  resetElection(state, state.now);
  report(state, { event: "electionStarted", height: state.height, term: state.term });
}

/** Leads; issues an older entry again, unchanged, under the own term. Source: raft 8 */
export function lead(state: RaftState): void {
  const { config, term, height, entry } = state;
  state.leader = config.self;
  state.grants.clear();
  forgetBackOff(state);
  for (const id of config.sealers) if (id !== config.self) state.answeredAt.set(id, state.now);
  state.heartbeatAt = state.now;
  state.proposeAsked = false;
  state.proposeFrom = state.now;
  if (entry && state.rules.ownTermCounts) {
    state.entry = { ...entry, term };
    state.changed = true;
  }
  report(state, { event: "leaderElected", height, term });
}

/** Whether a candidate is not behind this node. Source: raft 8 */
function isUpToDate(state: RaftState, candidate: PreVote | Vote): boolean {
  if (!state.rules.upToDate) return true;
  if (candidate.height !== state.height) return candidate.height > state.height;
  return candidate.entryTerm >= entryTerm(state);
}

/** Answers whether a vote would be granted; reserves nothing. Source: raft 8 */
export function answerPreVote(state: RaftState, question: Spoken<PreVote>): void {
  const { message } = question;
  const granted = message.term === state.term && isUpToDate(state, message);
  answer(state, question, granted);
}

/** A node that hears its leader helps no node to another one. */
export function refusePreVote(state: RaftState, question: Spoken<PreVote>): void {
  answer(state, question, false);
}

function answer(state: RaftState, { from, message }: Spoken<PreVote>, granted: boolean): void {
  const asked = message.term;
  send(state, { type: "preVoteReply", ...placeOf(state), asked, granted }, from);
}

type Reply = Spoken<PreVoteReply> | Spoken<VoteReply>;

/** Whether a question of another term was answered. */
export function answersOtherTerm({ term }: RaftState, { message }: Spoken<PreVoteReply>): boolean {
  return message.asked !== term;
}

/** Whether an answer is the one that makes a majority. */
export function makesMajority({ grants, quorum }: RaftState, { from, message }: Reply): boolean {
  const isNew = message.granted && !grants.has(from);
  return grants.size + (isNew ? 1 : 0) >= quorum;
}

/** Counts an answer. */
export function countGrant(state: RaftState, { from, message }: Reply): void {
  if (message.granted) state.grants.add(from);
}

/** Grants the vote of a term once, to a candidate that is not behind. Source: raft 6, 8 */
export function answerVote(state: RaftState, { from, message }: Spoken<Vote>): void {
  const isFree = state.vote === undefined || state.vote === from || !state.rules.oneVotePerTerm;
  const granted = message.term === state.term && isFree && isUpToDate(state, message);
  if (granted) {
    if (state.vote !== from) state.changed = true;
    state.vote = from;
    resetElection(state, state.now);
  }
  send(state, { type: "voteReply", ...placeOf(state), granted }, from);
}

/** A node that hears its leader is not drawn into an election by a sealer that does not. */
export function refuseVote(state: RaftState, { from }: Spoken<Vote>): void {
  send(state, { type: "voteReply", ...placeOf(state), granted: false }, from);
}

/** An answer to nothing that was asked in this term and role. */
export const ignoreStale = ignoring("stale");
