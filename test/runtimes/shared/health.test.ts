/** /healthz and /readyz: what they answer in each state of a node and its groups. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { GroupApi, GroupSummary, NodeApi } from "../../../core/api/node-api.ts";
import {
  clockWarnings,
  believableHighest,
  healthOf,
  type NodeHealth,
} from "../../../runtimes/shared/health.ts";
import { createHttpApp } from "../../../runtimes/shared/http-app.ts";
import { nodeIdOf, OWN_ID } from "../../support/data-node.ts";
import { rpcGroup, rpcNode } from "../../support/rpc-node.ts";

const RUNS: GroupSummary = { groupId: 1, status: "RUNNING", isRunning: true, failure: undefined };
const HASH = rpcGroup().ledger.head().hash;

function nodeWith(groups: readonly GroupSummary[], changes: Partial<NodeApi> = {}): NodeApi {
  return rpcNode({ groups: () => groups, ...changes });
}

/** A group of four sealers whose peers report that they stand at these heights. */
function groupBehind(...heights: readonly number[]): GroupApi {
  const group = rpcGroup();
  const sealers = [OWN_ID, ...heights.map((_, index) => nodeIdOf(`a${index}`))].sort();
  const peers = heights.map((number, index) => ({
    nodeId: nodeIdOf(`a${index}`),
    number,
    genesisHash: HASH,
    latestHash: HASH,
  }));
  const head = { knownHighestNumber: Math.max(...heights), knownLatestHash: HASH };
  const status = { ...group.consensusStatus(), sealers, maxFaulty: 1 };
  return {
    ...group,
    consensusStatus: () => status,
    syncStatus: () => ({ isSyncing: true, peers, ...head }),
  };
}

async function readyz(node: NodeApi): Promise<{ status: number; health: NodeHealth }> {
  const { app } = createHttpApp({ node, maxBodyBytes: 1_000 });
  const response = await app.request("/readyz");
  assert.equal(response.headers.get("content-type"), "application/json");
  return { status: response.status, health: (await response.json()) as NodeHealth };
}

