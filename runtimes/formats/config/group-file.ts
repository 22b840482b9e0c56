/** group.N.ini as text and as values. Source: groups 7 */
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { GenesisConfig, GroupTuning, SyncTuning } from "../../../core/model/config.ts";
import { NEWEST_VERSION, type Version, version } from "../../../core/model/version.ts";
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

/** All that group.N.ini sets and this node knows. */
export interface GroupFile {
  readonly tuning: GroupTuning;
  readonly flowControl: FlowControl;
  /** SDKs that may use the group; empty admits all. Reloadable. */
  readonly sdkAllowlist: readonly NodeId[];
}

type GroupValues = Values<typeof GROUP_SCHEMA>;

const MEBIBYTE = 1024 * 1024;
const SECOND_MS = 1_000;
const TREES_ABOVE = version(2, 1, 0);
const LISTS_FROM = version(2, 2, 0);

/**
 * Reads group.N.ini; an empty text stands for an absent file.
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
  if (findings.entry("storage", "type") !== undefined && findings.problems.length === 0)
    findings.inform("storage", "type", `${values.storage.type} means this node's own store`);
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
      maxFutureMs: consensus.max_future_ms,
      relay: { ttl: consensus.ttl, byList: isByList(values, context, findings) },
      ...limitOf(flow.outgoing_bandwidth_limit),
      reconfirmCommittee: values.storage.enable_reconfirm_committee,
    },
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

function limitOf(outgoingMbit: number | undefined): Pick<GroupTuning, "outgoingMbit"> {
  return outgoingMbit === undefined ? {} : { outgoingMbit };
}

/** Whether the status of blocks travels along a tree; never in a Raft group. Source: sync 3 */
function isByTree(
  { sync }: GroupValues,
  { genesis, version: inForce }: GroupContext,
  findings: Findings,
): boolean {
  if (genesis?.consensusType === "raft") return false;
  const isSet = findings.entry("sync", "sync_block_by_tree") !== undefined;
  return isSet ? sync.sync_block_by_tree : inForce > TREES_ABOVE;
}

/** Whether messages of consensus carry the list of those to be reached. Source: pbft 11 */
function isByList(
  { consensus }: GroupValues,
  { version: inForce }: GroupContext,
  findings: Findings,
): boolean {
  const isSet = findings.entry("consensus", "enable_ttl_optimization") !== undefined;
  return isSet ? consensus.enable_ttl_optimization : inForce >= LISTS_FROM;
}

function blockSync(values: GroupValues, context: GroupContext, findings: Findings): SyncTuning {
  const { sync } = values;
  return {
    maxMemoryBytes: sync.max_block_sync_memory_size * MEBIBYTE,
    idleWaitMs: sync.idle_wait_ms,
    statusByTree: isByTree(values, context, findings),
    gossipIntervalMs: sync.gossip_interval_ms,
    gossipPeers: sync.gossip_peers_number,
    allowFreeNode: sync.allow_free_node,
  };
}

/** The text of a group.N.ini: without values, what generateGroup writes. Source: groups 7 */
export function writeGroupFile(values: SomeValues<typeof GROUP_SCHEMA> = {}): string {
  return writeValues(GROUP_SCHEMA, values);
}
