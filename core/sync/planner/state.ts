/** The state of the sync planner and how it begins. Source: sync 2, 4 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { SyncTuning } from "../../model/config.ts";
import type { ServingBudgets } from "../serving-budget.ts";
import type { SyncBlock } from "../sync-message.ts";
import type { TokenBucket } from "../../limits/token-bucket.ts";
import type { SyncEffect } from "./effect.ts";
import type { SyncConfig, InputOf } from "./input.ts";
import { MEMORY_FACTOR, STATUS_INTERVAL_MS } from "./tuning.ts";

/** Latency of a peer that has answered nothing yet. */
const UNKNOWN_LATENCY_MS = 500;

/** Numbers [from, to], both ends included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A sync peer; it shows block 0 and the genesis hash until its first status. Source: sync 2, 8 */
export function newPeer(id: NodeId, genesis: Hash) {
  const beginning: Readonly<{ number: number; latestHash: Hash }> = {
    number: 0,
    latestHash: genesis,
  };
  return {
    id,
    /** The higher of its messages, with its hash: either kind grows, unless it takes them back. */
    ...beginning,
    /** What its last status of sync said. */
    told: beginning,
    /** What consensus learned of it last. */
    heard: beginning,
    genesisHash: genesis,
    /** When its last status arrived; before all time until the first. */
    statusAt: Number.NEGATIVE_INFINITY,
    /** Missing answers and lies since its last good block, but those while excluded. */
    failures: 0,
    /** Lies ever: each excludes for twice as long as the one before. */
    lies: 0,
    /** It is not asked before this time. */
    excludedUntil: Number.NEGATIVE_INFINITY,
    /** When it last took back a claim of blocks that this node lacks, if ever. */
    takenBackAt: Number.NEGATIVE_INFINITY,
    /** Typical time from a request to its first block. */
    latencyMs: UNKNOWN_LATENCY_MS,
    /** Blocks of it that were imported. */
    goodBlocks: 0,
    /** Asked for and given up: a late answer is still taken. */
    late: [] as Range[],
    /** What it wants, ascending by start, larger first. */
    wants: [] as Range[],
  };
}
/** A known sync peer. Source: sync 2 */
export type SyncPeer = ReturnType<typeof newPeer>;

/** A request under way. */
export interface Shard {
  readonly peer: NodeId;
  readonly range: Range;
  /** Numbers that have not arrived. */
  readonly waiting: Set<number>;
  readonly askedAt: number;
  answered: boolean;
  deadline: number;
}

/** A block that waits for import. */
export interface QueuedBlock {
  readonly block: SyncBlock;
  readonly from: NodeId;
  stage: "queued" | "verifying" | "verified" | "importing";
}

/** A run of blocks that the shell works on. */
export interface Run extends Range {
  readonly token: number;
}

/** Where a download stands. Source: sync 9 */
export type SyncPhase =
  /** Nothing above the head is worth asking for. */
  | "idle"
  /** No request is under way: a peer that may be asked is looked for, or blocks are verified. */
  | "requesting"
  /** Requests are under way. */
  | "downloading"
  /** The shell executes and writes blocks. */
  | "importing"
  /** A certified block gave other results here. */
  | "stopped";

/** What a planner begins with. */
export interface SyncBeginning {
  readonly tuning: SyncTuning;
  readonly config: SyncConfig;
  readonly genesis: Hash;
  readonly height: number;
  readonly head: Hash;
  /** Any integer: choices among equals follow from it. */
  readonly seed: number;
  /** Bandwidth of the node and of the group, where limited. */
  readonly buckets?: readonly TokenBucket[];
}

