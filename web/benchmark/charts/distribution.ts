/** Bars of equal width on a logarithmic axis, from buckets of any width. */
import type { LatencyBucket } from "../../../runtimes/shared/benchmark/round-result.ts";

/** A bar: its bounds, and how many transactions fall between them. */
export interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/** Below this nothing is drawn apart: a clock tells no less. */
const LEAST_MS = 0.01;

/** Spreads the counts of buckets over this many bars, each by what they have in common. */
export function barsOf(buckets: readonly LatencyBucket[], about = 48): Bar[] {
  if (buckets.length === 0) return [];
  const log = (ms: number) => Math.log(Math.max(ms, LEAST_MS));
  const first = log(Math.min(...buckets.map(({ lowerMs }) => lowerMs)));
  const last = Math.max(log(Math.max(...buckets.map(({ upperMs }) => upperMs))), first + 0.01);
  const width = (last - first) / about;
  const counts = Array.from({ length: about }, () => 0);
  for (const { lowerMs, upperMs, count } of buckets) {
    const [from, to] = [log(lowerMs), Math.max(log(upperMs), log(lowerMs) + 1e-9)];
    const firstBar = Math.min(about - 1, Math.floor((from - first) / width));
    const lastBar = Math.min(about - 1, Math.max(firstBar, Math.ceil((to - first) / width) - 1));
    for (let bar = firstBar; bar <= lastBar; bar += 1) {
      const low = Math.max(from, first + bar * width);
      const high = Math.min(to, first + (bar + 1) * width);
      const share = firstBar === lastBar ? 1 : Math.max(0, high - low) / (to - from);
      counts[bar] = (counts[bar] ?? 0) + count * share;
    }
  }
  return counts.map((count, bar) => ({
    fromMs: Math.exp(first + bar * width),
    toMs: Math.exp(first + (bar + 1) * width),
    count,
  }));
}

const STEPS = [1, 2, 5];

/** Round values between two bounds of a logarithmic axis, at most about ten. */
export function logTicks(fromMs: number, toMs: number): number[] {
  const [from, to] = [Math.max(fromMs, LEAST_MS), Math.max(toMs, LEAST_MS)];
  const decades = Math.log10(to / from);
  const steps = decades > 3 ? [1] : STEPS;
  const powers = Array.from({ length: 16 }, (_, i) => 10 ** (i - 3));
  return powers
    .flatMap((power) => steps.map((step) => step * power))
    .filter((tick) => tick >= from && tick <= to);
}
