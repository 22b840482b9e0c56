/**
 * What `npm run bench` measures: load against a four-node chain in one process or in four, a peer
 * in the same run, latency, download, idle memory, and micro-benchmarks.
 */
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { createChainSuite } from "../../runtimes/node/machine/chain-suite.ts";
import { startAnvil } from "./anvil-target.ts";
import { startChain } from "./chain-target.ts";
import { measureChannel } from "./channel.ts";
import { type BrowserFigures, type BrowserRun, measureBrowser } from "./browser.ts";
import { type Download, measureDownload } from "./download.ts";
import { measureEdge } from "./edge/measure.ts";
import { measureFamilies } from "./families/measure.ts";
import { measureGenerator } from "./generator.ts";
import { measureIdle } from "./idle.ts";
import { type LoadResult, runLoad } from "./load.ts";
import { runMicro } from "./micro.ts";
import type { BenchOptions } from "./options.ts";
import { initBenchChain, startAll, startProcesses } from "./process-chain.ts";
import { measurePage } from "./page.ts";
import { pageSizes } from "./page-sizes.ts";
import { measureRates, type Replay } from "./rates.ts";
import { figure, table } from "./report.ts";
import { measureStart, type StartFigures } from "./start.ts";
import type { Target } from "./target.ts";

/** Below this anvil's own figure is not what it can do, and a ratio would flatter us. */
const ANVIL_FLOOR_TPS = 5_000;
/** As `chain-node dev` has it. */
const BLOCK_TIME_MS = 100;
/** Minimum block times at which latency is measured. */
const LATENCY_BLOCK_TIMES_MS = [500, 100];
/** Runs of the same load on one chain of processes: the later ones find compiled programs. */
const PROCESS_RUNS = 3;
/** Until collectors and caches have settled. */
const IDLE_MS = 30_000;

const HEADS = [
  "target",
  "transactions",
  "load",
  "blocks",
  "TPS",
  "p50 ms",
  "p99 ms",
  "CPU s",
  "CPU ms/tx",
  "per node",
  "generator",
  "share",
  "RSS MiB",
  "failed",
];
/** Of the CPU of all nodes together: a generator that takes more measures itself. */
const GENERATOR_SHARE = 1 / 3;
/** What rate controllers may miss, and percentiles, in per cent; and how late a replay may be. */
const MOST_DEVIATION = 2;
const MOST_OFF = 1;
const MOST_APART_MS = 10;
/** How long families, and rates, are measured. */
const FAMILY_MS = 1_000;
const RATES_MS = 60_000;

const progress = (line: string) => process.stderr.write(`${line}\n`);

/** Ends the process with 1 once everything is printed. */
function fail(reason: string): void {
  process.stderr.write(`failed: ${reason}\n`);
  process.exitCode = 1;
}

function print(options: BenchOptions, facts: unknown, lines: readonly string[]): void {
  process.stdout.write(options.json ? `${JSON.stringify(facts)}\n` : `${lines.join("\n")}\n`);
}

function load(target: Target, { count, concurrency, rate }: BenchOptions): Promise<LoadResult> {
  return runLoad(target, { count, concurrency, rate, say: progress });
}

async function measure(target: Target, options: BenchOptions): Promise<LoadResult> {
  try {
    return await load(target, options);
  } finally {
    await target.stop();
  }
}

function percent(share: number): string {
  return `${figure(100 * share, 1)} %`;
}

function rowOf(result: LoadResult): string[] {
  return [
    result.target,
    figure(result.count),
    result.rate ? `${result.rate}/s` : `${figure(result.concurrency)} pending`,
    figure(result.blocks),
    figure(result.tps),
    figure(result.p50Ms),
    figure(result.p99Ms),
    figure(result.cpuSeconds, 1),
    figure(result.cpuMsPerTransaction, 2),
    figure(result.cpuMsPerNode, 3),
    figure(result.generatorMsPerTransaction, 3),
    percent(result.generatorMsPerTransaction / result.cpuMsPerTransaction),
    figure(result.rssMiB),
    figure(result.failed),
  ];
}

