/**
 * Node and group status as JSON; each field list is also the schema of its result.
 *
 * Source: interface 2.6; rpc-semantics 5
 */
import { quantity } from "../bytes/quantity.ts";
import type { NodeId } from "../bytes/ids.ts";
import { formatVersion } from "../model/version.ts";
import type { CallOutcome } from "../ports/executor.ts";
import type { PeerInfo } from "../ports/network.ts";
import type {
  GroupApi,
  GroupOperationResult,
  GroupStatus,
  NodeApi,
  ConsensusStatus,
} from "../api/node-api.ts";
import type { TransactionTotals } from "../ports/ledger.ts";
import { farBytes } from "./far-values.ts";
import type { Json, JsonObject } from "./json.ts";
import {
  anyOf,
  BOOLEAN,
  BYTES,
  DECIMAL,
  HASH,
  INTEGER,
  listOf,
  NODE_ID,
  objectOf,
  QUANTITY,
  type Schema,
  type Shown,
  TEXT,
} from "./schema.ts";

const VERSION = {
  "Build Time": TEXT,
  "Build Type": TEXT,
  "Chain Id": DECIMAL,
  "Chain-Node Version": TEXT,
  "FISCO-BCOS Version": TEXT,
  "Git Branch": TEXT,
  "Git Commit Hash": TEXT,
  "Supported Version": TEXT,
};

const PBFT = {
  accountType: INTEGER,
  allowFutureBlocks: BOOLEAN,
  cfgErr: BOOLEAN,
  connectedNodes: INTEGER,
  consensusedBlockNumber: INTEGER,
  currentView: INTEGER,
  groupId: INTEGER,
  highestblockHash: HASH,
  highestblockNumber: INTEGER,
  leaderFailed: BOOLEAN,
  max_faulty_leader: INTEGER,
  nodeId: NODE_ID,
  nodeNum: INTEGER,
  node_index: INTEGER,
  omitEmptyBlock: BOOLEAN,
  protocolId: INTEGER,
  toView: INTEGER,
};

const RAFT = {
  accountType: INTEGER,
  allowFutureBlocks: BOOLEAN,
  cfgErr: BOOLEAN,
  consensusedBlockNumber: INTEGER,
  groupId: INTEGER,
  highestblockHash: HASH,
  highestblockNumber: INTEGER,
  leaderId: TEXT,
  leaderIdx: anyOf(INTEGER, TEXT),
  max_faulty_leader: INTEGER,
  "node index": INTEGER,
  nodeId: NODE_ID,
  nodeNum: INTEGER,
  node_index: INTEGER,
  omitEmptyBlock: BOOLEAN,
  protocolId: INTEGER,
};

const SYNC_PEER = { blockNumber: INTEGER, genesisHash: HASH, latestHash: HASH, nodeId: NODE_ID };

const SYNC = {
  blockNumber: INTEGER,
  genesisHash: HASH,
  isSyncing: BOOLEAN,
  knownHighestNumber: INTEGER,
  knownLatestHash: HASH,
  latestHash: HASH,
  nodeId: NODE_ID,
  peers: listOf(objectOf(SYNC_PEER)),
  protocolId: INTEGER,
  txPoolSize: DECIMAL,
};

const PEER = {
  Agency: TEXT,
  IPAndPort: TEXT,
  Node: TEXT,
  NodeID: NODE_ID,
  Topic: listOf(TEXT),
  nodeId: NODE_ID,
};

const TOTALS = { blockNumber: QUANTITY, failedTxSum: QUANTITY, txSum: QUANTITY };

const CALL_RESULT = { currentBlockNumber: QUANTITY, output: BYTES, status: QUANTITY };

const OPERATION = { code: QUANTITY, message: TEXT };

const STATUS_WORDS = ["", "INEXISTENT", "STOPPING", "RUNNING", "STOPPED", "DELETED", "UNKNOWN"];

