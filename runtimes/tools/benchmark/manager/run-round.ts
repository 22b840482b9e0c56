/** One round: prepare, watch, run, merge. Source: benchmark 2 */
import { faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import type { ChainCount, RoundResult } from "../../../shared/benchmark/round-result.ts";
import type { Chain } from "../adapter/chain.ts";
import type { PlannedRound } from "../files/benchmark-plan.ts";
import type { MonitorSettings } from "../monitors/monitor-settings.ts";
import { type MonitorTerms, startMonitors } from "../monitors/make-monitors.ts";
import type { PrepareContent, RoundMessage, WorkerArguments } from "../worker/messages.ts";
import { type ProgressTerms, startProgress } from "./round-progress-lines.ts";
import { roundResultOf } from "./round-outcome.ts";
import type { PoolAnswer, WorkerPool } from "./worker-pool.ts";

/** What rounds are run with. */
export interface RoundRunner {
  readonly pool: WorkerPool;
  /** To ask for what the chain counted; undefined where it is inside the workers. */
  readonly chain: Chain | undefined;
  readonly workerArgs: WorkerArguments;
  readonly monitors: readonly MonitorSettings[];
  readonly monitorTerms: MonitorTerms;
  readonly progress: ProgressTerms;
  readonly timeoutMs: number;
}

const US_PER_MS = 1_000;
const MS_PER_SECOND = 1_000;
/** What a round may take beyond its transactions before its workers are given up. */
const GRACE_MS = 60_000;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}

function shareOf(count: number, workers: number): number {
  return Math.max(1, Math.floor(count / workers));
}

/** A round as each worker gets it. Source: benchmark 4 (load split) */
function messageFor(planned: PlannedRound, index: number, workers: number): RoundMessage {
  const { label, rateControl, trim, txNumber, txDurationSeconds } = planned;
  const isByNumber = txNumber !== undefined;
  return {
    label,
    rateControl,
    trim: isByNumber ? Math.floor(trim / workers) : trim,
    workload: { module: planned.module, arguments: planned.arguments },
    testRound: index,
    totalWorkers: workers,
    numb: isByNumber ? shareOf(txNumber, workers) : undefined,
    txDuration: txDurationSeconds,
  };
}

/** How long the round's workers are waited for. */
function limitOf({ timeoutMs }: RoundRunner, { txDurationSeconds }: PlannedRound): number {
  if (txDurationSeconds === undefined) return Number.POSITIVE_INFINITY;
  return txDurationSeconds * MS_PER_SECOND + timeoutMs + GRACE_MS;
}

/** Runs a round. Never throws: what went wrong is in the result. */
export async function runRound(
  runner: RoundRunner,
  planned: PlannedRound,
  index: number,
): Promise<RoundResult> {
  const { pool, chain, workerArgs } = runner;
  const workers = pool.alive.length;
  const round = messageFor(planned, index, workers);
  const startedAtMs = Date.now();
  const cpuBefore = cpuMs();
  pool.resetUpdates();
  const facts = {
    index,
    planned,
    workers,
    startedAtMs,
    managerCpuMs: 0,
    hasThreads: pool.type === "worker_threads",
    monitors: [],
    chain: null,
  };
  const prepare: PrepareContent = { round, workersNumber: workers, workerArgs };
  const prepared = await pool.all("prepare", "prepared", () => prepare);
  if (workers === 0) {
    const remarks = ["no worker is left to run it"];
    return roundResultOf({ ...facts, answers: prepared, remarks });
  }
  if (prepared.some(({ error }) => error !== undefined))
    return roundResultOf({ ...facts, answers: prepared.map(unprepared), remarks: [] });
  const remarks: string[] = [];
  const monitors = await startMonitors(runner.monitors, runner.monitorTerms);
  const before = chain && (await chainMoment(chain));
  const stopProgress = startProgress(pool, runner.progress, { label: planned.label, index });
  let answers: readonly PoolAnswer[] = [];
  try {
    const told = await pool.all("test", "testResult", () => round, limitOf(runner, planned));
    answers = [...told, ...prepared.filter(({ lost }) => lost !== undefined)];
  } catch (cause) {
    remarks.push(faultText(cause));
  } finally {
    stopProgress();
  }
  const after = chain && (await chainMoment(chain));
  const seen = await monitors.stop();
  return roundResultOf({
    ...facts,
    answers,
    monitors: seen,
    chain: countBetween(before, after),
    managerCpuMs: cpuMs() - cpuBefore,
    remarks: [...remarks, ...seen.flatMap(({ warnings }) => warnings)],
  });
}

/** A worker that was ready for a round that did not begin. */
function unprepared(answer: PoolAnswer): PoolAnswer {
  const why = "another worker could not prepare the round";
  return { ...answer, error: answer.error ?? answer.lost ?? why };
}

/** A moment of the chain. */
export interface ChainMoment {
  readonly block: number;
  readonly transactions: number;
}

/** Blocks of the chain's group, transactions of all its groups; undefined when no node answers. */
export async function chainMoment(chain: Chain): Promise<ChainMoment | undefined> {
  const own = await groupMoment(chain, chain.groupId);
  let transactions = own?.transactions ?? 0;
  for (const groupId of chain.groupIds) {
    if (groupId === chain.groupId) continue;
    const further = await groupMoment(chain, groupId);
    if (further === undefined) return undefined;
    transactions += further.transactions;
  }
  return own && { block: own.block, transactions };
}

/** By the node that is ahead: a receipt is known as soon as one node has the block. */
async function groupMoment({ lanes }: Chain, groupId: number): Promise<ChainMoment | undefined> {
  const call = { method: "getTotalTransactionCount", params: [groupId] };
  const answers = await Promise.all(
    lanes.map(
      (lane) =>
        lane.request(call).catch(() => undefined) as Promise<
          { readonly blockNumber: string; readonly txSum: string } | undefined
        >,
    ),
  );
  const moments = answers.flatMap((told) =>
    told ? [{ block: Number(told.blockNumber), transactions: Number(told.txSum) }] : [],
  );
  return moments.sort((a, b) => b.block - a.block)[0];
}

/** What happened between two moments. */
export function countBetween(
  before: ChainMoment | undefined,
  after: ChainMoment | undefined,
): ChainCount | null {
  if (before === undefined || after === undefined) return null;
  return {
    firstBlock: before.block + 1,
    lastBlock: after.block,
    transactions: after.transactions - before.transactions,
  };
}