/**
 * The load, several times on one chain: every process has the compiler's work of its own to do, so
 * a second run shows what a node does once it is warm.
 */
async function loadOften(target: Target, options: BenchOptions, runs: number) {
  const results: LoadResult[] = [];
  for (let run = 1; run <= runs; run++) {
    const result = await load(target, options);
    results.push(run === 1 ? result : { ...result, target: `${result.target}, run ${run}` });
  }
  return results;
}

/** The chain in one process. */
async function runDev(options: BenchOptions, runs: number) {
  const chain = await startChain(options);
  try {
    return await loadOften(chain, options, runs);
  } finally {
    await chain.stop();
  }
}

/** The chain in processes. */
async function runProcesses(options: BenchOptions, runs: number) {
  const { blockTimeMs = BLOCK_TIME_MS } = options;
  const { target, chain } = await startProcesses({ ...options, blockTimeMs });
  try {
    const results = await loadOften(target, options, runs);
    const download = options.rate || options.nodes < 2 ? undefined : await measureDownload(chain);
    return { results, download };
  } finally {
    await target.stop();
  }
}

function downloadLine({ blocks, transactions, seconds, ...speed }: Download): string {
  const what = `${figure(blocks)} blocks, ${figure(transactions)} transactions`;
  const each = `${figure(speed.blocksPerSecond, 1)} blocks/s`;
  const pace = `${each}, ${figure(speed.transactionsPerSecond)} tx/s`;
  return `download by a node that begins anew: ${what} in ${figure(seconds, 1)} s: ${pace}`;
}

async function throughput(suite: CryptoSuite, options: BenchOptions): Promise<void> {
  const own = options.processes
    ? await runProcesses(options, PROCESS_RUNS)
    : { results: await runDev(options, 1), download: undefined };
  const peer = options.vsAnvil ? await measure(await startAnvil(suite), options) : undefined;
  const results = peer ? [...own.results, peer] : own.results;
  const ratios = peer ? own.results.map(({ tps }) => tps / peer.tps) : [];
  const isVoid = peer !== undefined && peer.tps < ANVIL_FLOOR_TPS;
  const lines = [table(HEADS, results.map(rowOf))];
  if (own.download) lines.push(downloadLine(own.download));
  if (peer) {
    const said = ratios.map((ratio) => figure(ratio, 2)).join(", then ");
    lines.push(`chain-node / anvil: ${said}`);
  }
  if (isVoid)
    lines.push(`void: anvil stayed below ${ANVIL_FLOOR_TPS} TPS, the machine was busy; run again`);
  const facts = { results, download: own.download, ratio: ratios[0], ratios, void: isVoid };
  print(options, facts, lines);
}

/** The same rate over processes and in one, at each minimum block time. */
async function latency(options: BenchOptions): Promise<void> {
  const times = options.blockTimeMs ? [options.blockTimeMs] : LATENCY_BLOCK_TIMES_MS;
  const results: LoadResult[] = [];
  const ratios: { blockTimeMs: number; run: number; p50: number; p99: number }[] = [];
  for (const blockTimeMs of times) {
    const timed = { ...options, blockTimeMs };
    const { results: own } = await runProcesses(timed, PROCESS_RUNS);
    const inOne = await runDev(timed, PROCESS_RUNS);
    const named = inOne.map((one) => ({ ...one, target: `${one.target}, ${blockTimeMs} ms` }));
    results.push(...own, ...named);
    for (const [i, result] of own.entries()) {
      const beside = inOne[i];
      if (!beside) continue;
      const p50 = result.p50Ms / beside.p50Ms;
      ratios.push({ blockTimeMs, run: i + 1, p50, p99: result.p99Ms / beside.p99Ms });
    }
  }
  const said = ratios.map(({ blockTimeMs, run, p50, p99 }) => {
    const pair = `p50 ${figure(p50, 2)}, p99 ${figure(p99, 2)}`;
    return `processes / one process at ${blockTimeMs} ms, run ${run}: ${pair}`;
  });
  print(options, { results, ratios }, [table(HEADS, results.map(rowOf)), ...said]);
}

