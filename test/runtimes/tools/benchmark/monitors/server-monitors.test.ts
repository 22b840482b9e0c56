/** The monitors that ask a Prometheus server or the nodes themselves. Source: benchmark 7 */
import { expect, test } from "vitest";
import { ChainMonitor } from "../../../../../runtimes/tools/benchmark/monitors/chain-monitor.ts";
import {
  type PrometheusQuery,
  PrometheusMonitor,
  statisticOf,
} from "../../../../../runtimes/tools/benchmark/monitors/prometheus-monitor.ts";
import { poseServer } from "../../../../support/benchmark/posed-server.ts";
import { steppedClock } from "../../../../support/benchmark/stepped-clock.ts";

const CPU: PrometheusQuery = {
  name: "CPU",
  query: 'rate(process_cpu_seconds_total{job="node"}[1m])',
  step: 2,
  label: "instance",
  statistic: "max",
  multiplier: 100,
};

function matrix(series: Readonly<Record<string, readonly [number, string][]>>): string {
  const result = Object.entries(series).map(([instance, values]) => {
    return { metric: { __name__: "x", instance, job: "node" }, values };
  });
  return JSON.stringify({ status: "success", data: { resultType: "matrix", result } });
}

function prometheusOf(url: string, queries: readonly PrometheusQuery[], include: string[] = []) {
  const clock = steppedClock(1_000_000);
  const credentials = { username: "ada", password: "secret" };
  const charts = [{ kind: "polar" as const, metrics: ["CPU"] }];
  const options = { url, include, queries, credentials, charts, clock };
  return { clock, monitor: new PrometheusMonitor(options) };
}

test("a query over the time of the round, by its label, statistic and multiplier", async () => {
  const values = {
    node0: [[1_000, "0.5"]],
    node1: [
      [1_000, "0.25"],
      [1_002, "NaN"],
    ],
  } as const;
  const server = await poseServer(() => matrix(values as never));
  const { clock, monitor } = prometheusOf(`${server.url}/`, [CPU], ["node[01]"]);
  await monitor.start();
  await clock.advance(4_000);
  const { rows, series, charts, warnings } = await monitor.stop();
  const labels = { Metric: "CPU", "Prometheus Query": CPU.query };
  expect(rows).toEqual([
    { name: "node0", labels, values: { value: 50 } },
    { name: "node1", labels, values: { value: 25 } },
  ]);
  expect(series[0]).toEqual({ row: "node0", metric: "CPU", unit: "none", points: [[0, 50]] });
  expect(charts).toEqual([{ kind: "polar", metrics: ["CPU"] }]);
  expect(warnings).toEqual([]);
  const [asked] = server.heard;
  const question = new URL(asked?.url ?? "", server.url).searchParams;
  expect(Object.fromEntries(question)).toEqual({
    query: CPU.query,
    start: "1000",
    end: "1004",
    step: "2",
  });
  expect(asked?.headers.authorization).toBe("Basic YWRhOnNlY3JldA==");
});

test("nothing, a refusal and a server that is not there are reported", async () => {
  const server = await poseServer(({ url }) =>
    url.includes("bad")
      ? { status: 400, text: '{"status":"error"}' }
      : matrix({ other: [[1_000, "1"]] }),
  );
  const bad = { ...CPU, name: "Bad", query: "bad" };
  const { monitor } = prometheusOf(server.url, [CPU, bad], ["^node"]);
  await monitor.start();
  const { rows, warnings } = await monitor.stop();
  expect(rows.map(({ name, values }) => [name, values["value"]])).toEqual([
    ["N/A", null],
    ["N/A", null],
  ]);
  expect(warnings[0]).toBe('"CPU" has nothing that include names');
  expect(warnings[1]).toContain('did not answer "Bad": HTTP 400');
  const dead = prometheusOf("http://127.0.0.1:2", [CPU]);
  await dead.monitor.start();
  expect((await dead.monitor.stop()).warnings[0]).toContain("ECONNREFUSED");
});

test("statistics of values", () => {
  const all = (["min", "max", "avg", "sum"] as const).map((one) => statisticOf([3, 1, 2], one));
  expect(all).toEqual([1, 3, 2, 6]);
  expect(statisticOf([], "max")).toBeNull();
});

function nodePage(look: number): string {
  return `# HELP chain_node_info 1
chain_node_info{version="2.12.0",node="node0",agency="a \\"b\\""} 1
chain_node_block_height{group="1"} ${100 + 10 * look}
chain_node_view{group="1"} ${5 + look}
chain_node_wanted_view{group="1"} ${5 + look}
chain_node_pending_transactions{group="1"} ${look === 1 ? 40 : 10}
chain_node_block_interval_seconds_sum{group="1"} ${20 + 5 * look}
chain_node_block_interval_seconds_count{group="1"} ${100 + 10 * look}
chain_node_block_transactions_sum{group="1"} ${1_000 * look}
chain_node_block_transactions_count{group="1"} ${100 + 10 * look}
chain_node_block_height{group="2"} 3
chain_node_view{group="2"} 7
chain_node_pending_transactions{group="2"} 0
chain_node_p2p_bytes_total{direction="in"} ${500 * look}
chain_node_p2p_bytes_total{direction="out"} ${700 * look}
`;
}

test("what nodes report of the chain: growth over the round, PBFT and Raft", async () => {
  let look = 0;
  const server = await poseServer(() => nodePage(look));
  const clock = steppedClock();
  const options = { endpoints: [server.url], intervalMs: 100, charts: [], clock };
  const monitor = new ChainMonitor(options);
  await monitor.start();
  look = 1;
  await clock.advance(100);
  look = 2;
  const { rows, series, warnings } = await monitor.stop();
  expect(server.heard[0]?.url).toBe("/metrics");
  expect(rows[0]).toEqual({
    name: "node0 group 1",
    labels: {},
    values: {
      blocks: 20,
      blockInterval: 500,
      blockTransactions: 100,
      poolMax: 40,
      poolAvg: 20,
      viewChanges: 2,
      termChanges: null,
      p2pIn: 1_000,
      p2pOut: 1_400,
    },
  });
  expect(rows[1]?.values).toMatchObject({ viewChanges: null, termChanges: 0, blockInterval: null });
  expect(series[0]).toMatchObject({ row: "node0 group 1", metric: "Pool" });
  expect(warnings).toEqual([]);
});

test("a page that is not a node's is reported", async () => {
  const server = await poseServer(() => "up 1\n");
  const clock = steppedClock();
  const endpoints = [`${server.url}/own/metrics`];
  const monitor = new ChainMonitor({ endpoints, intervalMs: 100, charts: [], clock });
  await monitor.start();
  const { rows, warnings } = await monitor.stop();
  expect(rows).toEqual([{ name: endpoints[0], labels: {}, values: {} }]);
  expect(warnings).toEqual([`${endpoints[0]} cannot be read: it shows no group of a chain`]);
});
