/** State of the Raft core and its beginnings. Source: raft 4, 8 */
import {
  isSameList,
  NOT_A_SEALER,
  type Hash,
  type NodeId,
  type SealerIndex,
} from "../../bytes/ids.ts";
import type { ExecutionToken, Proposal } from "../exchange.ts";
import type { Effect, StepDownCause } from "./effect.ts";
import type { RaftConfig } from "./input.ts";
import { majority, maxFaultyLeader } from "../quorum.ts";
import type { Append, StoredEntry } from "./message.ts";
import type { RaftRecord } from "./record.ts";

/** Rules, all in force but where the simulator shows that each is needed. */
export const ALL_RULES = {
  /** A vote is on disk. */
  durableVote: true,
  /** A sealer votes once in a term. */
  oneVotePerTerm: true,
  /** A leader of an older term is not followed. */
  currentLeader: true,
  /** An entry is on disk before it is acknowledged. */
  durableEntry: true,
  /** An older entry is issued again; only acknowledgements of the leader's own term count. */
  ownTermCounts: true,
  /** No vote for a candidate that is behind. */
  upToDate: true,
};
/** Which of {@link ALL_RULES} are in force. */
export type Rules = Readonly<typeof ALL_RULES>;

/** What a node does now. A node that is no sealer, or that syncs, is suspended. Source: raft 5 */
export type Role = "suspended" | "follower" | "preCandidate" | "candidate" | "leader";

/** A role, or the end: this node refuses a block that is final. */
export type RaftPhase = Role | "stopped";

/** The one block being brought together or executed. */
export interface Work {
  readonly token: ExecutionToken;
  stage: "assembling" | "fetching" | "assembled" | "executing" | "executed" | "refused";
  /** E, once executed. */
  executed: Hash | undefined;
  /** Requests sent for the missing parts. */
  attempts: number;
  /** When another peer is asked. */
  retryAt: number;
}

/** A block of the current height that this node has no durable copy of yet. */
export interface Incoming {
  readonly term: number;
  readonly proposal: Hash;
  readonly proposer: SealerIndex;
  /** Who has the block. */
  readonly from: NodeId;
}

/** A final block that is yet to be written. Source: raft 8 */
export interface Decision {
  readonly proposal: Hash;
  /** E as the block's header has it; undefined: this node's own execution counts. */
  readonly executed: Hash | undefined;
  /** Who has the block; undefined: it is on the own disk. */
  readonly from: NodeId | undefined;
  writing: boolean;
}

/** The newest heartbeat of the leader. */
export interface LeaderContact {
  readonly from: NodeId;
  readonly message: Append;
  readonly proposal: Proposal | undefined;
}

/** What a node knows that follows no leader and is none. */
export function noLeader() {
  return {
    /** Why the role is to end within this step. */
    standBackFor: undefined as StepDownCause | undefined,
    leader: undefined as NodeId | undefined,
    /** When the leader was last heard; undefined: none is known. */
    leaderContactAt: undefined as number | undefined,
    /** Who granted the vote, or would. */
    grants: new Set<NodeId>(),
    /** Leader: when each sealer last answered. */
    answeredAt: new Map<NodeId, number>(),
    /** Leader: an own proposal that is not stored yet. */
    fresh: undefined as Proposal | undefined,
    proposeAsked: false,
    leaderContact: undefined as LeaderContact | undefined,
    incoming: undefined as Incoming | undefined,
  };
}

/** Where a node begins. */
export interface Beginning {
  readonly config: RaftConfig;
  readonly height: number;
  readonly head: Hash;
  /** What the store holds. */
  readonly record: RaftRecord | undefined;
  /** Random 32 bits: election timeouts of two nodes must differ. */
  readonly seed: number;
  readonly rules?: Rules;
}

/** A node that begins, with its term, vote and entry; first comes `start`. Source: raft 4, 8 */
export function createRaft(beginning: Beginning) {
  const { config, height, head, record, seed, rules = ALL_RULES } = beginning;
  const none = noLeader();
  const state = {
    // Written out: objects into which others are spread have no form in common, and are slow.
    now: 0,
    isTick: false,
    effects: [] as Effect[],
    lastDeadline: undefined as number | undefined,
    /** The record changed in this step: it goes to disk before all of its effects. */
    changed: false,
    /** Block to store with that record. */
    body: undefined as Hash | undefined,
    rules,
    config,
    indexes: new Map() as ReadonlyMap<NodeId, SealerIndex>,
    index: NOT_A_SEALER as SealerIndex,
    maxFaulty: 0,
    quorum: 0,
    /** h */
    height,
    head,
    role: "suspended" as RaftPhase,
    syncing: false,
    /** Durable. */
    term: record?.term ?? 0,
    /** Durable. */
    vote: record?.vote,
    /** Durable; of height h + 1. */
    entry: record?.entry?.height === height + 1 ? record.entry : undefined,
    standBackFor: none.standBackFor,
    leader: none.leader,
    leaderContactAt: none.leaderContactAt,
    grants: none.grants,
    answeredAt: none.answeredAt,
    fresh: none.fresh,
    proposeAsked: none.proposeAsked,
    leaderContact: none.leaderContact,
    incoming: none.incoming,
    electionAt: 0,
    /** Back-off moves both. Source: raft 3 */
    electMinMs: config.minElectMs,
    electMaxMs: config.maxElectMs,
    /** State of the generator that election timeouts are drawn with. */
    chance: seed | 0,
    heartbeatAt: 0,
    /** Leader: what each sealer has on disk above the head. */
    stored: new Map<NodeId, StoredEntry>(),
    /** Leader: no proposal is asked for before this. */
    proposeFrom: 0,
    work: undefined as Work | undefined,
    decision: undefined as Decision | undefined,
    /** Newest block of others. */
    peers: new Map<NodeId, number>(),
    /** When the next block is asked for; undefined while no node is known to be ahead. */
    catchUpAt: undefined as number | undefined,
    catchUpAttempts: 0,
  };
  configure(state, config);
  return state;
}
/** The whole state; changed in place by this folder only, so that a step allocates little. */
export type RaftState = ReturnType<typeof createRaft>;

/** Takes over list, f and Q; gives whether list or own part changed. Source: raft 1, 5 */
export function configure(state: RaftState, config: RaftConfig): boolean {
  const same = state.indexes.size > 0 && isSameList(config.sealers, state.config.sealers);
  const { index } = state;
  state.config = config;
  if (!same) state.indexes = new Map(config.sealers.map((id, at) => [id, at]));
  const listed = state.indexes.get(config.self) ?? NOT_A_SEALER;
  state.index = config.silent ? NOT_A_SEALER : listed;
  if (same) return state.index !== index;
  state.maxFaulty = maxFaultyLeader(config.sealers.length);
  state.quorum = majority(config.sealers.length);
  return true;
}

/** The record of what this node has promised and holds. Source: raft 8 */
export function recordOf(state: RaftState): RaftRecord {
  const { rules, term, vote, entry } = state;
  return {
    term,
    vote: rules.durableVote ? vote : undefined,
    entry: rules.durableEntry ? entry : undefined,
  };
}

/** The role as others are told it: who has stopped takes no part. */
export function roleOf({ role }: RaftState): Role {
  return role === "stopped" ? "suspended" : role;
}

/** Whether this node votes at the current height. */
export function isSealer(state: RaftState): boolean {
  return state.index !== NOT_A_SEALER;
}

/** Term of the entry held above the head; 0: none. */
export function entryTerm(state: RaftState): number {
  return state.entry?.term ?? 0;
}