async function idle(options: BenchOptions): Promise<void> {
  const { blockTimeMs = BLOCK_TIME_MS } = options;
  const chain = await initBenchChain({ ...options, blockTimeMs });
  try {
    await startAll(chain);
    const idle = await measureIdle(chain, IDLE_MS);
    const rows = idle.map(({ name, rssMiB, ownMiB, fileMiB, threads, cpuPercent }) => [
      name,
      ...[rssMiB, ownMiB, fileMiB].map((value) => figure(value, 1)),
      figure(threads),
      figure(cpuPercent, 2),
    ]);
    const heads = ["node", "RSS MiB", "own", "files", "threads", "CPU %"];
    print(options, { idle }, [table(heads, rows)]);
  } finally {
    await chain.close();
  }
}

/** Starts and recoveries, next to another build. */
async function start(options: BenchOptions): Promise<void> {
  const { rounds, kills, vsBuild } = options;
  const builds = vsBuild === undefined ? ["dist"] : ["dist", vsBuild];
  const rows = await measureStart({ builds, rounds, kills, say: progress });
  const cells = rows.map(({ build, starts, connected, voted, ...row }) => [
    build,
    figure(starts),
    ...[connected.cpuMs, connected.wallMs, voted.cpuMs, voted.wallMs].map((ms) => figure(ms)),
    figure(row.kills),
    ...[row.recoveryP50Ms, row.recoveryMaxMs, row.recoveryCpuMs].map((ms) => figure(ms)),
  ]);
  const heads = ["build", "starts", "connected CPU ms", "wall", "voted CPU ms", "wall", "kills"];
  const [own, other] = rows;
  const said = own && other ? [startRatios(own, other)] : [];
  print(options, rows, [table([...heads, "votes again p50 ms", "max", "CPU ms"], cells), ...said]);
}

function startRatios(own: StartFigures, other: StartFigures): string {
  const of = (pick: (row: StartFigures) => number) => figure(pick(own) / pick(other), 2);
  const connected = `connected ${of((row) => row.connected.cpuMs)} of the CPU time`;
  const wall = `${of((row) => row.connected.wallMs)} of the wall time`;
  const again = `votes again after ${of((row) => row.recoveryP50Ms)} of the time`;
  return `${own.build} / ${other.build}: ${connected}, ${wall}; ${again}`;
}

/** Receipts pushed over the channel next to receipts asked for over HTTP. */
async function channel(options: BenchOptions): Promise<void> {
  const { nodes, count, concurrency, rate } = options;
  const rows = await measureChannel(nodes, { count, concurrency, rate, say: progress });
  const [asked, pushed] = rows;
  const ratio = asked && pushed ? pushed.tps / asked.tps : 0;
  const lines = [table(HEADS, rows.map(rowOf)), `channel / HTTP: ${figure(ratio, 2)}`];
  print(options, { rows, ratio }, lines);
}

/** What the benchmark tool costs besides what nodes cost. */
async function generator(options: BenchOptions): Promise<void> {
  const { nodes, count, rate } = options;
  const { blockTimeMs = BLOCK_TIME_MS } = options;
  const load = { count, tps: rate ?? 0, say: progress };
  const rows = await measureGenerator({ ...options, ...load, blockTimeMs });
  const cells = rows.map((row) => [
    row.name,
    ...[row.transactions, row.tps].map((value) => figure(value)),
    ...[row.generatorMs, row.nodesMs, row.nodesMs / nodes].map((ms) => figure(ms, 3)),
    percent(row.generatorMs / row.nodesMs),
  ]);
  const heads = [
    "round",
    "transactions",
    "TPS",
    "generator ms/tx",
    "nodes ms/tx",
    "per node",
    "share",
  ];
  print(options, rows, [table(heads, cells)]);
  const isBelow = rows.every((row) => row.generatorMs < GENERATOR_SHARE * row.nodesMs);
  if (!isBelow) fail("the generator costs a third of the nodes, or more");
}

