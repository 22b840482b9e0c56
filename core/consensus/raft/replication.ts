/** The leader's entry on its way: heartbeats, acknowledgements, the commit. Source: raft 7, 8 */
import { isSameList, type NodeId } from "../../bytes/ids.ts";
import { isFromFuture } from "../block-time.ts";
import type { Proposal } from "../exchange.ts";
import { EMPTY_INTERVAL_MS } from "../sealing.ts";
import { adoptTerm, becomeFollower } from "./election.ts";
import { isAtHand } from "./execution.ts";
import type { Input } from "./input.ts";
import type { Acknowledgement, Append } from "./message.ts";
import type { RaftState } from "./state.ts";
import { heartbeatMs, isBehind, resetElection } from "./timer.ts";
import { broadcast, ignore, placeOf, report, send, type Turn } from "./turn.ts";

/** A heartbeat: to all at once, or with the entry only to those who lack it. Source: raft 3, 8 */
export function heartbeatWhenDue(state: RaftState, turn: Turn): void {
  if (state.role !== "leader" || turn.now < state.heartbeatAt) return;
  state.heartbeatAt = turn.now + heartbeatMs(state);
  if (state.config.sealers.length <= 1) return;
  const entry = state.entry?.proposal;
  const append: Append = { type: "append", ...placeOf(state), entry };
  if (entry === undefined || state.stored.size === 0) return broadcast(turn, append);
  for (const id of state.config.sealers) {
    if (id === state.config.self) continue;
    const has = holdsEntry(state, id);
    send(turn, has ? { ...append, entry: undefined } : append, id);
  }
}

/** Whether an acknowledgement of the own term says that a sealer has the entry on disk. */
function holdsEntry({ entry, stored, term, rules }: RaftState, id: NodeId): boolean {
  const held = stored.get(id);
  if (!entry || held?.proposal !== entry.proposal) return false;
  return held.term === term || !rules.ownTermCounts;
}

/** Follows the leader of the term and answers what is on disk. Source: raft 7, 8 */
export function onAppend(
  state: RaftState,
  turn: Turn,
  input: { readonly from: NodeId; readonly message: Append; readonly proposal?: Proposal },
): void {
  const { from, message, proposal } = input;
  adoptTerm(state, turn, message.term);
  if (message.term < state.term && state.rules.currentLeader) {
    ignore(turn, from, message.type, "stale");
    return acknowledge(state, turn, from, state.term);
  }
  const isOther = state.leader !== undefined && state.leader !== from;
  if (state.role === "leader" || (isOther && state.rules.currentLeader)) {
    return ignore(turn, from, message.type, "secondLeader");
  }
  // Not heard at all: a leader whose blocks nobody acknowledges gives way to another one.
  if (isNewFromFuture(state, input)) return ignore(turn, from, message.type, "aheadOfTime");
  state.role = "follower";
  state.leader = from;
  state.leaderHeardAt = turn.now;
  state.grants.clear();
  resetElection(state, turn.now);
  state.heard = { from, message, proposal };
  if (message.height === state.height && message.head !== state.head) {
    state.heard = undefined;
    return ignore(turn, from, message.type, "otherHead");
  }
  if (!takeEntry(state, turn)) acknowledge(state, turn, from, message.term);
}

/**
 * Whether an entry that its proposer leads with is too far ahead. What another leader has taken
 * over may be final. Source: decision 27
 */
function isNewFromFuture(
  { entry, config, indexes }: RaftState,
  { from, message, proposal }: { from: NodeId; message: Append; proposal?: Proposal },
): boolean {
  if (!proposal || message.entry === undefined || entry?.proposal === message.entry) return false;
  return proposal.sealer === indexes.get(from) && isFromFuture(proposal.time, config.time);
}

function acknowledge(state: RaftState, turn: Turn, to: NodeId, term: number): void {
  const { entry } = state;
  const stored = entry && { term: entry.term, proposal: entry.proposal };
  send(turn, { type: "acknowledgement", ...placeOf(state), term, stored }, to);
}

/**
 * Looks at the entry of the newest heartbeat; an entry that is held already is kept under the new
 * term and acknowledged. Gives whether it was.
 */
function takeEntry(state: RaftState, turn: Turn): boolean {
  const { heard, entry, decision } = state;
  if (!heard || decision || heard.message.height !== state.height) return false;
  const { from, message, proposal } = heard;
  if (message.entry === undefined) return false;
  state.heard = { from, proposal, message: { ...message, entry: undefined } };
  const wanted = message.entry;
  if (entry?.proposal === wanted && !state.rules.ownTermCounts) return false;
  if (entry?.term === message.term) {
    if (entry.proposal !== wanted) ignore(turn, from, message.type, "secondProposal");
    return false;
  }
  if (!proposal || proposal.hash !== wanted || !fits(state, proposal)) {
    ignore(turn, from, message.type, "wrongProposal");
    return false;
  }
  state.incoming = { term: message.term, proposal: wanted, proposer: proposal.sealer, from };
  return storeIncoming(state, turn);
}

/** Whether a proposal extends the own head under the own list. Source: raft 7 */
export function fits(state: RaftState, proposal: Proposal): boolean {
  const { number, parentHash, sealers, sealer } = proposal;
  const extendsHead = number === state.height + 1 && parentHash === state.head;
  const { config } = state;
  return extendsHead && isSameList(sealers, config.sealers) && sealer < config.sealers.length;
}

