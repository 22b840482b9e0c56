/** Who leads: pre-votes, votes, terms, stepping down. Source: raft 5, 6, 8 */
import type { NodeId } from "../../bytes/ids.ts";
import type { StepDownCause } from "./effect.ts";
import type { PreVote, PreVoteReply, Vote, VoteReply } from "./message.ts";
import { entryTerm, isSealer, type RaftState } from "./state.ts";
import { backOff, forgetBackOff, hasLeader, leaseUntil, resetElection } from "./timer.ts";
import { broadcast, ignore, placeOf, report, send, type Turn } from "./turn.ts";

/** Follows a higher term; the vote of that term is free. Source: raft 8 */
export function adoptTerm(state: RaftState, turn: Turn, term: number): void {
  if (term <= state.term) return;
  becomeFollower(state, turn, "higherTerm");
  state.term = term;
  state.vote = undefined;
  turn.changed = true;
}

/** Follows nobody yet; suspended when it takes no part. Source: raft 5 */
export function becomeFollower(state: RaftState, turn: Turn, cause: StepDownCause): void {
  const { role, height, term, fresh } = state;
  if (role === "leader") report(turn, { event: "steppedDown", height, term, cause });
  if (fresh) report(turn, { event: "proposalDropped", proposal: fresh.hash });
  const takesPart = isSealer(state) && !state.syncing;
  state.role = takesPart ? "follower" : "suspended";
  state.leader = undefined;
  state.leaderHeardAt = undefined;
  state.grants.clear();
  state.answeredAt.clear();
  if (state.rules.ownTermCounts) state.stored.clear();
  state.fresh = undefined;
  state.proposeAsked = false;
  state.heard = undefined;
  state.incoming = undefined;
  if (role !== "follower") resetElection(state, turn.now);
}

/** A leader that has not heard from a majority within the lease is none. Source: raft 3, 8 */
export function checkLease(state: RaftState, turn: Turn): void {
  if (state.role !== "leader" || turn.now < leaseUntil(state)) return;
  becomeFollower(state, turn, "leaseExpired");
}

/** Nobody leads: asks whether a vote would be won. One late tick is one election. */
export function electWhenDue(state: RaftState, turn: Turn): void {
  const { role, config } = state;
  if (role === "leader" || role === "suspended" || turn.now < state.electionAt) return;
  if (role !== "follower") backOff(state);
  state.leader = undefined;
  state.leaderHeardAt = undefined;
  state.heard = undefined;
  state.incoming = undefined;
  state.role = "preCandidate";
  state.grants = new Set([config.self]);
  resetElection(state, turn.now);
  if (state.quorum <= 1) return startElection(state, turn);
  broadcast(turn, { type: "preVote", ...placeOf(state), entryTerm: entryTerm(state) });
}

/** Raises the term and asks for votes; the own one is on disk first. Source: raft 8 */
function startElection(state: RaftState, turn: Turn): void {
  state.term++;
  state.vote = state.config.self;
  turn.changed = true;
  state.role = "candidate";
  state.grants = new Set([state.config.self]);
  resetElection(state, turn.now);
  report(turn, { event: "electionStarted", height: state.height, term: state.term });
  if (state.quorum <= 1) return becomeLeader(state, turn);
  broadcast(turn, { type: "vote", ...placeOf(state), entryTerm: entryTerm(state) });
}

/**
 * Leads. An entry of an older term is issued again, the identical block under the own term.
 * Source: raft 8
 */
function becomeLeader(state: RaftState, turn: Turn): void {
  const { config, term, height, entry } = state;
  state.role = "leader";
  state.leader = config.self;
  state.grants.clear();
  forgetBackOff(state);
  for (const id of config.sealers) if (id !== config.self) state.answeredAt.set(id, turn.now);
  state.heartbeatAt = turn.now;
  state.proposeAsked = false;
  state.proposeFrom = turn.now;
  if (entry && state.rules.ownTermCounts) {
    state.entry = { ...entry, term };
    turn.changed = true;
  }
  report(turn, { event: "leaderElected", height, term });
}

/** Whether a candidate is not behind this node. Source: raft 8 */
function isUpToDate(state: RaftState, candidate: PreVote | Vote): boolean {
  if (!state.rules.upToDate) return true;
  if (candidate.height !== state.height) return candidate.height > state.height;
  return candidate.entryTerm >= entryTerm(state);
}

/** Answers whether a vote would be granted; promises nothing. Source: raft 8 */
export function onPreVote(state: RaftState, turn: Turn, from: NodeId, message: PreVote): void {
  const isLed = hasLeader(state, turn.now);
  if (!isLed) adoptTerm(state, turn, message.term);
  const granted = !isLed && message.term === state.term && isUpToDate(state, message);
  const asked = message.term;
  send(turn, { type: "preVoteReply", ...placeOf(state), asked, granted }, from);
}

/** Counts an answer; a majority begins the election. */
export function onPreVoteReply(
  state: RaftState,
  turn: Turn,
  from: NodeId,
  message: PreVoteReply,
): void {
  adoptTerm(state, turn, message.term);
  if (state.role !== "preCandidate" || message.asked !== state.term) {
    return ignore(turn, from, message.type, "stale");
  }
  if (message.granted) state.grants.add(from);
  if (state.grants.size >= state.quorum) startElection(state, turn);
}

/** Grants the vote of a term once, to a candidate that is not behind. Source: raft 6, 8 */
export function onVote(state: RaftState, turn: Turn, from: NodeId, message: Vote): void {
  // Whoever hears its leader is not drawn into an election by a sealer that does not.
  const isLed = hasLeader(state, turn.now);
  if (!isLed) adoptTerm(state, turn, message.term);
  const isFree = state.vote === undefined || state.vote === from || !state.rules.oneVotePerTerm;
  const isCurrent = !isLed && message.term === state.term && state.role !== "leader";
  const granted = isCurrent && isFree && isUpToDate(state, message);
  if (granted) {
    if (state.vote !== from) turn.changed = true;
    state.vote = from;
    resetElection(state, turn.now);
  }
  send(turn, { type: "voteReply", ...placeOf(state), granted }, from);
}

/** Counts a vote; a majority makes the leader. */
export function onVoteReply(state: RaftState, turn: Turn, from: NodeId, message: VoteReply): void {
  adoptTerm(state, turn, message.term);
  if (state.role !== "candidate" || message.term !== state.term) {
    return ignore(turn, from, message.type, "stale");
  }
  if (message.granted) state.grants.add(from);
  if (state.grants.size >= state.quorum) becomeLeader(state, turn);
}
