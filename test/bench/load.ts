/**
 * The load: closed loop over keep-alive connections, or a fixed rate; receipts are observed by
 * watching blocks.
 */
import { openConnection } from "./http-client.ts";
import { type Usage, usageOf } from "./process-usage.ts";
import type { Submission, Target } from "./target.ts";

/** Options of one run. */
export interface LoadOptions {
  readonly count: number;
  readonly connections: number;
  /** Transactions per second in all; absent for a closed loop. */
  readonly rate?: number | undefined;
  readonly onProgress?: (line: string) => void;
}

/** Figures of one run. Times in milliseconds. */
export interface LoadResult {
  readonly target: string;
  readonly count: number;
  readonly connections: number;
  readonly rate: number | undefined;
  readonly refused: number;
  readonly blocks: number;
  readonly seconds: number;
  /** Transactions / (last receipt - first send). */
  readonly tps: number;
  readonly sendSeconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly cpuSeconds: number;
  readonly cpuMsPerTransaction: number;
  /** Of one node: the transactions go through all of them. */
  readonly cpuMsPerNode: number;
  readonly rssMiB: number;
  readonly writtenMiB: number;
}

/** How often the watcher asks for the block number where latency is what is measured. */
const WATCH_INTERVAL_MS = 5;
/** And in a closed loop, which asks a chain for all it can do: the watcher takes less of it. */
const CLOSED_LOOP_WATCH_MS = 20;
/** A run without any new receipt for this long has failed. */
const STALL_MS = 60_000;

/** What is known of the transactions of a run. Times are those of performance.now(). */
interface Run {
  readonly submissions: readonly Submission[];
  readonly sentAt: Map<string, number>;
  readonly seenAt: Map<string, number>;
  readonly refused: Set<string>;
  readonly pending: Set<string>;
  allSent: boolean;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The p-quantile of unsorted values. */
export function quantile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? 0;
}

/** Records when each hash was first seen in a block. */
async function watch(target: Target, from: number, run: Run, everyMs: number): Promise<number> {
  const { pending, seenAt } = run;
  let next = from + 1;
  let lastSeen = performance.now();
  while (!run.allSent || pending.size > 0) {
    const head = await target.blockNumber();
    for (; next <= head; next++) {
      const block = await target.block(next);
      const now = performance.now();
      for (const hash of block.hashes) {
        if (pending.delete(hash)) seenAt.set(hash, now);
      }
      lastSeen = now;
    }
    if (run.allSent && performance.now() - lastSeen > STALL_MS)
      throw new Error(`${pending.size} transactions got no receipt within ${STALL_MS / 1000} s`);
    await sleep(everyMs);
  }
  return next - 1 - from;
}

async function sendAll(target: Target, options: LoadOptions, run: Run): Promise<void> {
  const { submissions, sentAt, refused } = run;
  const begin = performance.now();
  const connections = await Promise.all(
    Array.from({ length: options.connections }, (_, i) =>
      openConnection(target.urls[i % target.urls.length] ?? ""),
    ),
  );
  await Promise.all(
    connections.map(async (connection, lane) => {
      for (let i = lane; i < submissions.length; i += connections.length) {
        const submission = submissions[i];
        if (!submission) break;
        if (options.rate) {
          const due = begin + (i * 1000) / options.rate;
          const wait = due - performance.now();
          if (wait > 0) await sleep(wait);
        }
        sentAt.set(submission.hash, performance.now());
        const answer = await connection.post(submission.body);
        if (answer.includes('"error"')) {
          refused.add(submission.hash);
          if (refused.size === 1) options.onProgress?.(`first refusal: ${answer.slice(0, 300)}`);
        }
      }
    }),
  );
  for (const connection of connections) connection.close();
}

/** Runs one load against a target and returns the figures. */
export async function runLoad(target: Target, options: LoadOptions): Promise<LoadResult> {
  options.onProgress?.(`${target.name}: signing ${options.count} transactions`);
  const submissions = await target.prepare(options.count, options.connections);
  const run: Run = {
    submissions,
    sentAt: new Map(),
    seenAt: new Map(),
    refused: new Set(),
    pending: new Set(submissions.map(({ hash }) => hash)),
    allSent: false,
  };
  const { sentAt, seenAt, refused, pending } = run;
  const from = await target.blockNumber();
  const before: Usage = usageOf(target.pids);
  options.onProgress?.(`${target.name}: sending`);
  const everyMs = options.rate ? WATCH_INTERVAL_MS : CLOSED_LOOP_WATCH_MS;
  const watching = watch(target, from, run, everyMs);
  const firstSend = performance.now();
  await sendAll(target, options, run);
  const sendSeconds = (performance.now() - firstSend) / 1000;
  for (const hash of refused) pending.delete(hash);
  run.allSent = true;
  const blocks = await watching;
  const after = usageOf(target.pids);
  const last = Math.max(...[...seenAt.values()].slice(-1), firstSend);
  const latencies = [...seenAt].map(([hash, at]) => at - (sentAt.get(hash) ?? at));
  for (const submission of [submissions[0], submissions.at(-1)]) {
    if (submission && seenAt.has(submission.hash)) await target.requireSuccess(submission.hash);
  }
  const seconds = (last - firstSend) / 1000;
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  const cpuMsPerTransaction = (cpuSeconds * 1000) / Math.max(1, seenAt.size);
  return {
    target: target.name,
    count: options.count,
    connections: options.connections,
    rate: options.rate,
    refused: refused.size,
    blocks,
    seconds,
    tps: seenAt.size / seconds,
    sendSeconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: quantile(latencies, 1),
    cpuSeconds,
    cpuMsPerTransaction,
    cpuMsPerNode: cpuMsPerTransaction / target.nodes,
    rssMiB: after.rssMiB,
    writtenMiB: after.writtenMiB - before.writtenMiB,
  };
}
