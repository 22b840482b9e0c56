/** Single figures of a round by name: what assertions and comparisons speak of. */
import type { LatencySummary, RoundResult } from "./round-result.ts";

/** A figure of a round. */
export interface RoundMetric {
  /** As assertions name it. */
  readonly name: string;
  readonly says: string;
  readonly unit: "tps" | "s" | "%" | "";
  /** Which way is better; undefined when neither is. */
  readonly better: "higher" | "lower" | undefined;
  /** Null when the round has no such figure. */
  readonly figure: (round: RoundResult) => number | null;
}

function latency(name: string, key: keyof LatencySummary, says: string): RoundMetric {
  const figure = (round: RoundResult) => {
    const ms = round.latency[key];
    return ms === null ? null : ms / 1000;
  };
  return { name, says, unit: "s", better: "lower", figure };
}

function errorRate({ counts }: RoundResult): number | null {
  return counts.submitted === 0 ? null : (100 * counts.failed) / counts.submitted;
}

/** All of them. */
export const ROUND_METRICS: readonly RoundMetric[] = [
  {
    name: "succ",
    says: "transactions that succeeded",
    unit: "",
    better: "higher",
    figure: ({ counts }) => counts.succeeded,
  },
  {
    name: "fail",
    says: "transactions that failed",
    unit: "",
    better: "lower",
    figure: ({ counts }) => counts.failed,
  },
  {
    name: "unfinished",
    says: "transactions without an answer",
    unit: "",
    better: "lower",
    figure: ({ counts }) => counts.unfinished,
  },
  {
    name: "errorRate",
    says: "share of failures, per cent",
    unit: "%",
    better: "lower",
    figure: errorRate,
  },
  {
    name: "sendRate",
    says: "Send Rate (TPS)",
    unit: "tps",
    better: undefined,
    figure: ({ rates }) => rates.sendTps,
  },
  {
    name: "throughput",
    says: "Throughput (TPS)",
    unit: "tps",
    better: "higher",
    figure: ({ rates }) => rates.throughputTps,
  },
  {
    name: "tps",
    says: "Succ TPS",
    unit: "tps",
    better: "higher",
    figure: ({ rates }) => rates.successTps,
  },
  latency("max", "maxMs", "Max Latency (s)"),
  latency("min", "minMs", "Min Latency (s)"),
  latency("avg", "avgMs", "Avg Latency (s)"),
  latency("p50", "p50Ms", "p50 (s)"),
  latency("p90", "p90Ms", "p90 (s)"),
  latency("p95", "p95Ms", "p95 (s)"),
  latency("p99", "p99Ms", "p99 (s)"),
];
