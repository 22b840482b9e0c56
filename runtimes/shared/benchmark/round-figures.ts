/** What the statistics of a round say in its result. */
import type { RoundResult } from "./round-result.ts";
import type { RoundStatistics } from "./statistics.ts";

/** The parts of a result that follow from statistics alone. */
export type RoundFigures = Pick<
  RoundResult,
  | "durationMs"
  | "counts"
  | "rates"
  | "latency"
  | "failedLatency"
  | "intendedLatency"
  | "distribution"
  | "seconds"
  | "errors"
>;

/** Reads them off. */
export function roundFigures(statistics: RoundStatistics): RoundFigures {
  const { intendedLatency } = statistics;
  return {
    durationMs: statistics.durationMs(),
    counts: statistics.counts(),
    rates: statistics.rates(),
    latency: statistics.latency.summary(),
    failedLatency: statistics.failedLatency.summary(),
    intendedLatency: intendedLatency.count === 0 ? null : intendedLatency.summary(),
    distribution: statistics.latency.distribution(),
    seconds: statistics.series.rows(),
    errors: statistics.errors(),
  };
}
