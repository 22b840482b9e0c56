/** A report as a run would leave it, with every part that a report can have. */
import {
  type BenchmarkReport,
  type LatencySummary,
  type MonitorResult,
  REPORT_SCHEMA,
  type RoundResult,
} from "../../../runtimes/shared/benchmark/round-result.ts";

/** Latencies that look like those of a chain: most near the middle, some far above. */
function latencyOf(index: number): number {
  const spread = ((index * 7919) % 1000) / 1000;
  const ms = 180 + 400 * spread + (spread > 0.95 ? 1_500 * (spread - 0.95) * 20 : 0);
  return Math.round(10 * ms) / 10;
}

function summaryOf(sorted: readonly number[]): LatencySummary {
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? null;
  const sum = sorted.reduce((total, one) => total + one, 0);
  return {
    count: sorted.length,
    minMs: sorted[0] ?? null,
    maxMs: sorted.at(-1) ?? null,
    avgMs: sorted.length === 0 ? null : sum / sorted.length,
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
  };
}

const NONE = summaryOf([]);

function distributionOf(sorted: readonly number[]) {
  const bounds = Array.from({ length: 60 }, (_, i) => 100 * 1.06 ** i);
  return bounds.flatMap((lowerMs) => {
    const upperMs = lowerMs * 1.06;
    const count = sorted.filter((one) => one > lowerMs && one <= upperMs).length;
    return count === 0 ? [] : [{ lowerMs, upperMs, count }];
  });
}

/** What a process monitor saw of two nodes. */
export function posedMonitor(): MonitorResult {
  const names = ["node main.js(avg)", "fisco-bcos (sum)"];
  const points = (base: number, swing: number) =>
    Array.from({ length: 40 }, (_, i) => [i * 500, base + swing * Math.sin(i / 4)] as const);
  return {
    type: "process",
    columns: [
      { key: "memoryMax", title: "Memory(max)", unit: "bytes" },
      { key: "memoryAvg", title: "Memory(avg)", unit: "bytes" },
      { key: "cpuMax", title: "CPU%(max)", unit: "percent" },
      { key: "cpuAvg", title: "CPU%(avg)", unit: "percent" },
    ],
    rows: [
      {
        name: "node main.js(avg)",
        labels: {},
        values: { memoryMax: 190e6, memoryAvg: 171e6, cpuMax: 96.4, cpuAvg: 71.25 },
      },
      {
        name: "fisco-bcos (sum)",
        labels: {},
        values: { memoryMax: null, memoryAvg: null, cpuMax: null, cpuAvg: null },
      },
    ],
    series: [
      { row: names[0] ?? "", metric: "Memory", unit: "bytes", points: points(170e6, 20e6) },
      { row: names[0] ?? "", metric: "CPU%", unit: "percent", points: points(70, 25) },
    ],
    charts: [
      { kind: "bar", metrics: ["memoryAvg"] },
      { kind: "polar", metrics: ["cpuAvg"] },
    ],
    warnings: ["no process matches command /fisco-bcos/: its row is empty"],
  };
}

let whole: RoundResult | undefined;

/** A round of some seconds. */
export function posedRound(changes: Partial<RoundResult> = {}): RoundResult {
  whole ??= wholeRound();
  return { ...whole, ...changes };
}