test("a process that turns is alive, ready or not", async () => {
  const { app } = createHttpApp({ node: rpcNode({ isReady: () => false }), maxBodyBytes: 1_000 });
  const response = await app.request("/healthz");
  assert.deepEqual([response.status, await response.json()], [200, { alive: true }]);
  const head = await app.request("/healthz", { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.equal((await app.request("/healthz/more")).status, 405);
});

test("a node whose groups run is ready, and says how they stand", async () => {
  const { status, health } = await readyz(nodeWith([RUNS]));
  assert.equal(status, 200);
  assert.deepEqual(health.reasons, []);
  assert.equal(health.nodeId, OWN_ID);
  const [group] = health.groups;
  assert.deepEqual(
    [group?.group, group?.role, group?.height, group?.behind, group?.view, group?.consensus],
    [1, "sealer", 2, 0, 7, "pbft"],
  );
});

test("a node that starts is not ready", async () => {
  const { status, health } = await readyz(nodeWith([RUNS], { isReady: () => false }));
  assert.equal(status, 503);
  assert.deepEqual(health.reasons, ["the node is starting or stopping"]);
});

test("groups that should run and do not are named, stopped ones are left alone", async () => {
  const groups: readonly GroupSummary[] = [
    RUNS,
    { groupId: 2, status: "RUNNING", isRunning: false, failure: "the disk is full" },
    { groupId: 3, status: "STOPPED", isRunning: false, failure: undefined },
    { groupId: undefined, status: "UNKNOWN", isRunning: false, failure: "conf/group.9.genesis: x" },
  ];
  const { status, health } = await readyz(nodeWith(groups));
  assert.equal(status, 503);
  assert.deepEqual(health.reasons, [
    "group 2 does not run: the disk is full",
    "a group does not run: conf/group.9.genesis: x",
  ]);
  assert.equal(health.groups.length, 4);
});

test("a group that is far behind is not ready; a single Byzantine node cannot make it so", () => {
  assert.equal(believableHighest(groupBehind(900, 20, 20)), 20);
  assert.equal(believableHighest(groupBehind(900, 0, 0)), 2);
  const behind = groupBehind(13, 13, 2);
  const health = healthOf(nodeWith([RUNS], { group: () => behind }));
  assert.deepEqual(health.reasons, ["group 1 is 11 blocks behind"]);
  const near = groupBehind(12, 12, 2);
  assert.equal(healthOf(nodeWith([RUNS], { group: () => near })).ready, true);
});

test("members that have a session and say nothing are worth a warning", () => {
  const group = groupBehind(2, 2, 2);
  const quiet = (quietMs: number) => {
    const syncStatus = () => ({ ...group.syncStatus(), quietMs });
    return healthOf(nodeWith([RUNS], { group: () => ({ ...group, syncStatus }) }));
  };
  assert.equal(quiet(29_000).groups[0]?.quietSeconds, undefined);
  const { ready, warnings, groups } = quiet(31_500);
  assert.deepEqual([ready, groups[0]?.quietSeconds], [true, 31]);
  assert.ok(warnings.some((text) => text.startsWith("group 1 has learned of no member for 31 s")));
});

test("in a Raft group the highest claim counts, and the term is the view", () => {
  const group = groupBehind(900, 0, 0);
  const status = { ...group.consensusStatus(), currentView: undefined, term: 4 };
  const raft = { ...group, consensusType: "raft", consensusStatus: () => status } as object;
  const health = healthOf(nodeWith([RUNS], { group: () => raft as GroupApi }));
  assert.deepEqual([health.groups[0]?.highest, health.groups[0]?.view], [900, 4]);
});

test("peers are shown with what the network measures of them", () => {
  const peer = { endpoint: "127.0.0.1:1", agency: "a", node: "n", topics: [] };
  const node = nodeWith([], { peers: () => [{ nodeId: nodeIdOf("a1"), ...peer }] });
  const gauge = { rttMs: () => 1.23456, clockSkewMs: () => -31_000 };
  const [shown] = healthOf(node, gauge).peers;
  assert.deepEqual([shown?.rttMs, shown?.clockSkewMs, shown?.node], [1.23, -31_000, "n"]);
  assert.equal(healthOf(node).peers[0]?.clockSkewMs, undefined);
});

test("each call of a known method is told to the observer, with the code of its error", async () => {
  const seen: unknown[] = [];
  const { app } = createHttpApp({
    node: rpcNode(),
    maxBodyBytes: 1_000,
    observe: (method) => (code) => seen.push([method, code]),
  });
  const call = (method: string, params: unknown) =>
    app.request("/", {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  await call("getBlockNumber", [1]);
  await call("getBlockNumber", [9]);
  await call("noSuchMethod", [1]);
  assert.deepEqual(seen, [
    ["getBlockNumber", undefined],
    ["getBlockNumber", -40_001],
  ]);
});

const CLOCKS = [
  { name: "that agree are not mentioned", skews: [1_000, -2_000, undefined], says: [] },
  {
    name: "of which one is ahead name it",
    skews: [0, 3_600_000, 0],
    says: ["the clock of node1 is 3600 s ahead of ours: set both by NTP"],
  },
  {
    name: "of two peers of which one is behind name it, not the own one",
    skews: [-3_600_000, 0],
    says: ["the clock of node0 is 3600 s behind ours: set both by NTP"],
  },
  {
    name: "of two peers behind the own one name the own one",
    skews: [-3_600_000, -3_600_100],
    says: ["this host's clock is 3600 s ahead of that of most peers: set it by NTP"],
  },
  {
    name: "of most peers behind the own one name the own one",
    skews: [-3_600_000, -3_600_100, -3_600_000],
    says: ["this host's clock is 3600 s ahead of that of most peers: set it by NTP"],
  },
] as const;
for (const { name, skews, says } of CLOCKS) {
  test(`clocks ${name}`, () => {
    const peers = skews.map((clockSkewMs, index) => ({
      nodeId: `${index}` as NodeId,
      node: `node${index}`,
      agency: "agency",
      endpoint: "10.0.0.1:1",
      ...(clockSkewMs === undefined ? {} : { clockSkewMs }),
    }));
    assert.deepEqual(clockWarnings(peers), says);
  });
}

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const TIMES = [
  { name: "an hour old is none", aheadMs: -HOUR, skews: [0, 0, 0], ahead: undefined },
  { name: "within the bound is none", aheadMs: 15_000, skews: [0, 0, 0], ahead: undefined },
  { name: "an hour ahead of all is one", aheadMs: HOUR, skews: [0, 9, 0], ahead: "3600 s" },
  { name: "ahead of this host's clock only is none", aheadMs: HOUR, skews: [HOUR, HOUR, HOUR] },
  {
    name: "ahead of the peers only is one",
    aheadMs: 0,
    skews: [-HOUR, -HOUR, -HOUR],
    ahead: "3600 s",
  },
  {
    name: "ahead of the own clock is one without peers",
    aheadMs: 60_000,
    skews: [],
    ahead: "60 s",
  },
] as const;
for (const { name, aheadMs, skews, ...rest } of TIMES) {
  test(`of the newest block's time, what is ${name} to warn of`, () => {
    const timestamp = NOW + aheadMs;
    const group = rpcGroup({ chainTime: () => ({ timestamp, maxFutureMs: 15_000 }) });
    const peers = skews.map((_, index) => ({
      nodeId: nodeIdOf(`a${index}`),
      ...{ endpoint: "h:1", agency: "a", node: `n${index}`, topics: [] },
    }));
    const node = nodeWith([RUNS], { group: () => group, peers: () => peers });
    const gauge = {
      rttMs: () => undefined,
      clockSkewMs: (id: NodeId) => skews[peers.findIndex(({ nodeId }) => nodeId === id)],
    };
    const { groups, warnings } = healthOf(node, gauge, undefined, NOW);
    const said = warnings.find((text) => text.includes("a newest block that is"));
    const ahead = "ahead" in rest ? rest.ahead : undefined;
    assert.equal(groups[0]?.blockTime?.aheadOfClockMs, aheadMs);
    assert.equal(groups[0]?.blockTime?.isAhead, ahead !== undefined);
    if (ahead === undefined) assert.equal(said, undefined);
    else assert.ok(said?.startsWith(`group 1 has a newest block that is ${ahead} ahead of `), said);
  });
}
