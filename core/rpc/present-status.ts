/**
 * Node and group status as JSON; each field list is also the schema of its result.
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
  SyncStatus,
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
  type Members,
  NODE_ID,
  objectOf,
  QUANTITY,
  type Schema,
  shape,
  TEXT,
} from "./schema.ts";

type Versions = Pick<NodeApi, "build" | "chainId" | "suite" | "supportedVersion">;

/** Clients choose their algorithms by the suffix. Source: sm-suite 1 */
function releaseOf({ suite, build }: Versions): string {
  return suite.name === "national" ? `${build.version} gm` : build.version;
}

const VERSION = shape<Versions>({
  "Build Time": [TEXT, ({ build }) => build.buildTime],
  "Build Type": [TEXT, ({ build }) => build.buildType],
  "Chain Id": [DECIMAL, ({ chainId }) => String(chainId)],
  "Chain-Node Version": [TEXT, releaseOf],
  "FISCO-BCOS Version": [TEXT, releaseOf],
  "Git Branch": [TEXT, ({ build }) => build.gitBranch],
  "Git Commit Hash": [TEXT, ({ build }) => build.gitCommit],
  "Supported Version": [TEXT, ({ supportedVersion }) => formatVersion(supportedVersion)],
});

/** Modules of a group share its protocol ID. Source: rpc-semantics 5.1, 5.2 */
const PROTOCOLS_PER_GROUP = 65_536;
const PBFT_MODULE = 8;
const RAFT_MODULE = 11;
const SYNC_MODULE = 9;

type StatusOf<Kind extends string> = Extract<ConsensusStatus, { readonly kind: Kind }>;

/** What a consensus status is shown of. */
interface Standing<Status = ConsensusStatus> {
  readonly group: GroupApi;
  readonly nodeId: NodeId;
  readonly status: Status;
}

const CONSENSUS: Members<Standing> = {
  accountType: [INTEGER, ({ status }) => status.accountType],
  allowFutureBlocks: [BOOLEAN, () => true],
  cfgErr: [BOOLEAN, ({ status }) => status.cfgErr],
  consensusedBlockNumber: [INTEGER, ({ status }) => status.consensusedBlockNumber],
  groupId: [INTEGER, ({ group }) => group.groupId],
  highestblockHash: [HASH, ({ status }) => status.highestblockHash],
  highestblockNumber: [INTEGER, ({ status }) => status.highestblockNumber],
  nodeId: [NODE_ID, ({ nodeId }) => nodeId],
  nodeNum: [INTEGER, ({ status }) => status.sealers.length],
  node_index: [INTEGER, ({ status }) => status.nodeIndex],
  omitEmptyBlock: [BOOLEAN, () => true],
};

/** Source: rpc-semantics 5.1 */
const PBFT = shape<Standing<StatusOf<"pbft">>>({
  ...CONSENSUS,
  connectedNodes: [INTEGER, ({ status }) => status.connectedNodes],
  currentView: [INTEGER, ({ status }) => status.currentView],
  leaderFailed: [BOOLEAN, ({ status }) => status.leaderFailed],
  max_faulty_leader: [INTEGER, ({ status }) => status.maxFaulty],
  protocolId: [INTEGER, ({ group }) => group.groupId * PROTOCOLS_PER_GROUP + PBFT_MODULE],
  toView: [INTEGER, ({ status }) => status.toView],
});

/**
 * A group that has no leader, or knows none, says so in words; the index of the own node is there
 * under both of its names. Source: raft 9; rpc-semantics 5.1
 */
const RAFT = shape<Standing<StatusOf<"raft">>>({
  ...CONSENSUS,
  leaderId: [TEXT, ({ status }) => status.leader?.nodeId ?? "get leader ID failed"],
  leaderIdx: [anyOf(INTEGER, TEXT), ({ status }) => status.leader?.index ?? "NULL"],
  max_faulty_leader: [INTEGER, ({ status }) => status.maxFaultyLeader],
  "node index": [INTEGER, ({ status }) => status.nodeIndex],
  protocolId: [INTEGER, ({ group }) => group.groupId * PROTOCOLS_PER_GROUP + RAFT_MODULE],
});

const SYNC_PEER = shape<SyncStatus["peers"][number]>({
  blockNumber: [INTEGER, ({ number }) => number],
  genesisHash: [HASH, ({ genesisHash }) => genesisHash],
  latestHash: [HASH, ({ latestHash }) => latestHash],
  nodeId: [NODE_ID, ({ nodeId }) => nodeId],
});

const SYNC = shape<Standing<SyncStatus>>({
  blockNumber: [INTEGER, ({ group }) => group.ledger.head().number],
  genesisHash: [HASH, ({ group }) => group.ledger.genesisHash()],
  isSyncing: [BOOLEAN, ({ status }) => status.isSyncing],
  knownHighestNumber: [INTEGER, ({ status }) => status.knownHighestNumber],
  knownLatestHash: [HASH, ({ status }) => status.knownLatestHash],
  latestHash: [HASH, ({ group }) => group.ledger.head().hash],
  nodeId: [NODE_ID, ({ nodeId }) => nodeId],
  peers: [listOf(SYNC_PEER.schema), ({ status }) => status.peers.map(SYNC_PEER.present)],
  protocolId: [INTEGER, ({ group }) => group.groupId * PROTOCOLS_PER_GROUP + SYNC_MODULE],
  txPoolSize: [DECIMAL, ({ group }) => String(group.pendingCount())],
});

