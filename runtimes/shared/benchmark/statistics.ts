/**
 * Statistics of a round: of one worker, and merged. Times are milliseconds since the worker began
 * the round, so that clocks of different machines do not meet. Source: benchmark 2, 8
 */
import { type HistogramData, LatencyHistogram } from "./latency-histogram.ts";
import type { ErrorRow, RoundCounts, RoundRates } from "./round-result.ts";
import { type SecondData, TimeSeries } from "./time-series.ts";

/** A transaction whose end is known. */
export interface FinishedTx {
  readonly createdMs: number;
  readonly finishedMs: number;
  /** When the rate wanted it to be sent; undefined where the controller has no plan. */
  readonly intendedMs: number | undefined;
  /** Why it failed; undefined when it succeeded. */
  readonly error: string | undefined;
}

/** Statistics as they travel between workers and manager. */
export interface StatisticsData {
  readonly counts: RoundCounts;
  readonly firstCreateMs: number | null;
  readonly lastCreateMs: number | null;
  readonly lastFinishMs: number | null;
  readonly latency: HistogramData;
  readonly failedLatency: HistogramData;
  readonly intendedLatency: HistogramData;
  readonly seconds: readonly SecondData[];
  readonly errors: readonly ErrorRow[];
}

/** Kinds of errors that are distinguished; the rest is counted together. */
const MOST_ERRORS = 100;
const OTHER_ERRORS = "other errors";
/** The name of an error is its beginning, up to a colon or this length. */
const LONGEST_NAME = 60;
const LONGEST_EXAMPLE = 300;
/** The error of a transaction that never had an answer. */
export const UNFINISHED = "timeout: no answer in time";

function nameOf(error: string): string {
  const [name = error] = error.split(":");
  return name.trim().slice(0, LONGEST_NAME);
}

function least(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

function most(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}

/** Counts transactions. */
export class RoundStatistics {
  #succeeded = 0;
  #failed = 0;
  #unfinished = 0;
  #trimmed = 0;
  #firstCreate: number | null = null;
  #lastCreate: number | null = null;
  #lastFinish: number | null = null;
  readonly #latency = new LatencyHistogram();
  readonly #failedLatency = new LatencyHistogram();
  readonly #intended = new LatencyHistogram();
  readonly #series = new TimeSeries();
  readonly #errors = new Map<string, { count: number; example: string }>();

  add(tx: FinishedTx): void {
    const { createdMs, finishedMs, intendedMs, error } = tx;
    this.#spread(createdMs, createdMs, finishedMs);
    this.#series.submitted(createdMs);
    const latencyMs = finishedMs - createdMs;
    if (error !== undefined) {
      this.#failed++;
      if (error === UNFINISHED) this.#unfinished++;
      this.#failedLatency.add(latencyMs);
      this.#series.failed(finishedMs);
      this.#addError(nameOf(error), 1, error.slice(0, LONGEST_EXAMPLE));
      return;
    }
    this.#succeeded++;
    this.#latency.add(latencyMs);
    if (intendedMs !== undefined) this.#intended.add(finishedMs - Math.min(intendedMs, createdMs));
    this.#series.succeeded(finishedMs, latencyMs);
  }

  /** Counts one that trim leaves out of everything else. */
  trim(): void {
    this.#trimmed++;
  }

  merge(data: StatisticsData): void {
    const { succeeded, failed, unfinished, trimmed } = data.counts;
    this.#succeeded += succeeded;
    this.#failed += failed;
    this.#unfinished += unfinished;
    this.#trimmed += trimmed;
    this.#spread(data.firstCreateMs, data.lastCreateMs, data.lastFinishMs);
    this.#latency.merge(data.latency);
    this.#failedLatency.merge(data.failedLatency);
    this.#intended.merge(data.intendedLatency);
    this.#series.merge(data.seconds);
    for (const { name, count, example } of data.errors) this.#addError(name, count, example);
  }

  /** What travels. */
  data(): StatisticsData {
    return { ...this.#whole(), seconds: this.#series.data() };
  }

  /** What travels while the round runs: of seconds only those that have changed since. */
  takeChanges(): StatisticsData {
    return { ...this.#whole(), seconds: this.#series.takeChanges() };
  }

  #whole(): Omit<StatisticsData, "seconds"> {
    return {
      counts: this.counts(),
      firstCreateMs: this.#firstCreate,
      lastCreateMs: this.#lastCreate,
      lastFinishMs: this.#lastFinish,
      latency: this.#latency.data(),
      failedLatency: this.#failedLatency.data(),
      intendedLatency: this.#intended.data(),
      errors: this.errors(),
    };
  }

  counts(): RoundCounts {
    return {
      submitted: this.#succeeded + this.#failed,
      succeeded: this.#succeeded,
      failed: this.#failed,
      unfinished: this.#unfinished,
      trimmed: this.#trimmed,
    };
  }

  /** The rates of the table; null where no time has passed. Source: benchmark 2 */
  rates(): RoundRates {
    const all = this.#succeeded + this.#failed;
    const first = this.#firstCreate ?? 0;
    const per = (count: number, untilMs: number | null): number | null => {
      const seconds = ((untilMs ?? first) - first) / 1_000;
      return seconds > 0 ? count / seconds : null;
    };
    return {
      sendTps: per(all, this.#lastCreate),
      throughputTps: per(all, this.#lastFinish),
      successTps: per(this.#succeeded, this.#lastFinish),
    };
  }

  /** Milliseconds from the first submission to the last end. */
  durationMs(): number {
    return (this.#lastFinish ?? 0) - (this.#firstCreate ?? 0);
  }

  /** Latencies of those that succeeded. */
  get latency(): LatencyHistogram {
    return this.#latency;
  }

  /** Latencies of those that failed. */
  get failedLatency(): LatencyHistogram {
    return this.#failedLatency;
  }

  /** Latencies from the intended time of sending. */
  get intendedLatency(): LatencyHistogram {
    return this.#intended;
  }

  /** Second by second. */
  get series(): TimeSeries {
    return this.#series;
  }

  /** Why transactions failed, most frequent first. */
  errors(): readonly ErrorRow[] {
    const rows = [...this.#errors].map(([name, { count, example }]) => ({ name, count, example }));
    return rows.sort((a, b) => b.count - a.count);
  }

  #spread(first: number | null, lastCreate: number | null, lastFinish: number | null): void {
    this.#firstCreate = least(this.#firstCreate, first);
    this.#lastCreate = most(this.#lastCreate, lastCreate);
    this.#lastFinish = most(this.#lastFinish, lastFinish);
  }

  #addError(given: string, count: number, example: string): void {
    const isNew = !this.#errors.has(given);
    const name = isNew && this.#errors.size >= MOST_ERRORS ? OTHER_ERRORS : given;
    const row = this.#errors.get(name);
    if (row) row.count += count;
    else this.#errors.set(name, { count, example });
  }
}