/** A download before its first request. */
function noDownload() {
  return {
    phase: "idle" as SyncPhase,
    /** The block that consensus decides now; 0 when none. */
    sealing: 0,
    /** Since when a sealer lacks just one block. */
    nearSince: undefined as number | undefined,
    /** While peers speak of blocks and the sealers of whom they could be taken are silent. */
    unprovable: undefined as { readonly since: number; isReported: boolean } | undefined,
    shards: [] as Shard[],
    queue: new Map<number, QueuedBlock>(),
    queueBytes: 0,
    /** Who failed last to deliver a number; within the window of the queue. */
    failedBy: new Map<number, NodeId>(),
    averageBlockBytes: 0,
    verifying: undefined as Run | undefined,
    importing: undefined as Run | undefined,
    /** Not before then, after an import that found the height busy. */
    importAt: 0,
    nextToken: 1,
  };
}

/** The planner of a group before its first input, which must be `start`. */
export function createSync(beginning: SyncBeginning) {
  const { tuning, config, genesis, height, head, seed, buckets = [] } = beginning;
  const none = noDownload();
  return {
    // Written out: objects into which others are spread have no form in common, and are slow.
    now: 0,
    isTick: false,
    effects: [] as SyncEffect[],
    lastDeadline: undefined as number | undefined,
    tuning,
    genesis,
    /** Asked before each block that is served: node, then group. */
    buckets,
    /** What each peer may still be served. */
    budgets: new Map() as ServingBudgets,
    random: seed | 0,
    config,
    height,
    head,
    connected: new Set<NodeId>(),
    peers: new Map<NodeId, SyncPeer>(),
    phase: none.phase,
    sealing: none.sealing,
    nearSince: none.nearSince,
    unprovable: none.unprovable,
    shards: none.shards,
    queue: none.queue,
    queueBytes: none.queueBytes,
    failedBy: none.failedBy,
    averageBlockBytes: none.averageBlockBytes,
    verifying: none.verifying,
    importing: none.importing,
    importAt: none.importAt,
    nextToken: none.nextToken,
    /** Whether blocks are fetched: isSyncing. Source: sync 4 */
    get downloading(): boolean {
      return this.phase !== "idle";
    },
    /** Highest number of a peer that counts, own height when none is above; 0 before the start. */
    knownHighest: 0,
    knownHash: genesis,
    /** Highest number whose certificate was seen to be good. */
    provenHighest: height,
    /** A new height waits to be announced. */
    announceDue: false,
    announcedAt: 0,
    gossipAt: 0,
    /** In no list: pause until members are told again where this node stands. */
    farewellMs: STATUS_INTERVAL_MS,
    /** The load under way. */
    loading: undefined as { token: number; peer: NodeId; range: Range } | undefined,
    servedLast: undefined as NodeId | undefined,
    /** Not before then: bandwidth is used up. */
    serveAt: 0,
    /** Totals since the start, for metrics. */
    counters: {
      blocksServed: 0,
      requestsSent: 0,
      requestsTimedOut: 0,
      penalties: 0,
      /** Times that serving waited for bandwidth. */
      bandwidthWaits: 0,
      /** Times that a peer was to wait because it had been served its share. */
      budgetWaits: 0,
    },
  };
}
/** Everything the planner knows. Changed by `step` only. */
export type SyncState = ReturnType<typeof createSync>;

/** Consensus decides this block, or none: sync keeps away from it. Source: sync 4 */
export function noteSealing(state: SyncState, { number }: InputOf<"sealing">): void {
  state.sealing = number;
}

/** Estimated memory of the blocks that wait. Source: sync 4 */
export function memoryBytes(state: SyncState): number {
  return MEMORY_FACTOR * state.queueBytes;
}

/** Whether this node is in a list of the group. */
export function isMember(state: SyncState): boolean {
  return isListed(state, state.config.self);
}

/** Whether a node is a sealer or an observer. */
export function isListed(state: SyncState, node: NodeId): boolean {
  const { sealers, observers } = state.config;
  return sealers.includes(node) || observers.includes(node);
}

/** The next number in [0, 1) of the planner's own sequence (mulberry32). */
export function draw(state: SyncState): number {
  state.random = (state.random + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state.random ^ (state.random >>> 15), 1 | state.random);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
