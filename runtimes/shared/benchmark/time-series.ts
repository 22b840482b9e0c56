/** What happened in each second of a round. */
import { type HistogramData, LatencyHistogram } from "./latency-histogram.ts";
import type { SecondOfRound } from "./round-result.ts";

/** One second as it travels between workers and manager. */
export interface SecondData {
  readonly second: number;
  readonly submitted: number;
  readonly failed: number;
  /** Of those that succeeded. */
  readonly latency: HistogramData;
}

interface Second {
  submitted: number;
  failed: number;
  readonly latency: LatencyHistogram;
}

const MS_PER_SECOND = 1_000;

/** Seconds by number; times are milliseconds since the round began. */
export class TimeSeries {
  readonly #seconds = new Map<number, Second>();
  readonly #changed = new Set<number>();

  submitted(atMs: number): void {
    this.#at(atMs).submitted++;
  }

  succeeded(atMs: number, latencyMs: number): void {
    this.#at(atMs).latency.add(latencyMs);
  }

  failed(atMs: number): void {
    this.#at(atMs).failed++;
  }

  /** Adds what another one counted. */
  merge(seconds: readonly SecondData[]): void {
    for (const { second, submitted, failed, latency } of seconds) {
      const own = this.#of(second);
      own.submitted += submitted;
      own.failed += failed;
      own.latency.merge(latency);
    }
  }

  /** What travels. */
  data(): readonly SecondData[] {
    return [...this.#seconds.keys()].map((second) => this.#dataOf(second));
  }

  /** The seconds that have changed since the last question. */
  takeChanges(): readonly SecondData[] {
    const changed = [...this.#changed].map((second) => this.#dataOf(second));
    this.#changed.clear();
    return changed;
  }

  /** All seconds without a gap. */
  rows(): readonly SecondOfRound[] {
    const last = Math.max(-1, ...this.#seconds.keys());
    let pending = 0;
    return Array.from({ length: last + 1 }, (_, second) => {
      const { submitted, failed, latency } = this.#seconds.get(second) ?? emptySecond();
      pending += submitted - failed - latency.count;
      return {
        second,
        submitted,
        succeeded: latency.count,
        failed,
        pending,
        p50Ms: latency.percentile(0.5),
        p95Ms: latency.percentile(0.95),
      };
    });
  }

  #at(atMs: number): Second {
    const second = Math.max(0, Math.floor(atMs / MS_PER_SECOND));
    this.#changed.add(second);
    return this.#of(second);
  }

  #dataOf(second: number): SecondData {
    const { submitted, failed, latency } = this.#of(second);
    return { second, submitted, failed, latency: latency.data() };
  }

  #of(second: number): Second {
    const known = this.#seconds.get(second);
    if (known) return known;
    const made = emptySecond();
    this.#seconds.set(second, made);
    return made;
  }
}

function emptySecond(): Second {
  return { submitted: 0, failed: 0, latency: new LatencyHistogram() };
}