/** On disk, then acknowledged. Gives whether it was. Source: raft 8 */
function storeIncoming(state: RaftState, turn: Turn): boolean {
  const { incoming, entry } = state;
  if (!incoming) return false;
  const { term, proposal, proposer, from } = incoming;
  const isHeld = entry?.proposal === proposal;
  if (!isHeld && !isAtHand(state, proposal)) return false;
  if (!isHeld) turn.body = proposal;
  state.incoming = undefined;
  state.entry = { term, height: state.height + 1, proposal, proposer };
  turn.changed = true;
  acknowledge(state, turn, from, term);
  return true;
}

/** A follower's part: stores what has become complete, takes what was waiting. */
export function advanceFollower(state: RaftState, turn: Turn): boolean {
  if (state.role !== "follower") return false;
  return storeIncoming(state, turn) || takeWaiting(state, turn) || noticeCommit(state);
}

/** An entry that came while the block below was being written. */
function takeWaiting(state: RaftState, turn: Turn): boolean {
  const { heard } = state;
  if (heard?.message.entry === undefined || heard.message.height !== state.height) return false;
  if (state.decision) return false;
  if (heard.message.head !== state.head) {
    state.heard = undefined;
    ignore(turn, heard.from, "append", "otherHead");
    return true;
  }
  takeEntry(state, turn);
  return true;
}

/** The leader's head is what the own entry executes to: the entry is final. Source: raft 8 */
function noticeCommit(state: RaftState): boolean {
  const { heard, entry, work, decision, height } = state;
  if (!heard || !entry || decision || heard.message.height !== height + 1) return false;
  const { head } = heard.message;
  if (work?.token.proposal !== entry.proposal || work.executed !== head) return false;
  state.decision = {
    proposal: entry.proposal,
    executed: head,
    from: undefined,
    writing: false,
  };
  return true;
}

/** Notes what a follower has on disk; renews the lease. Source: raft 5, 7 */
export function onAcknowledgement(
  state: RaftState,
  turn: Turn,
  from: NodeId,
  message: Acknowledgement,
): void {
  adoptTerm(state, turn, message.term);
  if (state.role !== "leader") return ignore(turn, from, message.type, "notLeader");
  if (message.term < state.term) return ignore(turn, from, message.type, "stale");
  if (message.height === state.height && message.head !== state.head) {
    return ignore(turn, from, message.type, "otherHead");
  }
  state.answeredAt.set(from, turn.now);
  if (message.height !== state.height) return;
  if (message.stored) state.stored.set(from, message.stored);
  else if (state.rules.ownTermCounts) state.stored.delete(from);
}

/** A leader's part: stores an own proposal, counts, asks for the next. */
export function advanceLeader(state: RaftState, turn: Turn): boolean {
  if (state.role !== "leader") return false;
  return storeFresh(state, turn) || commit(state) || askForProposal(state, turn);
}

/** The own block has been executed: it can become the entry. Source: raft 8 */
function storeFresh(state: RaftState, turn: Turn): boolean {
  const { fresh, work, term, index, height, decision } = state;
  if (!fresh || decision || work?.token.proposal !== fresh.hash) return false;
  if (work.stage === "refused") {
    state.fresh = undefined;
    askAgainLater(state, turn);
    ignore(turn, state.config.self, "proposal", "refused");
    report(turn, { event: "proposalDropped", proposal: fresh.hash });
    return true;
  }
  if (work.stage !== "executed") return false;
  state.entry = { term, height: height + 1, proposal: fresh.hash, proposer: index };
  state.fresh = undefined;
  turn.changed = true;
  turn.body = fresh.hash;
  state.heartbeatAt = turn.now;
  heartbeatWhenDue(state, turn);
  return true;
}

/** A majority has the entry on disk under this term. Source: raft 8 */
function commit(state: RaftState): boolean {
  const { entry, decision, config } = state;
  if (!entry || decision) return false;
  let count = 1;
  for (const id of config.sealers) if (id !== config.self && holdsEntry(state, id)) count++;
  if (count < state.quorum) return false;
  const { proposal } = entry;
  state.decision = { proposal, executed: undefined, from: undefined, writing: false };
  return true;
}

/** One block at a time, and none while somebody is ahead. Source: raft 7 (sealing) */
function askForProposal(state: RaftState, turn: Turn): boolean {
  const { entry, fresh, decision, height, term } = state;
  if (state.proposeAsked || entry || fresh || decision) return false;
  if (turn.now < state.proposeFrom || isBehind(state)) return false;
  state.proposeAsked = true;
  turn.effects.push({ type: "propose", height: height + 1, view: term });
  return true;
}

function askAgainLater(state: RaftState, turn: Turn): void {
  state.proposeAsked = false;
  state.proposeFrom = turn.now + EMPTY_INTERVAL_MS;
}

/** The sealing side has a block. Source: raft 7 */
export function onProposal(
  state: RaftState,
  turn: Turn,
  { view, proposal }: Extract<Input, { type: "proposal" }>,
): void {
  const { config, role, entry, fresh, decision, index } = state;
  if (role !== "leader" || view !== state.term) {
    ignore(turn, config.self, "proposal", "notLeader");
    return report(turn, { event: "proposalDropped", proposal: proposal.hash });
  }
  if (entry || fresh || decision || !fits(state, proposal) || proposal.sealer !== index) {
    ignore(turn, config.self, "proposal", "wrongProposal");
    return report(turn, { event: "proposalDropped", proposal: proposal.hash });
  }
  if (isFromFuture(proposal.time, config.time)) {
    // Nobody would acknowledge it, and whoever holds an entry is not voted out.
    ignore(turn, config.self, "proposal", "aheadOfTime");
    report(turn, { event: "proposalDropped", proposal: proposal.hash });
    return becomeFollower(state, turn, "aheadOfTime");
  }
  if (proposal.txCount === 0) {
    askAgainLater(state, turn);
    return ignore(turn, config.self, "proposal", "empty");
  }
  state.fresh = proposal;
}
