/** group.N.ini as text and as values. Source: groups 7 */
import type { NodeId } from "../../core/bytes/ids.ts";
import type { GenesisConfig, GroupTuning, SyncTuning } from "../../core/model/config.ts";
import { NEWEST_VERSION, type Version, version } from "../../core/model/version.ts";
import type { Reading } from "./config-fault.ts";
import { Findings, readValues, writeValues } from "./config-reader.ts";
import type { SomeValues, Values } from "./config-schema.ts";
import { GROUP_SCHEMA } from "./config-schema-group.ts";

/** What else than the file decides about defaults. */
export interface GroupContext {
  readonly version: Version;
  readonly genesis?: Pick<GenesisConfig, "consensusType" | "consensusTimeoutSeconds">;
}

/** Limits of traffic; undefined is unlimited. Source: sync 10; node-network 6 */
export interface FlowControl {
  readonly requestsPerSecond: number | undefined;
  readonly outgoingMbit: number | undefined;
}

/** Sync between nodes: what block sync is told, and the rest of the section. Source: sync 3-5 */
export interface SyncSection extends SyncTuning {
  readonly transactionsByTree: boolean;
  readonly maxTransactionGossipPeers: number;
  readonly printIntervalMinutes: number;
}

/** Consensus messages between nodes. Source: groups 7 */
export interface ConsensusTuning {
  readonly ttl: number;
  readonly ttlOptimization: boolean;
  readonly prepareWithHashes: boolean;
  readonly missedTransactionsWaitMs: number;
  readonly missedPrepareWaitMs: number;
}

/** All that group.N.ini sets and this node knows. */
export interface GroupFile {
  readonly tuning: GroupTuning;
  readonly consensus: ConsensusTuning;
  readonly sync: SyncSection;
  readonly flowControl: FlowControl;
  /** SDKs that may use the group; empty admits all. Reloadable. */
  readonly sdkAllowlist: readonly NodeId[];
}

type GroupValues = Values<typeof GROUP_SCHEMA>;

const MEBIBYTE = 1024 * 1024;
const SECOND_MS = 1_000;
const OPTIMIZED_FROM = version(2, 2, 0);
const TREES_ABOVE = version(2, 1, 0);

/**
 * Reads group.N.ini; an empty text stands for an absent file.
 *
 * @param file its name, for messages
 * @throws ConfigFault when a value is not allowed
 * Source: groups 7
 */
export function readGroupFile(
  text: string,
  file: string,
  context: GroupContext = { version: NEWEST_VERSION },
): Reading<GroupFile> {
  const findings = new Findings(file);
  const values = readValues(GROUP_SCHEMA, text, findings);
  if (findings.entry("storage", "type") !== undefined && findings.problems.length === 0) {
    findings.inform("storage", "type", `${values.storage.type} means this node's own store`);
  }
  const txExpirationMs = expiration(values, context, findings);
  const { consensus, flow_control: flow } = values;
  return findings.finish(() => ({
    tuning: {
      minBlockGenerationTimeMs: consensus.min_block_generation_time,
      dynamicBlockSize: consensus.enable_dynamic_block_size,
      blockSizeIncreaseRatio: consensus.block_size_increase_ratio,
      txPoolLimit: values.tx_pool.limit,
      txPoolMemoryBytes: values.tx_pool.memory_limit * MEBIBYTE,
      txExpirationMs,
      sync: blockSync(values, context, findings),
      ...limitOf(flow.outgoing_bandwidth_limit),
      reconfirmCommittee: values.storage.enable_reconfirm_committee,
    },
    consensus: consensusOf(values, context, findings),
    sync: syncOf(values, context, findings),
    flowControl: {
      requestsPerSecond: flow.limit_req,
      outgoingMbit: flow.outgoing_bandwidth_limit,
    },
    sdkAllowlist: values.sdk_allowlist["public_key.<i>"],
  }));
}

/** Never shorter than the consensus timeout. Source: groups 7 (tx_pool) */
function expiration(values: GroupValues, { genesis }: GroupContext, findings: Findings): number {
  const seconds = values.tx_pool.txs_expiration_time;
  const least = genesis?.consensusTimeoutSeconds ?? 0;
  if (seconds >= least) return seconds * SECOND_MS;
  const line = findings.entry("tx_pool", "txs_expiration_time")?.line;
  const place = { line, section: "tx_pool", key: "txs_expiration_time" };
  findings.warn(place, `"${seconds}" acts as ${least}, the consensus timeout`);
  return least * SECOND_MS;
}

function consensusOf(
  { consensus }: GroupValues,
  context: GroupContext,
  findings: Findings,
): ConsensusTuning {
  const optimized = context.version >= OPTIMIZED_FROM;
  const isSet = (key: string): boolean => findings.entry("consensus", key) !== undefined;
  const ttlSet = isSet("enable_ttl_optimization");
  const hashesSet = isSet("enable_prepare_with_txsHash");
  return {
    ttl: consensus.ttl,
    ttlOptimization: ttlSet ? consensus.enable_ttl_optimization : optimized,
    prepareWithHashes: hashesSet ? consensus.enable_prepare_with_txsHash : optimized,
    missedTransactionsWaitMs: consensus.max_request_missedTxs_waitTime,
    missedPrepareWaitMs: consensus.max_request_prepare_waitTime,
  };
}

function limitOf(outgoingMbit: number | undefined): Pick<GroupTuning, "outgoingMbit"> {
  return outgoingMbit === undefined ? {} : { outgoingMbit };
}

/** Whether blocks or transactions travel along a tree; never in a Raft group. Source: sync 3, 5 */
function isByTree(
  key: "sync_block_by_tree" | "send_txs_by_tree",
  { sync }: GroupValues,
  { genesis, version: inForce }: GroupContext,
  findings: Findings,
): boolean {
  if (genesis?.consensusType === "raft") return false;
  return findings.entry("sync", key) === undefined ? inForce > TREES_ABOVE : sync[key];
}

function blockSync(values: GroupValues, context: GroupContext, findings: Findings): SyncTuning {
  const { sync } = values;
  return {
    maxMemoryBytes: sync.max_block_sync_memory_size * MEBIBYTE,
    idleWaitMs: sync.idle_wait_ms,
    statusByTree: isByTree("sync_block_by_tree", values, context, findings),
    gossipIntervalMs: sync.gossip_interval_ms,
    gossipPeers: sync.gossip_peers_number,
    allowFreeNode: sync.allow_free_node,
  };
}

function syncOf(values: GroupValues, context: GroupContext, findings: Findings): SyncSection {
  const { sync } = values;
  return {
    ...blockSync(values, context, findings),
    transactionsByTree: isByTree("send_txs_by_tree", values, context, findings),
    maxTransactionGossipPeers: sync.txs_max_gossip_peers_num,
    printIntervalMinutes: sync.print_info_interval,
  };
}

/**
 * The text of a group.N.ini: without values, what generateGroup writes.
 * Source: groups 7 (column Written)
 */
export function writeGroupFile(values: SomeValues<typeof GROUP_SCHEMA> = {}): string {
  return writeValues(GROUP_SCHEMA, values);
}
