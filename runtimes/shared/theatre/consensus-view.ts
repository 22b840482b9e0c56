/** The consensus core of a node as a frame shows it: read only, never the signer. */
import type { NodeId } from "../../../core/bytes/ids.ts";
import { isSealer, leaderOf, type PbftState } from "../../../core/consensus/pbft/state.ts";
import { viewDeadline } from "../../../core/consensus/pbft/timer.ts";
import { leaseUntil } from "../../../core/consensus/raft/timer.ts";
import { type RaftState, roleOf } from "../../../core/consensus/raft/state.ts";
import { blockPhase } from "../../../core/consensus/raft/status.ts";
import type { PbftView, RaftView, Tally } from "./frame.ts";
import { bare } from "./message-view.ts";

/** How the words of a core become those of a frame. */
export interface Sight {
  /** Number of a node; undefined for one that is not on the stage. */
  numberOf(nodeId: NodeId): number | undefined;
  /** Frame time of the node's steady clock. */
  timeOf(steadyMs: number): number;
}

function numbers(nodeIds: Iterable<NodeId | undefined>, sight: Sight): number[] {
  const found: number[] = [];
  for (const id of nodeIds) {
    const number = id === undefined ? undefined : sight.numberOf(id);
    if (number !== undefined) found.push(number);
  }
  return found.sort((left, right) => left - right);
}

/** What a PBFT core knows. */
export function pbftView(state: PbftState, sight: Sight): PbftView {
  const { sealers } = state.config;
  const nodesOf = (indexes: Iterable<number | string>) =>
    numbers(
      [...indexes].map((index) => sealers[Number(index)]),
      sight,
    );
  const tally = (indexes: Iterable<number | string>): Tally => ({
    voters: nodesOf(indexes),
    quorum: state.quorum,
  });
  const { round, work, lock } = state;
  const executed = work && work.token.proposal === round.proposal ? work.executed : undefined;
  const commits = state.commits.get(state.view) ?? new Map();
  const leader = sealers[leaderOf(state)];
  return {
    kind: "pbft",
    height: state.height + 1,
    view: state.view,
    toView: state.toView,
    leader: leader === undefined ? undefined : sight.numberOf(leader),
    phase: state.phase,
    maxFaulty: state.maxFaulty,
    quorum: state.quorum,
    proposal: round.proposal && bare(round.proposal),
    transactions: round.txCount,
    executed: executed && bare(executed),
    ownSign: state.ownSign && bare(state.ownSign.executed),
    ownCommit: state.ownCommit && bare(state.ownCommit.executed),
    signs: tally(largest(state.signs, executed)),
    commits: tally(largest(commits, lock?.executed ?? executed)),
    viewChanges: [...state.viewChanges]
      .sort(([left], [right]) => left - right)
      .map(([toView, votes]) => ({ toView, ...tally(votes.keys()) })),
    lock: lock && {
      view: lock.view,
      proposal: bare(lock.proposal),
      executed: bare(lock.executed),
      voters: nodesOf(lock.certificate.map(({ index }) => index)),
    },
    justification: nodesOf(state.justification.map(({ index }) => index)),
    decided: state.decision !== undefined,
    failedViews: state.failedViews,
    waitsFrom: sight.timeOf(state.waitStart),
    deadline: sight.timeOf(viewDeadline(state)),
  };
}

type Voted = ReadonlyMap<number | string, { readonly executed: string }>;

/** Who voted for one result: the own one, else that of most votes. */
function largest(votes: Voted, executed: string | undefined): (number | string)[] {
  const byResult = new Map<string, (number | string)[]>();
  for (const [voter, vote] of votes) {
    const voters = byResult.get(vote.executed) ?? [];
    byResult.set(vote.executed, voters);
    voters.push(voter);
  }
  if (executed !== undefined) return byResult.get(executed) ?? [];
  return [...byResult.values()].sort((left, right) => right.length - left.length)[0] ?? [];
}

/** Where a node stands in the list of sealers in force. */
export function sealerIndexOf(state: PbftState | RaftState): number | undefined {
  return isSealer(state as PbftState) ? state.index : undefined;
}

/** What a Raft core knows. */
export function raftView(state: RaftState, sight: Sight): RaftView {
  const { config, entry, quorum } = state;
  const role = roleOf(state);
  const isLeader = role === "leader";
  const proposer = entry && config.sealers[entry.proposer];
  const holders: NodeId[] = [];
  for (const [id, held] of state.stored)
    if (held.term === state.term && held.proposal === entry?.proposal) holders.push(id);
  if (isLeader && entry) holders.push(config.self);
  const lease = isLeader ? leaseUntil(state) : undefined;
  const waits = !isLeader && role !== "suspended";
  const heard = state.leaderContactAt;
  return {
    kind: "raft",
    role,
    term: state.term,
    vote: state.vote && sight.numberOf(state.vote),
    leader: state.leader && sight.numberOf(state.leader),
    phase: blockPhase(state),
    quorum,
    commitIndex: state.height,
    entry: entry && {
      term: entry.term,
      height: entry.height,
      proposal: bare(entry.proposal),
      proposer: proposer && sight.numberOf(proposer),
    },
    grants: { voters: numbers(state.grants, sight), quorum },
    stored: { voters: numbers(new Set(holders), sight), quorum },
    electionAt: waits ? sight.timeOf(state.electionAt) : undefined,
    waitsFrom: waits && heard !== undefined ? sight.timeOf(heard) : undefined,
    heartbeatAt: isLeader ? sight.timeOf(state.heartbeatAt) : undefined,
    leaseUntil: lease !== undefined && Number.isFinite(lease) ? sight.timeOf(lease) : undefined,
  };
}