const PEER = shape<PeerInfo>({
  Agency: [TEXT, ({ agency }) => agency],
  IPAndPort: [TEXT, ({ endpoint }) => endpoint],
  Node: [TEXT, ({ node }) => node],
  NodeID: [NODE_ID, ({ nodeId }) => nodeId],
  Topic: [listOf(TEXT), ({ topics }) => topics],
  nodeId: [NODE_ID, ({ nodeId }) => nodeId],
});

const TOTALS = shape<TransactionTotals>({
  blockNumber: [QUANTITY, ({ number }) => quantity(number)],
  failedTxSum: [QUANTITY, ({ failed }) => quantity(failed)],
  txSum: [QUANTITY, ({ transactions }) => quantity(transactions)],
});

const CALL_RESULT = shape<CallOutcome>({
  currentBlockNumber: [QUANTITY, ({ number }) => quantity(number)],
  output: [BYTES, ({ output }) => farBytes(output)],
  status: [QUANTITY, ({ status }) => quantity(status)],
});

const OPERATION: Members<GroupOperationResult> = {
  code: [QUANTITY, ({ code }) => quantity(code)],
  message: [TEXT, ({ message }) => message],
};
const GROUP_OPERATION = shape(OPERATION);

const STATUS_WORDS = ["", "INEXISTENT", "STOPPING", "RUNNING", "STOPPED", "DELETED", "UNKNOWN"];
const GROUP_STATUS = shape<GroupOperationResult & { readonly status: GroupStatus | "" }>({
  ...OPERATION,
  status: [{ type: "string", enum: STATUS_WORDS }, ({ status }) => status],
});

/** `sealer.0`, `sealer.1` ... next to the fixed members. */
const SEALER_ENTRIES = { patternProperties: { "^sealer\\.[0-9]+$": NODE_ID } };
const PBFT_STATUS: Schema = { ...PBFT.schema, ...SEALER_ENTRIES };
const RAFT_STATUS: Schema = { ...RAFT.schema, ...SEALER_ENTRIES };

const VIEWS = listOf(objectOf({ nodeId: NODE_ID, view: INTEGER }));

/** Named objects of the self-description. */
export const STATUS_SCHEMAS: Readonly<Record<string, Schema>> = {
  Version: VERSION.schema,
  ConsensusStatus: anyOf(
    { type: "array", items: [PBFT_STATUS, VIEWS], minItems: 2, maxItems: 2 },
    { type: "array", items: [RAFT_STATUS], minItems: 1, maxItems: 1 },
  ),
  SyncStatus: SYNC.schema,
  Peer: PEER.schema,
  TransactionTotals: TOTALS.schema,
  CallResult: CALL_RESULT.schema,
  GroupOperation: GROUP_OPERATION.schema,
  GroupStatus: GROUP_STATUS.schema,
};

/** Versions of the build and the chain, all as text. Source: rpc-semantics 5; decision 1, 13 */
export function presentVersion({ build, chainId, suite, supportedVersion }: NodeApi): JsonObject {
  return VERSION.present({ build, chainId, suite, supportedVersion });
}

/** One object for Raft, an object and the views for PBFT. Source: interface 2.6; raft 9 */
export function presentConsensusStatus(
  group: GroupApi,
  nodeId: NodeId,
  status: ConsensusStatus,
): Json {
  const sealers = Object.fromEntries(status.sealers.map((id, index) => [`sealer.${index}`, id]));
  if (status.kind === "raft") return [{ ...RAFT.present({ group, nodeId, status }), ...sealers }];
  const views = status.views.map(({ nodeId: sealer, view }) => ({ nodeId: sealer, view }));
  return [{ ...PBFT.present({ group, nodeId, status }), ...sealers }, views];
}

/**
 * Where the group's ledger stands among its peers; hashes with 0x.
 * Source: rpc-semantics 5.2; decision 2
 */
export function presentSyncStatus(group: GroupApi, nodeId: NodeId): JsonObject {
  return SYNC.present({ group, nodeId, status: group.syncStatus() });
}

/** A connected peer, its ID under both spellings. Source: rpc-semantics 5.3; decision 1 */
export const presentPeer = PEER.present;

/** Counters of the ledger. Source: rpc-semantics 5 */
export const presentTotals = TOTALS.present;

/** What a call returned. Source: rpc-semantics 7 */
export const presentCall = CALL_RESULT.present;

/** Code and message of a group operation. Source: rpc-semantics 10 */
export const presentOperation = GROUP_OPERATION.present;

/** With the status word; empty when the group ID is out of range. Source: rpc-semantics 10 */
export const presentGroupStatus = GROUP_STATUS.present;
