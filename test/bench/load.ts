/** One load on one target, and what it cost. */
import { realClock } from "../../runtimes/shared/benchmark/bench-clock.ts";
import { MOST_PENDING } from "../../runtimes/shared/benchmark/round.ts";
import { usageOf } from "./process-usage.ts";
import { startLoad } from "./signed-load.ts";
import type { Target } from "./target.ts";

/** Options of one run. */
export interface LoadOptions {
  readonly count: number;
  /** Transactions on their way at one time. */
  readonly concurrency: number | undefined;
  /** Transactions per second in all; absent for as many as go. */
  readonly rate: number | undefined;
  readonly say: (line: string) => void;
}

/** Figures of one run. Times in milliseconds. */
export interface LoadResult {
  readonly target: string;
  readonly count: number;
  readonly concurrency: number;
  readonly rate: number | undefined;
  readonly failed: number;
  readonly blocks: number;
  readonly seconds: number;
  /** Transactions with a receipt / (last receipt - first send). */
  readonly tps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Of all processes of the target. */
  readonly cpuSeconds: number;
  readonly cpuMsPerTransaction: number;
  /** Of one node: the transactions go through all of them. */
  readonly cpuMsPerNode: number;
  /** CPU of the generator: signing, which is done before, and the run. */
  readonly generatorMsPerTransaction: number;
  readonly rssMiB: number;
  readonly writtenMiB: number;
}

const US_PER_MS = 1_000;
const MS = 1_000;

/** The clock of loads. */
export const CLOCK = realClock((run) => void setImmediate(run));

/** The p-quantile of unsorted values. */
export function quantile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? 0;
}

/** CPU that this process has used so far. */
function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}

/** Runs one load against a target and returns the figures. */
export async function runLoad(target: Target, options: LoadOptions): Promise<LoadResult> {
  const { count, rate, concurrency = MOST_PENDING, say } = options;
  const ownBefore = ownCpuMs();
  say(`${target.name}: signing ${count} transactions`);
  const transactions = (await target.prepare(count)).values();
  const from = await target.blockNumber();
  const before = usageOf(target.pids);
  say(`${target.name}: sending`);
  const { end } = await startLoad({
    next: () => transactions.next().value ?? { raw: new Uint8Array(0), hash: "" },
    submit: (transaction) => target.submit(transaction),
    clock: CLOCK,
    ...{ count, rate, mostPending: concurrency },
  });
  const { counts, latency, durationMs, errors } = await end;
  const after = usageOf(target.pids);
  const generatorMs = ownCpuMs() - ownBefore;
  for (const { name, count, example } of errors) say(`${count} times ${name}: ${example}`);
  const done = Math.max(1, counts.succeeded);
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  const cpuMsPerTransaction = (cpuSeconds * MS) / done;
  return {
    target: target.name,
    ...{ count, concurrency, rate },
    failed: counts.failed,
    blocks: (await target.blockNumber()) - from,
    seconds: durationMs / MS,
    tps: (counts.succeeded * MS) / durationMs,
    p50Ms: latency.p50Ms ?? Number.NaN,
    p99Ms: latency.p99Ms ?? Number.NaN,
    maxMs: latency.maxMs ?? Number.NaN,
    ...{ cpuSeconds, cpuMsPerTransaction },
    cpuMsPerNode: cpuMsPerTransaction / target.nodes,
    generatorMsPerTransaction: generatorMs / done,
    rssMiB: after.rssMiB,
    writtenMiB: after.writtenMiB - before.writtenMiB,
  };
}