function replayLine({ times, p99Ms, mostMs, timerLateMs }: Replay): string {
  const apart = `p99 ${figure(p99Ms, 1)} ms apart, at most ${figure(mostMs, 1)}`;
  const late = `a plain timer was ${figure(timerLateMs, 1)} ms late at most`;
  return `replay of ${figure(times)} recorded times: ${apart}; ${late}`;
}

/** Rate controllers without a chain. */
async function rates(options: BenchOptions): Promise<void> {
  const { rows, replay, latencies, percentiles } = await measureRates(
    options.forMs ?? RATES_MS,
    progress,
  );
  const cells = rows.map(({ name, target, reached, deviation }) => [
    name,
    figure(target, 1),
    figure(reached, 2),
    figure(deviation, 3),
  ]);
  const shares = percentiles.map(({ share, told, direct, deviation }) => [
    `p${100 * share}`,
    ...[told, direct, deviation].map((value) => figure(value, 3)),
  ]);
  print(options, { rows, replay, latencies, percentiles }, [
    table(["rate controller", "target", "reached", "deviation %"], cells),
    "",
    replayLine(replay),
    "",
    table([`percentile of ${figure(latencies)}`, "told ms", "direct ms", "deviation %"], shares),
  ]);
  if (rows.some(({ deviation }) => deviation > MOST_DEVIATION)) fail("a rate was not kept");
  if (replay.mostMs > MOST_APART_MS) {
    const isBusy = replay.timerLateMs > MOST_APART_MS;
    fail(isBusy ? "void: the machine was busy; run again" : "a trace was not replayed as recorded");
  }
  if (percentiles.some(({ deviation }) => deviation > MOST_OFF)) fail("a percentile is off");
}

/** What free plans of edge platforms give a request: milliseconds of processor, and requests. */
const FREE_CPU_MS = 10;
const FREE_SUBREQUESTS = 50;
/** An isolate has 128 MiB; half of it is ours. */
const MOST_HEAP_MIB = 64;

/** The gateway at the edge. */
async function edge(options: BenchOptions): Promise<void> {
  const figures = await measureEdge(progress);
  const { startCpuMs, firstRequestCpuMs, methods, heap } = figures;
  const [workerd, node] = figures.rates;
  const cells = methods.map(({ method, cpuMs, subrequests }) => [
    method,
    figure(cpuMs, 2),
    percent(cpuMs / FREE_CPU_MS),
    figure(subrequests, 1),
    percent(subrequests / FREE_SUBREQUESTS),
  ]);
  const heads = [
    "request, nothing kept",
    "CPU ms",
    `of ${FREE_CPU_MS}`,
    "asked",
    `of ${FREE_SUBREQUESTS}`,
  ];
  const rates = (["cached", "uncached"] as const).map((kind) => {
    const [here, there] = [workerd?.[kind] ?? 0, node?.[kind] ?? 0];
    return [kind, figure(here), figure(there), figure(here / there, 2)];
  });
  print(options, figures, [
    `start of workerd with the worker: ${figure(startCpuMs)} ms of CPU`,
    `first request, a receipt: ${figure(firstRequestCpuMs)} ms of CPU, all of it cold`,
    "",
    table(heads, cells),
    "",
    table(["requests per second", "workerd", "Node", "ratio"], rates),
    "",
    `heap in ${figure(heap.requests)} requests: ${figure(heap.mostMiB, 1)} MiB at most, ` +
      `${figure(heap.leftMiB, 1)} without garbage`,
  ]);
  if (heap.mostMiB > MOST_HEAP_MIB) fail(`the heap is above ${MOST_HEAP_MIB} MiB`);
  const most = Math.max(...methods.map(({ subrequests }) => subrequests));
  if (most > FREE_SUBREQUESTS) fail("a request asks more often than a free plan lets it");
}

/** Longer tasks are felt. */
const FELT_MS = 100;

