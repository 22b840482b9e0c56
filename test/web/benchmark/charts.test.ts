/** The sums behind the charts: axes, bars, ticks. */
import { expect, test } from "vitest";
import { barsOf, logTicks } from "../../../web/benchmark/charts/distribution.ts";
import { axisOf, placeOn, tickText } from "../../../web/benchmark/charts/scale.ts";

test("axes begin and end at round steps around the values", () => {
  expect(axisOf(0, 472, 4)).toEqual({ from: 0, to: 600, ticks: [0, 200, 400, 600] });
  expect(axisOf(0, 0.3, 3).ticks.map((tick) => tick.toFixed(2))).toEqual([
    "0.00",
    "0.10",
    "0.20",
    "0.30",
  ]);
  expect(axisOf(5, 5).to).toBeGreaterThan(5);
  expect(placeOn({ from: 10, to: 20 }, 15)).toBe(0.5);
  expect([0, 950, 1_500, 2e6, 3e9].map(tickText)).toEqual(["0", "950", "1.5k", "2M", "3G"]);
});

test("bars keep the number of transactions, whatever the buckets are", () => {
  const buckets = [
    { lowerMs: 0, upperMs: 1, count: 3 },
    { lowerMs: 10, upperMs: 10.1, count: 5 },
    { lowerMs: 100, upperMs: 900, count: 1_000 },
  ];
  const bars = barsOf(buckets, 20);
  expect(bars).toHaveLength(20);
  expect(bars.reduce((sum, { count }) => sum + count, 0)).toBeCloseTo(1_008);
  expect(bars.at(-1)?.toMs).toBeCloseTo(900);
  const one = barsOf([{ lowerMs: 5, upperMs: 5, count: 7 }], 4);
  expect(one.reduce((sum, { count }) => sum + count, 0)).toBeCloseTo(7);
  expect(barsOf([])).toEqual([]);
});

test("ticks of a logarithmic axis are round and few", () => {
  expect(logTicks(150, 2_100)).toEqual([200, 500, 1_000, 2_000]);
  expect(logTicks(0.01, 1e5)).toHaveLength(8);
});