function wholeRound(): RoundResult {
  const length = 20;
  const perSecond = 412;
  const count = length * perSecond - 40;
  const latencies = Array.from({ length: count }, (_, i) => latencyOf(i)).sort((a, b) => a - b);
  const seconds = Array.from({ length }, (_, second) => ({
    second,
    submitted: perSecond + 30 * (second % 3),
    succeeded: second === 0 ? 180 : perSecond + 20 * ((second + 1) % 4) - 10,
    failed: second % 7 === 6 ? 12 : 0,
    pending: 120 + 15 * (second % 5),
    p50Ms: second === 9 ? null : 360 + 20 * (second % 4),
    p95Ms: second === 9 ? null : 560 + 60 * (second % 3),
  }));
  const counts = {
    submitted: count + 40,
    succeeded: count,
    failed: 40,
    unfinished: 4,
    trimmed: 0,
  };
  return {
    index: 0,
    label: "transfer",
    description: "Transfers between two accounts of a Solidity contract",
    status: "finished",
    remarks: [],
    configuration: {
      rateControl: { type: "fixed-rate", opts: { tps: 1000 } },
      workload: { module: "transfer.cjs", arguments: { accounts: 100 } },
      txNumber: 8240,
      txDurationSeconds: null,
      trim: 0,
      workers: 2,
      targetTps: 1000,
    },
    startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    durationMs: 20_400,
    counts,
    rates: { sendTps: 412, throughputTps: 408.1, successTps: 406.2 },
    latency: summaryOf(latencies),
    failedLatency: summaryOf([300, 500]),
    intendedLatency: summaryOf(latencies.map((one) => one * 3)),
    distribution: distributionOf(latencies),
    seconds,
    errors: [
      { name: "RevertInstruction", count: 36, example: "balance is too small" },
      { name: "timeout", count: 4, example: "no receipt within 100 s" },
    ],
    workers: [0, 1].map((index) => ({
      index,
      id: String(4711 + index),
      counts: { ...counts, submitted: 4120, succeeded: 4100, failed: 20, unfinished: 2 },
      clockOffsetMs: index === 0 ? null : 12.4,
      cpuMs: 2_300,
      lost: null,
    })),
    monitors: [posedMonitor()],
    chain: { firstBlock: 12, lastBlock: 33, transactions: 8_236 },
    generatorCpuMs: 4_700,
  };
}

/** A report of two rounds, one of which lost a worker. */
export function posedReport(changes: Partial<BenchmarkReport> = {}): BenchmarkReport {
  const empty = posedRound({
    index: 1,
    label: "hello </script> <b>",
    description: "",
    status: "partial",
    remarks: ["worker 1 (4712) ended in the round with code 137; figures are of what was seen"],
    seconds: [],
    distribution: [],
    latency: NONE,
    failedLatency: NONE,
    intendedLatency: null,
    errors: [],
    monitors: [],
    chain: null,
    generatorCpuMs: null,
    rates: { sendTps: null, throughputTps: null, successTps: null },
    counts: { submitted: 0, succeeded: 0, failed: 0, unfinished: 0, trimmed: 7 },
  });
  return {
    schema: REPORT_SCHEMA,
    generation: "G1",
    name: "Transfers & greetings",
    description: "What the contract does on a network of four",
    blockchain: "fisco-bcos",
    workers: { type: "process", number: 2 },
    startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 0),
    durationMs: 52_300,
    info: { Version: "2.12.0", Size: "4 nodes", Distribution: "single host", Extra: { a: 1 } },
    configuration: {
      benchmark: { test: { name: "Transfers & greetings", clients: { type: "local", number: 2 } } },
      network: { caliper: { blockchain: "fisco-bcos" } },
    },
    environment: {
      runtime: "node",
      runtimeVersion: "v20.19.0",
      platform: "linux x64",
      cpuModel: "Example CPU",
      cpuCount: 2,
      memoryBytes: 8 * 2 ** 30,
      toolVersion: "2.12.0",
      toolCommit: "0123456789abcdef",
      node: { "FISCO-BCOS Version": "2.12.0" },
      chain: { consensus: "pbft", sealers: "4" },
    },
    rounds: [posedRound(), empty],
    assertions: [
      { text: "transfer.p95 <= 2", holds: true, actual: 0.56, reason: "" },
      {
        text: "*.tps >= 500",
        holds: false,
        actual: 406.2,
        reason: "round 0 (transfer) has tps 406.2",
      },
    ],
    remarks: ["the start command took 3 s"],
    ...changes,
  };
}
