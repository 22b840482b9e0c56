/**
 * The configuration of a chain and of a group: genesis values, system configuration, roles, local
 * tuning. Source: groups 6, 7; precompiles 4
 */
import type { GroupId, NodeId } from "../bytes/ids.ts";
import type { Version } from "./version.ts";

/** What every node of a chain shares outside any group. Source: groups 8 */
export interface ChainConfig {
  readonly chainId: number;
  readonly nationalCrypto: boolean;
  readonly supportedVersion: Version;
}

/** What event filters of SDKs may ask for. Source: groups 6 (event_filter); channel-protocol 7.3 */
export interface EventFilterLimits {
  /** Undefined is unlimited. */
  readonly maxBlockRange: number | undefined;
  /** Blocks of one step; undefined is the built-in value. */
  readonly maxBlocksPerProcess: number | undefined;
}

/** The content of group.N.genesis; identical on all members. Source: groups 6 */
export interface GenesisConfig {
  readonly groupId: GroupId;
  /** Genesis block timestamp in milliseconds; 2^63 - 1 when absent. */
  readonly timestamp: bigint;
  readonly consensusType: "pbft" | "raft";
  /** In file order. */
  readonly sealers: readonly NodeId[];
  /** tx_count_limit. */
  readonly maxTransactions: number;
  /** tx_gas_limit. */
  readonly gasLimit: bigint;
  readonly consensusTimeoutSeconds: number;
  readonly freeStorage: boolean;
  /** Shortest and longest election timeout of Raft. Source: raft 3 */
  readonly minElectTimeMs?: number;
  readonly maxElectTimeMs?: number;
  /** Not part of the genesis block. */
  readonly eventFilter?: EventFilterLimits;
}

/** Election timeouts of a genesis file without them, in milliseconds. Source: groups 6 */
export const DEFAULT_ELECT_TIME_MS = { min: 1_000, max: 2_000 } as const;

/**
 * The values in force for the block after `number`. Source: precompiles 4; storage 2 (enable_num)
 */
export interface GroupConfig {
  /** Head that these values were read at. */
  readonly number: number;
  readonly txCountLimit: number;
  readonly txGasLimit: bigint;
  readonly consensusTimeoutSeconds: number;
  /** Roles in table order; sorting is the consensus's business. */
  readonly sealers: readonly NodeId[];
  readonly observers: readonly NodeId[];
}

/** Block sync as an operator sets it, with the keys of group.N.ini. Source: sync 3, 4 */
export interface SyncTuning {
  /** `sync.max_block_sync_memory_size`, in bytes. */
  readonly maxMemoryBytes: number;
  /** `sync.idle_wait_ms`: how often a new height is looked for to announce. */
  readonly idleWaitMs: number;
  /** `sync.sync_block_by_tree`. */
  readonly statusByTree: boolean;
  readonly gossipIntervalMs: number;
  readonly gossipPeers: number;
  /** `sync.allow_free_node`. */
  readonly allowFreeNode: boolean;
}

/** How messages of PBFT are passed on to sealers without a session. Source: pbft 11; groups 7 */
export interface RelayTuning {
  /** Hops of a message where no list goes along: `consensus.ttl`. */
  readonly ttl: number;
  /** The list of those still to be reached goes along: `consensus.enable_ttl_optimization`. */
  readonly byList: boolean;
}

/** The local tuning of a group: what group.N.ini sets; never part of consensus. Source: groups 7 */
export interface GroupTuning {
  /** Source: txpool 4; pbft 4 */
  readonly minBlockGenerationTimeMs: number;
  readonly dynamicBlockSize: boolean;
  readonly blockSizeIncreaseRatio: number;
  readonly txPoolLimit: number;
  readonly txPoolMemoryBytes: number;
  readonly txExpirationMs: number;
  readonly sync: SyncTuning;
  readonly relay: RelayTuning;
  /** `consensus.max_future_ms`: how far a proposal may be ahead. Source: decision 27 */
  readonly maxFutureMs: number;
  /** `flow_control.outgoing_bandwidth_limit` in Mbit/s; absent: unlimited. Source: sync 10 */
  readonly outgoingMbit?: number | undefined;
  /**
   * `storage.enable_reconfirm_committee`: the one setting of the file that must be equal on all
   * nodes. Source: execution 8
   */
  readonly reconfirmCommittee?: boolean | undefined;
}

/** The defaults of the sync section. Source: sync 3, 4 */
export const DEFAULT_SYNC_TUNING: SyncTuning = {
  maxMemoryBytes: 512 * 1024 * 1024,
  idleWaitMs: 200,
  statusByTree: true,
  gossipIntervalMs: 1_000,
  gossipPeers: 3,
  allowFreeNode: false,
};

/** The defaults of an absent group.N.ini. Source: pbft 11 */
export const DEFAULT_RELAY_TUNING: RelayTuning = { ttl: 2, byList: true };

/** The defaults of an absent group.N.ini. */
export const DEFAULT_TUNING: GroupTuning = {
  minBlockGenerationTimeMs: 500,
  dynamicBlockSize: true,
  blockSizeIncreaseRatio: 0.5,
  txPoolLimit: 102_400,
  txPoolMemoryBytes: 512 * 1024 * 1024,
  txExpirationMs: 600_000,
  sync: DEFAULT_SYNC_TUNING,
  relay: DEFAULT_RELAY_TUNING,
  maxFutureMs: 15_000,
  reconfirmCommittee: false,
};
