/** Percentiles of histograms next to a direct computation. Source: benchmark 8, 11.5 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { LatencyHistogram } from "../../../../runtimes/shared/benchmark/latency-histogram.ts";

const LATENCIES = fc.array(fc.double({ min: 0, max: 10_000_000, noNaN: true }), {
  minLength: 1,
  maxLength: 400,
});

/** Nearest rank, from the values themselves. */
function direct(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
}

function counted(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

function isNear(told: number | null, wanted: number): boolean {
  return told !== null && Math.abs(told - wanted) <= Math.max(0.01 * wanted, 0.01);
}

test("every percentile is within 1 % of the direct computation", () => {
  const shares = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(LATENCIES, shares, (values, share) =>
      isNear(counted(values).percentile(share), direct(values, share)),
    ),
  );
});

test("the figures of a report are those of the values", () => {
  fc.assert(
    fc.property(LATENCIES, (values) => {
      const { count, minMs, maxMs, avgMs, p50Ms, p99Ms } = counted(values).summary();
      assert.equal(count, values.length);
      assert.equal(minMs, Math.min(...values));
      assert.equal(maxMs, Math.max(...values));
      assert.ok(isNear(avgMs, values.reduce((sum, value) => sum + value, 0) / values.length));
      assert.ok(isNear(p50Ms, direct(values, 0.5)) && isNear(p99Ms, direct(values, 0.99)));
    }),
  );
});

test("histograms of several workers, merged as JSON, are that of all values", () => {
  fc.assert(
    fc.property(LATENCIES, LATENCIES, (one, other) => {
      const merged = new LatencyHistogram();
      for (const part of [one, other])
        merged.merge(JSON.parse(JSON.stringify(counted(part).data())));
      const whole = counted([...one, ...other]);
      assert.deepEqual(merged.distribution(), whole.distribution());
      const { avgMs: mergedAvg, ...figures } = merged.summary();
      const { avgMs: wholeAvg, ...wanted } = whole.summary();
      assert.deepEqual(figures, wanted);
      assert.ok(isNear(mergedAvg, wholeAvg ?? 0));
    }),
  );
});

test("the bars of the distribution rise, touch nowhere twice, and hold what was counted", () => {
  fc.assert(
    fc.property(LATENCIES, (values) => {
      const bars = counted(values).distribution();
      assert.equal(
        bars.reduce((sum, { count }) => sum + count, 0),
        values.length,
      );
      for (const [index, { lowerMs, upperMs }] of bars.entries()) {
        assert.ok(upperMs > lowerMs && lowerMs >= (bars[index - 1]?.upperMs ?? 0));
      }
    }),
  );
});

test("without any latency there are no figures", () => {
  const { count, ...figures } = new LatencyHistogram().summary();
  assert.equal(count, 0);
  assert.ok(Object.values(figures).every((figure) => figure === null));
});