/** `sealer.0`, `sealer.1` ... next to the fixed members. */
const SEALER_ENTRIES = { patternProperties: { "^sealer\\.[0-9]+$": NODE_ID } };
const PBFT_STATUS: Schema = { ...objectOf(PBFT), ...SEALER_ENTRIES };
const RAFT_STATUS: Schema = { ...objectOf(RAFT), ...SEALER_ENTRIES };

const VIEWS = listOf(objectOf({ nodeId: NODE_ID, view: INTEGER }));

/** Named objects of the self-description. */
export const STATUS_SCHEMAS: Readonly<Record<string, Schema>> = {
  Version: objectOf(VERSION),
  ConsensusStatus: anyOf(
    { type: "array", items: [PBFT_STATUS, VIEWS], minItems: 2, maxItems: 2 },
    { type: "array", items: [RAFT_STATUS], minItems: 1, maxItems: 1 },
  ),
  SyncStatus: objectOf(SYNC),
  Peer: objectOf(PEER),
  TransactionTotals: objectOf(TOTALS),
  CallResult: objectOf(CALL_RESULT),
  GroupOperation: objectOf(OPERATION),
  GroupStatus: objectOf({ ...OPERATION, status: { type: "string", enum: STATUS_WORDS } }),
};

/** Versions of the build and the chain, all as text. Source: rpc-semantics 5; decision 1, 13 */
export function presentVersion(node: NodeApi): Shown<typeof VERSION> {
  const { build } = node;
  // Clients choose their algorithms by the suffix. Source: sm-suite 1
  const release = node.suite.name === "national" ? `${build.version} gm` : build.version;
  return {
    "Build Time": build.buildTime,
    "Build Type": build.buildType,
    "Chain Id": String(node.chainId),
    "Chain-Node Version": release,
    "FISCO-BCOS Version": release,
    "Git Branch": build.gitBranch,
    "Git Commit Hash": build.gitCommit,
    "Supported Version": formatVersion(node.supportedVersion),
  };
}

/** Modules of a group share its protocol ID. Source: rpc-semantics 5.1, 5.2 */
const PROTOCOLS_PER_GROUP = 65_536;
const PBFT_MODULE = 8;
const RAFT_MODULE = 11;
const SYNC_MODULE = 9;

/** Of a group that has no leader, or knows none. Source: raft 9 */
const NO_LEADER = { leaderId: "get leader ID failed", leaderIdx: "NULL" };

/** One object for Raft, an object and the views for PBFT. Source: interface 2.6; raft 9 */
export function presentConsensusStatus(
  group: GroupApi,
  nodeId: NodeId,
  status: ConsensusStatus,
): Json {
  return status.kind === "raft"
    ? presentRaftStatus(group, nodeId, status)
    : presentPbftStatus(group, nodeId, status);
}

function sealerEntries(sealers: readonly NodeId[]): JsonObject {
  return Object.fromEntries(sealers.map((sealer, index) => [`sealer.${index}`, sealer]));
}

type StatusOf<Kind extends string> = Extract<ConsensusStatus, { readonly kind: Kind }>;

/** The index of the own node under both of its names. Source: raft 9; rpc-semantics 5.1 */
function presentRaftStatus(group: GroupApi, nodeId: NodeId, status: StatusOf<"raft">): Json {
  const { leader } = status;
  const leading = leader ? { leaderId: leader.nodeId, leaderIdx: leader.index } : NO_LEADER;
  const fixed: Shown<typeof RAFT> = {
    accountType: status.accountType,
    allowFutureBlocks: true,
    cfgErr: status.cfgErr,
    consensusedBlockNumber: status.consensusedBlockNumber,
    groupId: group.groupId,
    highestblockHash: status.highestblockHash,
    highestblockNumber: status.highestblockNumber,
    ...leading,
    max_faulty_leader: status.maxFaultyLeader,
    "node index": status.nodeIndex,
    nodeId,
    nodeNum: status.sealers.length,
    node_index: status.nodeIndex,
    omitEmptyBlock: true,
    protocolId: group.groupId * PROTOCOLS_PER_GROUP + RAFT_MODULE,
  };
  return [{ ...fixed, ...sealerEntries(status.sealers) }];
}

