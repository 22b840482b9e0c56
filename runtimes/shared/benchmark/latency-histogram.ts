/**
 * Latencies in log-linear buckets: small, mergeable without loss, percentiles exact to 1 %.
 * Source: benchmark 8
 */
import type { LatencyBucket, LatencySummary } from "./round-result.ts";

/** A histogram as it travels between workers and manager. */
export interface HistogramData {
  /** Index of a bucket and its count, in no order. */
  readonly buckets: readonly (readonly [index: number, count: number])[];
  readonly minMs: number | null;
  readonly maxMs: number | null;
  readonly totalMs: number;
}

/** Buckets for each power of two: one is at most 1/128 of its value wide. */
const PER_OCTAVE = 128;
const OCTAVE_BITS = 7;
const WORD_BITS = 31;
/** Buckets count whole units of 10 microseconds. */
const UNITS_PER_MS = 100;
/** The largest unit: nearly twelve hours. */
const MOST_UNITS = 2 ** 32 - 1;

function bucketOf(ms: number): number {
  const units = Math.min(MOST_UNITS, Math.max(0, Math.round(ms * UNITS_PER_MS)));
  if (units < PER_OCTAVE) return units;
  const shift = WORD_BITS - Math.clz32(units) - OCTAVE_BITS;
  return shift * PER_OCTAVE + (units >>> shift);
}

/** First unit of a bucket, in milliseconds. */
function lowerOf(index: number): number {
  if (index < 2 * PER_OCTAVE) return index / UNITS_PER_MS;
  const shift = Math.floor(index / PER_OCTAVE) - 1;
  return ((index - shift * PER_OCTAVE) * 2 ** shift) / UNITS_PER_MS;
}

/** Latencies, counted. */
export class LatencyHistogram {
  readonly #buckets = new Map<number, number>();
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #total = 0;

  get count(): number {
    return this.#count;
  }

  /** Their sum in milliseconds. */
  get totalMs(): number {
    return this.#total;
  }

  add(ms: number): void {
    const index = bucketOf(ms);
    this.#buckets.set(index, (this.#buckets.get(index) ?? 0) + 1);
    this.#count++;
    this.#total += ms;
    if (ms < this.#min) this.#min = ms;
    if (ms > this.#max) this.#max = ms;
  }

  /** Adds what another one counted. */
  merge(data: HistogramData): void {
    for (const [index, count] of data.buckets) {
      this.#buckets.set(index, (this.#buckets.get(index) ?? 0) + count);
      this.#count += count;
    }
    this.#total += data.totalMs;
    if (data.minMs !== null) this.#min = Math.min(this.#min, data.minMs);
    if (data.maxMs !== null) this.#max = Math.max(this.#max, data.maxMs);
  }

  /**
   * The latency that the share of all does not exceed (nearest rank), exact to 1 % or 10
   * microseconds; null without any.
   * @param share from 0 to 1
   */
  percentile(share: number): number | null {
    const rank = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    for (const [index, count] of this.#sorted()) {
      seen += count;
      if (seen < rank) continue;
      const middle = (lowerOf(index) + lowerOf(index + 1) - 1 / UNITS_PER_MS) / 2;
      return Math.min(this.#max, Math.max(this.#min, middle));
    }
    return null;
  }

  summary(): LatencySummary {
    const isEmpty = this.#count === 0;
    return {
      count: this.#count,
      minMs: isEmpty ? null : this.#min,
      maxMs: isEmpty ? null : this.#max,
      avgMs: isEmpty ? null : this.#total / this.#count,
      p50Ms: this.percentile(0.5),
      p90Ms: this.percentile(0.9),
      p95Ms: this.percentile(0.95),
      p99Ms: this.percentile(0.99),
    };
  }

  /** The buckets with a count, rising. */
  distribution(): readonly LatencyBucket[] {
    return this.#sorted().map(([index, count]) => ({
      lowerMs: lowerOf(index),
      upperMs: lowerOf(index + 1),
      count,
    }));
  }

  /** What travels. */
  data(): HistogramData {
    return {
      buckets: [...this.#buckets],
      minMs: this.#count === 0 ? null : this.#min,
      maxMs: this.#count === 0 ? null : this.#max,
      totalMs: this.#total,
    };
  }

  #sorted(): (readonly [number, number])[] {
    return [...this.#buckets].sort(([a], [b]) => a - b);
  }
}
