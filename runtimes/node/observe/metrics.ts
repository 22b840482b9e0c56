/**
 * The figures of a node in Prometheus text. Nothing is gathered between two scrapes but what the
 * node counts anyway, one observation per block, and one per RPC call.
 */
import { statfs } from "node:fs/promises";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { ChannelCounters } from "../../../core/node/channel/channel-figures.ts";
import type { WrittenBlock } from "../../../core/node/options/group-options.ts";
import type { NodeApi } from "../../../core/api/node-api.ts";
import type { ObserveCall } from "../../../core/rpc/dispatch.ts";
import type { StorePassView } from "../../../core/ports/store.ts";
import { figureOf, median, type NodeHealth } from "../../shared/health.ts";
import type { P2pCounters } from "../../shared/p2p/counters.ts";
import type { EndpointState } from "../../shared/p2p/static-peers.ts";
import type { ChannelFigures } from "../server/channel-port.ts";
import type { WebSocketCounters } from "../server/websocket.ts";
import {
  type CounterName,
  COUNTERS,
  EVENTS,
  type GaugeName,
  GAUGES,
  type HistogramName,
  HISTOGRAMS,
  type MetricRow,
} from "./metric-names.ts";
import type { DiskWatch } from "./disk-watch.ts";
import type { TurnWatch } from "./turn-watch.ts";

interface MetricSources {
  readonly node: NodeApi;
  readonly health: () => NodeHealth;
  readonly counters: () => P2pCounters;
  readonly turns?: Pick<TurnWatch, "counters" | "onDelay">;
  readonly disk?: Pick<DiskWatch, "onSync">;
  readonly endpoints: () => readonly EndpointState[];
  readonly certificateDaysLeft: () => number;
  /** Name and agency of the certificate. */
  readonly membership: { readonly node: string; readonly agency: string };
  /** A folder on the disk of the ledgers. */
  readonly dataFolder: string;
}

type Labels = Readonly<Record<string, string>>;

const MS_PER_SECOND = 1_000;
const US_PER_SECOND = 1e6;
const DIRECTIONS = [
  ["in", "received"],
  ["out", "sent"],
] as const;

function settings(name: string, { help, labels = [] }: MetricRow, registers: [Registry]) {
  return { name, help, labelNames: [...labels], registers };
}

/** The figures of one node, which count from now on; a class because it owns a registry. */
export class NodeMetrics {
  readonly #sources: MetricSources;
  readonly #registry = new Registry();
  readonly #gauges = new Map<string, Gauge>();
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #errors: Counter;
  readonly #calls = new Map<string, Histogram.Internal<string>>();
  #channel: (() => ChannelCounters & ChannelFigures) | undefined;
  #webSockets: (() => WebSocketCounters) | undefined;
  readonly #lastBlock = new Map<number, WrittenBlock>();

