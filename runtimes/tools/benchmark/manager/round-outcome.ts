/** Makes the result of a round of what its workers told. Source: benchmark 2, 8 */
import { targetTps } from "../../../shared/benchmark/rate/rate-controllers.ts";
import type {
  ChainCount,
  MonitorResult,
  RoundConfiguration,
  RoundResult,
  WorkerResult,
} from "../../../shared/benchmark/round-result.ts";
import { roundFigures } from "../../../shared/benchmark/round-figures.ts";
import { RoundStatistics, type StatisticsData } from "../../../shared/benchmark/statistics.ts";
import type { PlannedRound } from "../files/benchmark-plan.ts";
import type { ResultContent } from "../worker/messages.ts";
import { partialStatistics, type PoolAnswer } from "./worker-pool.ts";

/** What is known of a round when it is over. */
export interface RoundFacts {
  readonly index: number;
  readonly planned: PlannedRound;
  readonly workers: number;
  readonly startedAtMs: number;
  readonly answers: readonly PoolAnswer[];
  readonly monitors: readonly MonitorResult[];
  readonly chain: ChainCount | null;
  /** CPU of the manager's process in the round, milliseconds. */
  readonly managerCpuMs: number;
  /** Workers are threads of that process. */
  readonly hasThreads: boolean;
  /** What else has to be reported; sentences. */
  readonly remarks: readonly string[];
}

/** A rate that is missed by more than this share is reported so. */
const TOLERATED_SHARE = 0.05;
const NO_STATISTICS = new RoundStatistics().data();

/** The round as it was asked for. */
export function configurationOf(planned: PlannedRound, workers: number): RoundConfiguration {
  const { type, opts } = planned.rateControl;
  return {
    rateControl: opts === undefined ? { type } : { type, opts },
    workload: { module: planned.module, arguments: planned.arguments },
    txNumber: planned.txNumber ?? null,
    txDurationSeconds: planned.txDurationSeconds ?? null,
    trim: planned.trim,
    workers,
    targetTps: targetTps(planned.rateControl),
  };
}

function isResult(answer: PoolAnswer): boolean {
  return answer.error === undefined && answer.lost === undefined;
}

function statisticsOf(answer: PoolAnswer): StatisticsData {
  if (isResult(answer)) return (answer.content as ResultContent).stats;
  return partialStatistics(answer.worker) ?? NO_STATISTICS;
}

function workerResult(answer: PoolAnswer): WorkerResult {
  const { worker, content, error, lost } = answer;
  return {
    index: worker.index,
    id: worker.id,
    counts: statisticsOf(answer).counts,
    clockOffsetMs: worker.clockOffsetMs,
    cpuMs: isResult(answer) ? (content as ResultContent).cpuMs : null,
    lost: lost ?? error ?? null,
  };
}

/** CPU of manager and workers; null when that of a worker is not known. */
function generatorCpu(facts: RoundFacts, workers: readonly WorkerResult[]): number | null {
  let sum = facts.managerCpuMs;
  // The manager's process is that of its threads, too.
  if (facts.hasThreads) return sum;
  for (const { cpuMs } of workers) {
    if (cpuMs === null) return null;
    sum += cpuMs;
  }
  return sum;
}

function workerRemarks(answers: readonly PoolAnswer[]): readonly string[] {
  return answers.flatMap(({ worker, content, error, lost }) => {
    const name = `worker ${worker.index} (${worker.id})`;
    if (lost !== undefined) {
      const seen = worker.update ? "its figures are those of its last update" : "it told nothing";
      return [`${name} was lost: ${lost}; ${seen}`];
    }
    if (error !== undefined) return [`${name} failed: ${error}`];
    const { lostNodes, heldBackMs } = content as ResultContent;
    const held = `${name} waited ${Math.round(heldBackMs)} ms because too much was unanswered`;
    return [...lostNodes, ...(heldBackMs >= 1 ? [held] : [])];
  });
}

function rateRemarks(planned: PlannedRound, sendTps: number | null): readonly string[] {
  const target = targetTps(planned.rateControl);
  if (target === null || sendTps === null) return [];
  if (sendTps >= target * (1 - TOLERATED_SHARE)) return [];
  return [`the rate of ${target} TPS was not reached: ${sendTps.toFixed(1)} TPS were sent`];
}

function statusOf(answers: readonly PoolAnswer[]): RoundResult["status"] {
  if (answers.length === 0 || answers.some(({ error }) => error !== undefined)) return "failed";
  if (answers.some(({ lost }) => lost !== undefined)) return "partial";
  const lostNodes = answers.some(({ content }) => (content as ResultContent).lostNodes.length > 0);
  return lostNodes ? "partial" : "finished";
}

/** The result of a round. */
export function roundResultOf(facts: RoundFacts): RoundResult {
  const { planned, answers, chain } = facts;
  const statistics = new RoundStatistics();
  for (const answer of answers) statistics.merge(statisticsOf(answer));
  const workers = answers.map(workerResult);
  const figures = roundFigures(statistics);
  return {
    index: facts.index,
    label: planned.label,
    description: planned.description,
    status: statusOf(answers),
    remarks: [
      ...new Set([
        ...facts.remarks,
        ...workerRemarks(answers),
        ...rateRemarks(planned, figures.rates.sendTps),
      ]),
    ],
    configuration: configurationOf(planned, facts.workers),
    startedAtMs: facts.startedAtMs,
    ...figures,
    workers,
    monitors: facts.monitors,
    chain,
    generatorCpuMs: generatorCpu(facts, workers),
  };
}
