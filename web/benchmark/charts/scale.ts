/** Axes of charts: round steps, places of values. */

interface Axis {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

const FACTORS = [1, 2, 5, 10];

/** An axis from the least to the greatest value with about this many ticks at round steps. */
export function axisOf(least: number, greatest: number, about = 5): Axis {
  const span = greatest > least ? greatest - least : Math.max(Math.abs(greatest), 1);
  const rough = span / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (FACTORS.find((factor) => factor * power >= rough) ?? 10);
  const from = Math.floor(least / step) * step;
  const to = Math.max(Math.ceil(greatest / step) * step, from + step);
  const count = Math.round((to - from) / step);
  // Multiplied and not summed up: 0.1 three times is not 0.3.
  return { from, to, ticks: Array.from({ length: count + 1 }, (_, i) => from + i * step) };
}

/** Where a value lies between 0 and 1 of an axis. */
export function placeOn({ from, to }: Pick<Axis, "from" | "to">, value: number): number {
  return (value - from) / (to - from);
}

const BIG = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** A figure at an axis: `1.5k`. */
export function tickText(value: number): string {
  const [size, letter] = BIG.find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  return `${Number((value / size).toPrecision(4))}${letter}`;
}