  constructor(sources: MetricSources) {
    this.#sources = sources;
    const own: [Registry] = [this.#registry];
    for (const [name, row] of Object.entries(GAUGES))
      this.#gauges.set(name, new Gauge(settings(name, row, own)));
    for (const [name, row] of Object.entries(COUNTERS))
      this.#counters.set(name, new Counter(settings(name, row, own)));
    for (const [name, row] of Object.entries(HISTOGRAMS)) {
      const buckets = [...row.buckets];
      this.#histograms.set(name, new Histogram({ ...settings(name, row, own), buckets }));
    }
    const [[errors, row] = ["", { help: "" }]] = Object.entries(EVENTS);
    this.#errors = new Counter(settings(errors, row, own));
    const loop = this.#histogram("chain_node_event_loop_delay_seconds");
    sources.turns?.onDelay((ms) => loop?.observe(ms / MS_PER_SECOND));
    const disk = this.#histogram("chain_node_disk_sync_seconds");
    sources.disk?.onSync((group, ms) => {
      disk?.observe({ group: String(group) }, ms / MS_PER_SECOND);
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** For the dispatcher. */
  readonly observeCall: ObserveCall = (method) => {
    const begun = performance.now();
    return (code) => {
      this.#call(method)?.observe((performance.now() - begun) / MS_PER_SECOND);
      if (code !== undefined) this.#errors.inc({ method, code: String(code) });
    };
  };

  onBlock(block: WrittenBlock): void {
    const labels = { group: String(block.groupId) };
    const before = this.#lastBlock.get(block.groupId);
    this.#lastBlock.set(block.groupId, block);
    this.#histogram("chain_node_block_transactions")?.observe(labels, block.transactions);
    const delay = Math.max(0, Date.now() - block.timestamp) / MS_PER_SECOND;
    this.#histogram("chain_node_block_delay_seconds")?.observe(labels, delay);
    if (before?.number !== block.number - 1) return;
    const interval = Math.max(0, block.timestamp - before.timestamp) / MS_PER_SECOND;
    this.#histogram("chain_node_block_interval_seconds")?.observe(labels, interval);
  }

  /** From now on figures of the SDK port are shown too. */
  showChannel(counters: () => ChannelCounters & ChannelFigures): void {
    this.#channel = counters;
  }

  /** From now on figures of WebSockets are shown too. */
  showWebSockets(counters: () => WebSocketCounters): void {
    this.#webSockets = counters;
  }

  /** Reads all values and gives them as text. */
  async scrape(): Promise<string> {
    const { node, dataFolder } = this.#sources;
    const health = this.#sources.health();
    const running = health.groups.flatMap(({ group, running }) =>
      running && group !== null ? [group] : [],
    );
    const totals = await Promise.all(
      running.map(async (group) => [group, await node.group(group)?.ledger.totals()] as const),
    );
    const disk = await statfs(dataFolder).catch(() => undefined);
    // From here on without a pause, so that two scrapes at once cannot mix.
    for (const gauge of this.#gauges.values()) gauge.reset();
    for (const counter of this.#counters.values()) counter.reset();
    for (const [group, of] of totals) {
      if (!of) continue;
      const labels = { group: String(group) };
      this.#count("chain_node_transactions_total", Number(of.transactions), labels);
      this.#count("chain_node_failed_transactions_total", Number(of.failed), labels);
    }
    if (disk) {
      this.#set("chain_node_disk_free_bytes", disk.bavail * disk.bsize);
      this.#set("chain_node_disk_free_inodes", disk.ffree);
    }
    this.#setNode(health);
    this.#setGroups(health);
    this.#setPeers(health);
    this.#setTraffic();
    this.#setChannel();
    this.#setWebSockets();
    this.#setProcess();
    return this.#registry.metrics();
  }

  close(): void {
    this.#registry.clear();
  }

  #call(method: string): Histogram.Internal<string> | undefined {
    const known = this.#calls.get(method);
    if (known) return known;
    const made = this.#histogram("chain_node_rpc_duration_seconds")?.labels(method);
    if (made) this.#calls.set(method, made);
    return made;
  }

  #histogram(name: HistogramName): Histogram | undefined {
    return this.#histograms.get(name);
  }

  #set(name: GaugeName, value: number | undefined, labels: Labels = {}): void {
    if (value !== undefined) this.#gauges.get(name)?.set(labels, value);
  }

  #count(name: CounterName, value: number, labels: Labels = {}): void {
    this.#counters.get(name)?.inc(labels, value);
  }

  #countAll(name: CounterName, label: string, values: Readonly<Record<string, number>>): void {
    for (const [key, value] of Object.entries(values)) this.#count(name, value, { [label]: key });
  }

  #setNode(health: NodeHealth): void {
    const { ready, writable, version, supportedVersion, chainId, nodeId, groups } = health;
    const { membership, certificateDaysLeft } = this.#sources;
    this.#set("chain_node_info", 1, {
      version,
      supported_version: supportedVersion,
      chain_id: String(chainId),
      node_id: nodeId,
      ...membership,
    });
    this.#set("chain_node_ready", ready ? 1 : 0);
    this.#set("chain_node_writable", writable ? 1 : 0);
    this.#set("chain_node_certificate_days_left", certificateDaysLeft());
    const byStatus = new Map<string, number>();
    for (const { status } of groups) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    for (const [status, count] of byStatus) this.#set("chain_node_groups", count, { status });
  }

  #setGroups({ groups }: NodeHealth): void {
    for (const health of groups) {
      if (health.group === null) continue;
      const labels = { group: String(health.group) };
      this.#set("chain_node_group_running", health.running ? 1 : 0, labels);
      const group = this.#sources.node.group(health.group);
      if (!group) continue;
      this.#set("chain_node_block_height", health.height, labels);
      this.#set("chain_node_highest_block", health.highest, labels);
      this.#set("chain_node_sync_lag_blocks", health.behind, labels);
      this.#set("chain_node_syncing", health.syncing ? 1 : 0, labels);
      this.#set("chain_node_view", health.view, labels);
      const consensus = group.consensusStatus();
      const wanted = figureOf(consensus, "toView");
      const timeouts = figureOf(consensus, "viewTimeouts") ?? 0;
      this.#count("chain_node_view_timeouts_total", timeouts, labels);
      this.#set("chain_node_wanted_view", wanted, labels);
      this.#set("chain_node_sealing", health.role === "sealer" ? 1 : 0, labels);
      this.#set("chain_node_silent", health.silence ? 1 : 0, labels);
      this.#set("chain_node_sealers", health.sealers, labels);
      this.#set("chain_node_connected_sealers", health.connectedSealers, labels);
      this.#set("chain_node_voting_sealers", health.votingSealers, labels);
      for (const { nodeId, voting } of health.sealerVotes ?? []) {
        const vote = { ...labels, sealer: short(nodeId), state: voting };
        this.#set("chain_node_sealer_vote", 1, vote);
      }
      const ahead = health.blockTime && health.blockTime.aheadOfClockMs / MS_PER_SECOND;
      this.#set("chain_node_block_time_ahead_seconds", ahead, labels);
      this.#set("chain_node_quorum", health.quorum, labels);
      this.#set("chain_node_stalled_seconds", health.stall?.seconds ?? 0, labels);
      const foreign = health.otherGenesis?.length ?? 0;
      this.#set("chain_node_other_genesis_peers", foreign, labels);
      this.#set("chain_node_group_peers", health.connected, labels);
      this.#set("chain_node_pending_transactions", health.pending, labels);
      this.#count("chain_node_servings_held_back_total", group.servingsHeldBack?.() ?? 0, labels);
      this.#setPass(group.storePass?.(), labels);
      this.#count("chain_node_heavy_transactions_total", group.heavyFound?.() ?? 0, labels);
      const last = this.#lastBlock.get(health.group);
      const seconds = last && last.timestamp / MS_PER_SECOND;
      this.#set("chain_node_last_block_timestamp_seconds", seconds, labels);
    }
  }

  #setPass(pass: StorePassView | undefined, labels: Labels): void {
    if (!pass) return;
    this.#count("chain_node_store_passes_total", pass.passes, labels);
    this.#set("chain_node_store_pass_bytes", pass.bytes, labels);
    const seconds = pass.endedMs && pass.endedMs / MS_PER_SECOND;
    this.#set("chain_node_store_pass_end_time_seconds", seconds, labels);
  }

  #setPeers({ peers }: NodeHealth): void {
    this.#set("chain_node_peers", peers.length);
    const others = this.#sources.endpoints().filter(({ state }) => state !== "self");
    this.#set("chain_node_configured_peers", others.length);
    const skews: number[] = [];
    for (const { nodeId, node, rttMs, clockSkewMs } of peers) {
      const labels = { peer: short(nodeId), node };
      if (rttMs !== undefined)
        this.#set("chain_node_peer_rtt_seconds", rttMs / MS_PER_SECOND, labels);
      if (clockSkewMs === undefined) continue;
      this.#set("chain_node_peer_clock_skew_seconds", clockSkewMs / MS_PER_SECOND, labels);
      skews.push(clockSkewMs / MS_PER_SECOND);
    }
    this.#set("chain_node_clock_skew_seconds", median(skews));
  }

  #setTraffic(): void {
    const counters = this.#sources.counters();
    for (const [direction, field] of DIRECTIONS) {
      for (const [kind, { messages, bytes }] of Object.entries(counters[field])) {
        const labels = { direction, class: kind };
        this.#count("chain_node_p2p_messages_total", messages, labels);
        this.#count("chain_node_p2p_message_bytes_total", bytes, labels);
      }
    }
    const { bytesIn, bytesOut } = counters;
    this.#countAll("chain_node_p2p_bytes_total", "direction", { in: bytesIn, out: bytesOut });
    this.#countAll("chain_node_p2p_dropped_messages_total", "class", counters.dropped);
    this.#countAll("chain_node_p2p_rejected_frames_total", "reason", counters.rejected);
    this.#countAll("chain_node_p2p_refused_connections_total", "reason", counters.refused);
    this.#countAll("chain_node_p2p_ended_sessions_total", "reason", counters.ended);
    this.#count("chain_node_p2p_dials_total", counters.dials);
    this.#count("chain_node_p2p_failed_dials_total", counters.failedDials);
  }

  #setChannel(): void {
    const counters = this.#channel?.();
    if (!counters) return;
    const { sessions, heldBytes, opened, refused, ended } = counters;
    this.#set("chain_node_channel_sessions", sessions);
    this.#set("chain_node_channel_held_bytes", heldBytes);
    this.#count("chain_node_channel_opened_sessions_total", opened);
    this.#count("chain_node_channel_refused_sessions_total", refused);
    this.#countAll("chain_node_channel_ended_sessions_total", "reason", ended);
    const { framesIn, framesOut, bytesIn, bytesOut } = counters;
    const [frames, bytes] = [
      { in: framesIn, out: framesOut },
      { in: bytesIn, out: bytesOut },
    ];
    this.#countAll("chain_node_channel_frames_total", "direction", frames);
    this.#countAll("chain_node_channel_bytes_total", "direction", bytes);
    const { filters, amop } = counters;
    this.#set("chain_node_channel_event_filters", filters);
    this.#set("chain_node_channel_topics", amop.topics);
    this.#count("chain_node_channel_amop_messages_total", amop.fromClients, { from: "client" });
    this.#count("chain_node_channel_amop_messages_total", amop.fromNodes, { from: "node" });
  }

  #setWebSockets(): void {
    const counters = this.#webSockets?.();
    if (!counters) return;
    this.#set("chain_node_websocket_connections", counters.connections);
    this.#set("chain_node_websocket_subscriptions", counters.subscriptions);
    this.#count("chain_node_websocket_opened_connections_total", counters.opened);
    this.#count("chain_node_websocket_refused_connections_total", counters.refused);
  }

  #setProcess(): void {
    this.#set("chain_node_start_time_seconds", performance.timeOrigin / MS_PER_SECOND);
    for (const [kind, bytes] of Object.entries(process.memoryUsage()))
      this.#set("chain_node_memory_bytes", bytes, { kind: snake(kind) });
    const { user, system } = process.cpuUsage();
    this.#count("chain_node_cpu_seconds_total", user / US_PER_SECOND, { mode: "user" });
    this.#count("chain_node_cpu_seconds_total", system / US_PER_SECOND, { mode: "system" });
    const turns = this.#sources.turns?.counters();
    if (!turns) return;
    this.#count("chain_node_long_turns_total", turns.long);
    this.#set("chain_node_longest_turn_seconds", turns.longest / MS_PER_SECOND);
  }
}

function short(nodeId: NodeId): string {
  return nodeId.slice(0, 8);
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
