/**
 * Rate controllers on the real clock without a chain: the rates that they keep, a trace that is
 * recorded and replayed, and percentiles next to a direct computation.
 *
 * Source: benchmark 6, 8
 */
import type { RateHost, RateSpec } from "../../runtimes/shared/benchmark/rate/rate-controller.ts";
import { decodeTrace } from "../../runtimes/shared/benchmark/rate/trace.ts";
import {
  RoundStatistics,
  type StatisticsData,
} from "../../runtimes/shared/benchmark/statistics.ts";
import type { TxStatus } from "../../runtimes/shared/benchmark/tx-status.ts";
import { memoryHost, posedRound, posedSender } from "../support/benchmark/posed-round.ts";
import { CLOCK, quantile } from "./load.ts";

/** What a controller made of its rate. */
export interface KeptRate {
  readonly name: string;
  /** Per second. */
  readonly target: number;
  readonly reached: number;
  /** In per cent. */
  readonly deviation: number;
}

/** A percentile of the statistics next to the one that a sorted list has. */
export interface ToldPercentile {
  readonly share: number;
  readonly told: number;
  readonly direct: number;
  readonly deviation: number;
}

/** A trace next to the one of its replay. */
export interface Replay {
  readonly times: number;
  /** How far a time is from its other: 99 of 100, and at most. */
  readonly p99Ms: number;
  readonly mostMs: number;
  /** How late a plain timer of this process was at most meanwhile: the machine's share of it. */
  readonly timerLateMs: number;
}

/** All figures. */
export interface RateFigures {
  readonly rows: readonly KeptRate[];
  readonly replay: Replay;
  readonly latencies: number;
  readonly percentiles: readonly ToldPercentile[];
}

const TPS = 200;
const MS = 1_000;
const SHARES = [0.5, 0.9, 0.95, 0.99, 0.999];
/** Answers take from one to this many milliseconds. */
const SLOWEST_MS = 400;
const TIMER_MS = 5;
/** The last times of a trace are also replayed when they come late. */
const MORE_MS = 500;
const RECORDED = "recorded";
const REPLAYED = "replayed";

type Named = readonly [name: string, spec: RateSpec];

const rate = (type: string, opts: Readonly<Record<string, unknown>>): RateSpec => ({ type, opts });
const recording = (rateController: RateSpec, pathTemplate: string) =>
  rate("record-rate", { rateController, pathTemplate });
const fixed = rate("fixed-rate", { tps: TPS });

const linear = rate("linear-rate", { startingTps: TPS, finishingTps: TPS });
/** Those that keep a rate; the others keep a load or a backlog, whatever rate that makes. */
const CONTROLLERS: readonly Named[] = [
  ["fixed-rate", fixed],
  ["fixed-feedback-rate", rate("fixed-feedback-rate", { tps: TPS, transactionLoad: 10 * TPS })],
  ["linear-rate", linear],
  [
    "composite-rate of fixed and linear",
    rate("composite-rate", { weights: [1, 1], rateControllers: [fixed, linear] }),
  ],
  ["record-rate of fixed-rate", recording(fixed, RECORDED)],
];
/** Runs when there is something to replay. */
const REPLAY: Named = [
  "replay-rate of what was recorded",
  recording(rate("replay-rate", { pathTemplate: RECORDED, defaultSleepTime: MS }), REPLAYED),
];

/** Spread without chance: runs are alike. */
function posedLatency(index: number): number {
  return 1 + ((index * 7_919) % 1_000) * (SLOWEST_MS / 1_000);
}

function keptRate(name: string, count: number, durationMs: number): KeptRate {
  const reached = (count * MS) / durationMs;
  return { name, target: TPS, reached, deviation: (100 * Math.abs(reached - TPS)) / TPS };
}

function percentilesOf(statistics: RoundStatistics, latencies: readonly number[]) {
  const sorted = [...latencies].sort((a, b) => a - b);
  return SHARES.map((share): ToldPercentile => {
    const told = statistics.latency.percentile(share) ?? Number.NaN;
    const direct = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
    return { share, told, direct, deviation: (100 * Math.abs(told - direct)) / direct };
  });
}

/** One controller before a system that answers at once. @param more milliseconds to end in */
async function measure([name, spec]: Named, ms: number, host: RateHost, more = 0) {
  const sender = posedSender(CLOCK);
  const posed = { clock: CLOCK, sender, durationMs: ms + more, parts: { host } };
  const { cause } = await (await posedRound(spec, posed)).round.run();
  if (cause !== undefined) throw cause;
  return keptRate(name, sender.sentAt.length, ms);
}

/** Statistics of answers that take their time, and all latencies next to them. */
async function measureAnswers(durationMs: number) {
  const latencies: number[] = [];
  const listener = {
    txFinished(status: TxStatus) {
      latencies.push(status.GetTimeFinal() - status.GetTimeCreate());
    },
  };
  const sender = posedSender(CLOCK, posedLatency);
  const posed = { clock: CLOCK, sender, durationMs, parts: { listener } };
  const { statistics: data } = await (await posedRound(fixed, posed)).round.run();
  const statistics = new RoundStatistics();
  // As it travels between worker and manager.
  statistics.merge(JSON.parse(JSON.stringify(data)) as StatisticsData);
  const name = `fixed-rate, answers after 1 to ${SLOWEST_MS} ms`;
  return { statistics, latencies, kept: keptRate(name, sender.sentAt.length, durationMs) };
}

/** How late a timer is at most. */
async function timerLateness(durationMs: number): Promise<number> {
  const end = CLOCK.now() + durationMs;
  let most = 0;
  while (CLOCK.now() < end) {
    const due = CLOCK.now() + TIMER_MS;
    await CLOCK.sleep(TIMER_MS);
    most = Math.max(most, CLOCK.now() - due);
  }
  return most;
}

/** Measures all of them at one time, and afterwards the replay. */
export async function measureRates(
  durationMs: number,
  say: (line: string) => void,
): Promise<RateFigures> {
  const traces = new Map<string, Uint8Array>();
  const host = memoryHost(traces);
  say(`${CONTROLLERS.length + 1} controllers for ${durationMs / MS} s`);
  const [rows, { statistics, latencies, kept }] = await Promise.all([
    Promise.all(CONTROLLERS.map((each) => measure(each, durationMs, host))),
    measureAnswers(durationMs),
  ]);
  say(`the replay for ${durationMs / MS} s`);
  const [replayed, timerLateMs] = await Promise.all([
    measure(REPLAY, durationMs, host, MORE_MS),
    timerLateness(durationMs),
  ]);
  const times = (name: string) => decodeTrace(traces.get(name) ?? new Uint8Array(0), "TEXT", name);
  const [first, again] = [times(RECORDED), times(REPLAYED)];
  const apart = first.map((at, i) => Math.abs(at - (again[i] ?? Number.POSITIVE_INFINITY)));
  return {
    rows: [...rows, kept, replayed],
    replay: {
      times: first.length,
      p99Ms: quantile(apart, 0.99),
      mostMs: Math.max(...apart),
      timerLateMs,
    },
    latencies: latencies.length,
    percentiles: percentilesOf(statistics, latencies),
  };
}
