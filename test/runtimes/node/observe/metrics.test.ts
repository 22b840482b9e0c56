/** The figures of a node: what a scrape says, and what is fed between scrapes. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { WrittenBlock } from "../../../../core/node/options/group-options.ts";
import type { NodeApi } from "../../../../core/api/node-api.ts";
import { NodeMetrics } from "../../../../runtimes/node/observe/metrics.ts";
import { serveMetrics } from "../../../../runtimes/node/observe/metrics-server.ts";
import { healthOf, median } from "../../../../runtimes/shared/health.ts";
import { newCounters } from "../../../../runtimes/shared/p2p/counters.ts";
import { nodeIdOf } from "../../../support/data-node.ts";
import { rpcNode } from "../../../support/rpc-node.ts";

const NOW = 1_700_000_000_000;
const PEER = { endpoint: "127.0.0.1:1", agency: "a", node: "n1", topics: [] };
const RUNS = { groupId: 1, status: "RUNNING", isRunning: true, failure: undefined } as const;

function metricsOf(changes: Partial<NodeApi> = {}) {
  const group = {
    chainTime: () => ({ timestamp: NOW - 90_000, maxFutureMs: 15_000 }),
    voting: () => [{ nodeId: nodeIdOf("a1"), voting: "behind" as const }],
  };
  const node = rpcNode(
    {
      groups: () => [RUNS, { ...RUNS, groupId: 2, status: "STOPPED", isRunning: false }],
      peers: () => [{ nodeId: nodeIdOf("a1"), ...PEER }],
      ...changes,
    },
    group,
  );
  const counters = newCounters();
  const gauge = { rttMs: () => 2, clockSkewMs: () => -31_500 };
  const metrics = new NodeMetrics({
    node,
    health: () => healthOf(node, gauge, undefined, NOW),
    counters: () => counters,
    endpoints: () => [
      { endpoint: "127.0.0.1:1", state: "self" },
      { endpoint: "127.0.0.1:2", state: "connected", nodeId: nodeIdOf("a1") },
    ],
    certificateDaysLeft: () => 29,
    membership: { node: "n0", agency: "a" },
    dataFolder: ".",
  });
  return { metrics, counters };
}

/** The value of a line; labels in the order of the text. */
function lineValue(text: string, line: string): number | undefined {
  const found = text.split("\n").find((candidate) => candidate.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

async function withMetrics(body: (metrics: NodeMetrics) => Promise<void>): Promise<void> {
  const { metrics } = metricsOf();
  try {
    await body(metrics);
  } finally {
    metrics.close();
  }
}

const BLOCK: WrittenBlock = {
  groupId: 1,
  number: 7,
  hash: "0x",
  transactions: 30,
  failed: 0,
  sealer: 0,
  timestamp: 1_000_000,
} as unknown as WrittenBlock;

test("a scrape says how node, groups and peers stand", async () => {
  const { metrics, counters } = metricsOf();
  counters.dropped.transactions = 5;
  counters.received.consensus.messages = 9;
  counters.refused["blacklisted"] = 2;
  const text = await metrics.scrape();
  const expected: Readonly<Record<string, number>> = {
    chain_node_ready: 1,
    'chain_node_block_height{group="1"}': 2,
    'chain_node_view{group="1"}': 7,
    'chain_node_sealing{group="1"}': 1,
    'chain_node_silent{group="1"}': 0,
    'chain_node_sync_lag_blocks{group="1"}': 0,
    'chain_node_transactions_total{group="1"}': 7,
    'chain_node_failed_transactions_total{group="1"}': 1,
    'chain_node_group_running{group="2"}': 0,
    'chain_node_groups{status="STOPPED"}': 1,
    chain_node_peers: 1,
    chain_node_configured_peers: 1,
    'chain_node_connected_sealers{group="1"}': 2,
    'chain_node_quorum{group="1"}': 3,
    'chain_node_voting_sealers{group="1"}': 1,
    'chain_node_sealer_vote{group="1",sealer="a1a1a1a1",state="behind"}': 1,
    'chain_node_sealer_vote{group="1",sealer="c3c3c3c3",state="missing"}': 1,
    'chain_node_block_time_ahead_seconds{group="1"}': -90,
    'chain_node_stalled_seconds{group="1"}': 0,
    'chain_node_other_genesis_peers{group="1"}': 0,
    chain_node_writable: 0,
    'chain_node_peer_clock_skew_seconds{peer="a1a1a1a1",node="n1"}': -31.5,
    chain_node_clock_skew_seconds: -31.5,
    chain_node_certificate_days_left: 29,
    'chain_node_p2p_dropped_messages_total{class="transactions"}': 5,
    'chain_node_p2p_messages_total{direction="in",class="consensus"}': 9,
    'chain_node_p2p_refused_connections_total{reason="blacklisted"}': 2,
  };
  for (const [line, value] of Object.entries(expected))
    assert.equal(lineValue(text, line), value, line);
  assert.ok((lineValue(text, 'chain_node_memory_bytes{kind="rss"}') ?? 0) > 1e6);
  assert.ok((lineValue(text, "chain_node_disk_free_bytes") ?? 0) > 0);
  metrics.close();
});

test("ports of clients have figures once they are open", async () => {
  await withMetrics(async (metrics) => {
    metrics.showWebSockets(() => ({ connections: 3, subscriptions: 5, opened: 8, refused: 2 }));
    const calm = { idle: 0, malformed: 0, versions: 0, drained: 0, client: 3 };
    const ended = { ...calm, unread: 0, oversize: 0, memory: 0, stopped: 0 };
    const service = { sessions: 1, heldBytes: 0, running: 0, opened: 4, refused: 0, ended };
    const traffic = { framesIn: 0, framesOut: 0, bytesIn: 0, bytesOut: 0 };
    const amop = { topics: 6, fromClients: 7, fromNodes: 9 };
    metrics.showChannel(() => ({ ...service, ...traffic, filters: 11, amop }));
    const text = await metrics.scrape();
    const expected: Readonly<Record<string, number>> = {
      chain_node_websocket_connections: 3,
      chain_node_websocket_subscriptions: 5,
      chain_node_websocket_opened_connections_total: 8,
      chain_node_websocket_refused_connections_total: 2,
      chain_node_channel_sessions: 1,
      chain_node_channel_event_filters: 11,
      chain_node_channel_topics: 6,
      'chain_node_channel_amop_messages_total{from="client"}': 7,
      'chain_node_channel_amop_messages_total{from="node"}': 9,
    };
    for (const [line, value] of Object.entries(expected))
      assert.equal(lineValue(text, line), value, line);
  });
});

test("two scrapes at once and one after them say the same of what has not changed", async () => {
  await withMetrics(async (metrics) => {
    const line = 'chain_node_transactions_total{group="1"}';
    const texts = await Promise.all([metrics.scrape(), metrics.scrape()]);
    const values = [...texts, await metrics.scrape()].map((text) => lineValue(text, line));
    assert.deepEqual(values, [7, 7, 7]);
  });
});

test("blocks feed size and interval; a gap in the numbers is no interval", async () => {
  await withMetrics(async (metrics) => {
    metrics.onBlock(BLOCK);
    metrics.onBlock({ ...BLOCK, number: 8, timestamp: 1_000_400, transactions: 2 });
    metrics.onBlock({ ...BLOCK, number: 20, timestamp: 2_000_000 });
    const text = await metrics.scrape();
    assert.equal(lineValue(text, 'chain_node_block_transactions_count{group="1"}'), 3);
    assert.equal(lineValue(text, 'chain_node_block_transactions_sum{group="1"}'), 62);
    assert.equal(lineValue(text, 'chain_node_block_interval_seconds_count{group="1"}'), 1);
    assert.equal(lineValue(text, 'chain_node_block_interval_seconds_sum{group="1"}'), 0.4);
    assert.equal(lineValue(text, 'chain_node_block_delay_seconds_count{group="1"}'), 3);
    assert.equal(lineValue(text, 'chain_node_last_block_timestamp_seconds{group="1"}'), 2_000);
  });
});

test("calls are timed by method, errors counted by code", async () => {
  await withMetrics(async (metrics) => {
    metrics.observeCall("getBlockNumber")(undefined);
    metrics.observeCall("getBlockNumber")(-40_001);
    metrics.observeCall("call")(undefined);
    const text = await metrics.scrape();
    const count = "chain_node_rpc_duration_seconds_count";
    assert.equal(lineValue(text, `${count}{method="getBlockNumber"}`), 2);
    assert.equal(lineValue(text, `${count}{method="call"}`), 1);
    const errors = 'chain_node_rpc_errors_total{method="getBlockNumber",code="-40001"}';
    assert.equal(lineValue(text, errors), 1);
  });
});

test("the port answers GET /metrics and nothing else", async () => {
  await withMetrics(async (metrics) => {
    const server = await serveMetrics(metrics, { host: "127.0.0.1", port: 0 });
    try {
      const response = await fetch(`${server.url}/metrics`);
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
      assert.match(await response.text(), /^chain_node_block_height\{group="1"\} 2$/m);
      assert.equal((await fetch(`${server.url}/other`)).status, 404);
      assert.equal((await fetch(`${server.url}/metrics`, { method: "POST" })).status, 405);
    } finally {
      await server.close();
    }
  });
});

test("the middle of an even number of values is the lower one", () => {
  assert.equal(median([]), undefined);
  assert.equal(median([3]), 3);
  assert.equal(median([4, 1, 3, 2]), 2);
  assert.equal(median([-31, 0, 100]), 0);
});

test("the port of SDKs is shown once it is there", async () => {
  await withMetrics(async (metrics) => {
    assert.equal(lineValue(await metrics.scrape(), "chain_node_channel_sessions"), 0);
    const ended = { idle: 2, malformed: 0, versions: 0, drained: 0 };
    metrics.showChannel(() => ({
      sessions: 3,
      heldBytes: 44,
      running: 0,
      opened: 5,
      refused: 1,
      framesIn: 6,
      framesOut: 7,
      bytesIn: 8,
      bytesOut: 9,
      ended: { ...ended, client: 0, unread: 0, oversize: 0, memory: 0, stopped: 0 },
      filters: 0,
      amop: { topics: 0, fromClients: 0, fromNodes: 0 },
    }));
    const text = await metrics.scrape();
    assert.equal(lineValue(text, "chain_node_channel_sessions"), 3);
    assert.equal(lineValue(text, "chain_node_channel_held_bytes"), 44);
    assert.equal(lineValue(text, "chain_node_channel_opened_sessions_total"), 5);
    assert.equal(lineValue(text, "chain_node_channel_refused_sessions_total"), 1);
    assert.equal(lineValue(text, 'chain_node_channel_ended_sessions_total{reason="idle"}'), 2);
    assert.equal(lineValue(text, 'chain_node_channel_frames_total{direction="out"}'), 7);
    assert.equal(lineValue(text, 'chain_node_channel_bytes_total{direction="in"}'), 8);
  });
});
