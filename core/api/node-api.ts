/** What rpc, channel and tools may ask of a node: types only, no implementation. */
import type { GroupId, Hash, NodeId } from "../bytes/ids.ts";
import type { PoolRefusalName } from "../fault/transaction-status.ts";
import type { EventFilterLimits } from "../model/config.ts";
import type { SignedTransaction } from "../model/transaction.ts";
import type { Version } from "../model/version.ts";
import type { SealerVoting } from "../model/voting.ts";
import type { PbftStatus } from "../consensus/pbft/status.ts";
import type { RaftStatus } from "../consensus/raft/status.ts";
import type { AbstentionView } from "../consensus/abstention.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import type { Asker } from "../ports/asker.ts";
import type { CallOutcome, CallRequest } from "../ports/executor.ts";
import type { LedgerApi } from "../ports/ledger.ts";
import type { StorePassView } from "../ports/store.ts";
import type { PeerInfo } from "../ports/network.ts";

/** Version facts of this build. Source: interface 2.6 */
export interface BuildInfo {
  readonly version: string;
  readonly buildTime: string;
  readonly buildType: string;
  readonly gitBranch: string;
  readonly gitCommit: string;
}

/** How the consensus of a group stands. */
export type ConsensusStatus = PbftStatus | RaftStatus;

/** Sync status. Source: interface 2.6; sync 8 */
export interface SyncStatus {
  readonly isSyncing: boolean;
  readonly knownHighestNumber: number;
  readonly knownLatestHash: Hash;
  /** Ordered by node ID, own node absent. */
  readonly peers: readonly {
    readonly nodeId: NodeId;
    readonly number: number;
    readonly genesisHash: Hash;
    readonly latestHash: Hash;
    /** False until it has reported where it stands: it is shown at block 0 before. */
    readonly isHeard?: boolean;
  }[];
  /** Connected nodes that say that the group has another genesis block, ascending. */
  readonly otherGenesis?: readonly NodeId[];
  /** How long no peer has reported where it stands; for operators. */
  readonly quietMs?: number;
}

/** Why a submission was refused. Source: txpool 3.2; rpc-semantics 8 */
export type SubmitRefusal = PoolRefusalName;

/** What came of a submission. */
export type SubmitOutcome =
  | { readonly ok: true; readonly hash: Hash }
  | {
      readonly ok: false;
      readonly refusal: SubmitRefusal;
      readonly hash: Hash;
      readonly blockLimit: bigint;
    }
  /**
   * The bytes are not a transaction, or the signature does not recover. Source: rpc-semantics 8.2
   */
  | {
      readonly ok: false;
      readonly refusal: "undecodable";
      readonly reason: "BadRLP" | "InvalidTransactionFormat" | "InvalidSignature";
    };

/** A block in which watched transactions are. */
export interface WatchedBlock {
  readonly number: number;
  readonly hash: Hash;
  /** Those of its transactions that were watched, ascending by index. */
  readonly found: readonly { readonly hash: Hash; readonly index: number }[];
}

/** Told what became of transactions; each is watched no longer then. */
export interface TransactionWatcher {
  committed(block: WatchedBlock): void;
  /** They left the pool without having been in a block. */
  dropped(hashes: readonly Hash[]): void;
  /** The group stops: nobody will know. */
  ended(hashes: readonly Hash[]): void;
}

/** What somebody watches. */
export interface TransactionWatch {
  /** @returns false when it watches as many as it may */
  add(hash: Hash): boolean;
  remove(hash: Hash): void;
  /** Watches nothing any more. */
  close(): void;
}

/** The time of the newest block, for operators. Source: decision 27 */
export interface ChainTime {
  /** Of its header, in milliseconds since the epoch. */
  readonly timestamp: number;
  /** `[consensus] max_future_ms`. */
  readonly maxFutureMs: number;
}

/** One running group. */
export interface GroupApi {
  readonly groupId: GroupId;
  readonly consensusType: "pbft" | "raft";
  readonly ledger: LedgerApi;
  /** Absent: the built-in ones. */
  readonly eventLimits?: EventFilterLimits | undefined;
  /** True while the node is a sealer or an observer of the group. */
  isMember(): boolean;
  consensusStatus(): ConsensusStatus;
  syncStatus(): SyncStatus;
  /** Why and how long this sealer does not vote; undefined while it does. Source: decision 25 */
  abstention?(): AbstentionView | undefined;
  /** The time of the newest block. Source: decision 27 */
  chainTime?(): ChainTime;
  /** Sealers in force, and whether they vote as far as is known. Source: decision 34 */
  voting?(): readonly SealerVoting[];
  /** Times that a peer had to wait for blocks, or got none, because it had had its share. */
  servingsHeldBack?(): number;
  /** How far the look through everything that is stored has come. Source: decision 30 */
  storePass?(): StorePassView | undefined;
  /** Transactions so far that ran too long, and are packed alone. Source: decision 33 */
  heavyFound?(): number;
  /** Pool order; the list stays as it is when the pool goes on. */
  pendingTransactions(): readonly SignedTransaction[];
  pendingCount(): number;
  /** @param asker as the executor has it */
  call(request: CallRequest, asker?: Asker): Promise<CallOutcome>;
  /** Decodes, recovers the sender, imports; resolves after admission, before consensus. */
  submit(raw: Uint8Array): Promise<SubmitOutcome>;
  /** Tells what becomes of single transactions; costs nothing while none is watched. */
  watchTransactions?(watcher: TransactionWatcher): TransactionWatch;
}