/** Status object and views. Source: rpc-semantics 5.1 */
function presentPbftStatus(group: GroupApi, nodeId: NodeId, status: StatusOf<"pbft">): Json {
  const fixed: Shown<typeof PBFT> = {
    accountType: status.accountType,
    allowFutureBlocks: true,
    cfgErr: status.cfgErr,
    connectedNodes: status.connectedNodes,
    consensusedBlockNumber: status.consensusedBlockNumber,
    currentView: status.currentView,
    groupId: group.groupId,
    highestblockHash: status.highestblockHash,
    highestblockNumber: status.highestblockNumber,
    leaderFailed: status.leaderFailed,
    max_faulty_leader: status.maxFaulty,
    nodeId,
    nodeNum: status.sealers.length,
    node_index: status.nodeIndex,
    omitEmptyBlock: true,
    protocolId: group.groupId * PROTOCOLS_PER_GROUP + PBFT_MODULE,
    toView: status.toView,
  };
  const views = status.views.map(({ nodeId: sealer, view }) => ({ nodeId: sealer, view }));
  return [{ ...fixed, ...sealerEntries(status.sealers) }, views];
}

/**
 * Where the group's ledger stands among its peers; hashes with 0x.
 *
 * Source: rpc-semantics 5.2; decision 2
 */
export function presentSyncStatus(group: GroupApi, nodeId: NodeId): Shown<typeof SYNC> {
  const head = group.ledger.head();
  const status = group.syncStatus();
  return {
    blockNumber: head.number,
    genesisHash: group.ledger.genesisHash(),
    isSyncing: status.isSyncing,
    knownHighestNumber: status.knownHighestNumber,
    knownLatestHash: status.knownLatestHash,
    latestHash: head.hash,
    nodeId,
    peers: status.peers.map(
      (peer): Shown<typeof SYNC_PEER> => ({
        blockNumber: peer.number,
        genesisHash: peer.genesisHash,
        latestHash: peer.latestHash,
        nodeId: peer.nodeId,
      }),
    ),
    protocolId: group.groupId * PROTOCOLS_PER_GROUP + SYNC_MODULE,
    txPoolSize: String(group.pendingCount()),
  };
}

/** A connected peer, its ID under both spellings. Source: rpc-semantics 5.3; decision 1 */
export function presentPeer(peer: PeerInfo): Shown<typeof PEER> {
  return {
    Agency: peer.agency,
    IPAndPort: peer.endpoint,
    Node: peer.node,
    NodeID: peer.nodeId,
    Topic: peer.topics,
    nodeId: peer.nodeId,
  };
}

/** Counters of the ledger. Source: rpc-semantics 5 */
export function presentTotals(totals: TransactionTotals): Shown<typeof TOTALS> {
  return {
    blockNumber: quantity(totals.number),
    failedTxSum: quantity(totals.failed),
    txSum: quantity(totals.transactions),
  };
}

/** What a call returned. Source: rpc-semantics 7 */
export function presentCall(outcome: CallOutcome): Shown<typeof CALL_RESULT> {
  return {
    currentBlockNumber: quantity(outcome.number),
    output: farBytes(outcome.output),
    status: quantity(outcome.status),
  };
}

/** Code and message of a group operation. Source: rpc-semantics 10 */
export function presentOperation(result: GroupOperationResult): Shown<typeof OPERATION> {
  return { code: quantity(result.code), message: result.message };
}

/**
 * The status word next to them; empty when the group ID is out of range.
 *
 * Source: rpc-semantics 10
 */
export function presentGroupStatus(
  result: GroupOperationResult & { readonly status: GroupStatus | "" },
): JsonObject {
  return { ...presentOperation(result), status: result.status };
}