/** The page, visited. */
async function page(options: BenchOptions): Promise<void> {
  const facts = await measurePage(progress);
  const { longTasksMs: tasks } = facts;
  const felt = tasks.filter((it) => it > FELT_MS).length;
  print(options, facts, [
    `first contentful paint, first visit: ${figure(facts.firstPaintMs)} ms`,
    `first contentful paint, later visit: ${figure(facts.laterPaintMs)} ms`,
    `session with ${figure(facts.blocks)} blocks: ${figure(facts.sessionMs / 1_000, 1)} s`,
    `blocks drawn: ${figure(facts.rowsSeen)}`,
    `long tasks: ${tasks.length}, above ${FELT_MS} ms: ${felt}`,
    `longest task: ${figure(tasks[0] ?? 0)} ms`,
    `layout shift: ${figure(facts.layoutShift, 3)}`,
  ]);
}

/** Chains in a tab. */
async function browser(suite: CryptoSuite, options: BenchOptions): Promise<void> {
  const { count, concurrency, profile, nodes, sm } = options;
  const runs: readonly BrowserRun[] = [
    { nodes: 1, consensus: "pbft", sm },
    { nodes, consensus: "pbft", sm },
    { nodes, consensus: "raft", sm },
    { nodes, consensus: "pbft", sm, fromOtherTab: true },
  ];
  const rows: BrowserFigures[] = [];
  for (const run of runs) {
    rows.push(await measureBrowser(suite, run, { count, concurrency, profile, say: progress }));
  }
  const cells = rows.map((row) => [
    row.name,
    ...[row.count, row.failed, row.blocks, row.tps, row.p50Ms, row.p99Ms].map((it) => figure(it)),
    figure(row.cpuMsPerTransaction, 2),
    figure(row.rssMiB),
  ]);
  const heads = ["chain in a tab", "transactions", "failed", "blocks", "TPS", "p50 ms", "p99 ms"];
  const sizes = pageSizes();
  const sizeRows = sizes.map(({ name, kib, budget }) => [
    name,
    figure(kib, 1),
    budget === undefined ? "" : figure(budget),
  ]);
  print(options, { rows, sizes }, [
    table([...heads, "CPU ms/tx", "RSS MiB"], cells),
    "",
    table(["script, with what it loads at once", "KiB, gzip -9", "budget"], sizeRows),
  ]);
}

async function micro(suite: CryptoSuite, options: BenchOptions): Promise<void> {
  const rows = await runMicro(suite, progress);
  const cells = rows.map((row) => [row.name, figure(row.micros, 2), figure(1e6 / row.micros)]);
  print(options, rows, [table(["what", "us each", "per second"], cells)]);
}

/** Contracts by family. */
async function families(suite: CryptoSuite, options: BenchOptions): Promise<void> {
  const { forMs = FAMILY_MS } = options;
  const rows = await measureFamilies(suite, forMs, progress);
  const cells = rows.map(({ name, callsPerSecond }) => [
    name,
    figure(callsPerSecond),
    figure(1e6 / callsPerSecond, 1),
  ]);
  const lines = rows.map(({ name, hottest }) => {
    const parts = hottest.map(({ name: hot, share }) => `${hot} ${figure(100 * share)} %`);
    return `  ${name}: ${parts.join(", ")}`;
  });
  const heads = ["family", "calls per CPU s", "us each"];
  const hottest = ["", "hottest functions by self time", ...lines, ""];
  print(options, rows, [table(heads, cells), ...hottest]);
}

/** Measures what the options say. */
export async function runBench(options: BenchOptions): Promise<void> {
  if (options.rates) return rates(options);
  if (options.edge) return edge(options);
  if (options.generator) return generator(options);
  const suite = await createChainSuite(options.sm ? "national" : "standard");
  if (options.micro) return micro(suite, options);
  if (options.families) return families(suite, options);
  if (options.idle) return idle(options);
  if (options.start) return start(options);
  if (options.channel) return channel(options);
  if (options.browser) return browser(suite, options);
  if (options.page) return page(options);
  if (options.processes && options.rate !== undefined) return latency(options);
  return throughput(suite, options);
}