/** Operations of interface 7.4. */
export type GroupOperation =
  | "generateGroup"
  | "startGroup"
  | "stopGroup"
  | "removeGroup"
  | "recoverGroup";
/** Status words of interface 3.1, and UNKNOWN for an unreadable record. */
export type GroupStatus = "INEXISTENT" | "STOPPING" | "RUNNING" | "STOPPED" | "DELETED" | "UNKNOWN";
/** Code and message of a group operation. */
export interface GroupOperationResult {
  /** Number of interface 7.4. */
  readonly code: number;
  readonly message: string;
}

/** How a group of which the node has files stands. */
export interface GroupSummary {
  /** Undefined when not even the number of the group could be read. */
  readonly groupId: GroupId | undefined;
  /** What it should be: RUNNING also of a group that could not be started or has failed. */
  readonly status: GroupStatus;
  /** Whether it does run. */
  readonly isRunning: boolean;
  /** Why it does not run. */
  readonly failure: string | undefined;
  /** Its ledger is damaged, and built anew from peers now. Source: decision 30 */
  readonly isRepairing?: boolean;
}

/** The peers that a node dials; they change while it runs. Source: node-network 5 */
export interface PeerList {
  /** In the order of the configuration. */
  configured(): readonly string[];
  isEndpoint(text: string): boolean;
  /** `p2p.peers_param_limit`. */
  readonly paramLimit: number;
  /** Adds endpoints for good, or says why not. */
  add(endpoints: readonly string[]): Promise<GroupOperationResult>;
  /** Forgets endpoints for good; their sessions stay. */
  erase(endpoints: readonly string[]): Promise<GroupOperationResult>;
}

/** A node. */
export interface NodeApi {
  readonly nodeId: NodeId;
  readonly build: BuildInfo;
  readonly chainId: number;
  readonly supportedVersion: Version;
  readonly suite: CryptoSuite;
  /** False until the groups are loaded: -40010 until then. */
  isReady(): boolean;
  /** Running groups of which this node is a member, ascending. */
  groupList(): readonly GroupId[];
  /** A running group, member or not; undefined when there is none. */
  group(groupId: number): GroupApi | undefined;
  /** Why a group that should run does not; undefined when it runs, or should not. */
  groupHalt?(groupId: number): string | undefined;
  /**
   * What a group that has failed still gives: blocks that prove themselves by hash, and to all else
   * an RpcFault with why. Undefined where nothing can be read. Source: decision 30
   */
  provenBlocks?(groupId: number): LedgerApi | undefined;
  peers(): readonly PeerInfo[];
  /** The node in the form of a peer, for getNodeInfo. Source: rpc-semantics 13 */
  self?(): PeerInfo;
  /** Configured peer addresses `ip:port`, for queryPeers. Source: rpc-semantics 13 */
  configuredPeers?(): readonly string[];
  /** Absent where peers cannot be changed: in a dev chain and in a browser. */
  readonly peerList?: PeerList;
  /** All groups of which the node has files, also those that could not be loaded. */
  groups?(): readonly GroupSummary[];
  /** `rpc.disable_dynamic_group`. */
  readonly dynamicGroupDisabled: boolean;
  /** `rpc.act_as_group_member`. */
  readonly actAsGroupMember: boolean;
  /** `rpc.max_call_output`; 4 MiB when absent. Source: decision 28 */
  readonly maxCallOutputBytes?: number | undefined;
  /** Arguments are already checked as far as rpc-semantics 10 asks before the state is examined. */
  manageGroup(
    operation: GroupOperation,
    groupId: number,
    params?: GenerateGroupParams,
  ): Promise<GroupOperationResult>;
  groupStatus(groupId: number): Promise<GroupOperationResult & { readonly status: GroupStatus }>;
}

/** Checked arguments of generateGroup. Source: groups 3 */
export interface GenerateGroupParams {
  readonly timestamp: bigint;
  /** Distinct, ascending. */
  readonly sealers: readonly NodeId[];
  readonly freeStorage: boolean;
}
