/**
 * Which states of a chart stand beside each other: each in a row, so that arrows are short and
 * lead downwards where they can.
 */
import type { ChartState } from "../../../runtimes/shared/theatre/frame.ts";

/** Two states with an arrow from one to the other. */
export interface Way {
  readonly from: string;
  readonly to: string;
}

/** A line of a chart from its top to its bottom: a row of states, or an edge of a box. */
export interface Level {
  readonly kind: "row" | "top" | "bottom";
  /** The boxes that it lies in, from the outermost to the innermost. */
  readonly chain: readonly ChartState[];
  /** What stands in the row. */
  readonly states: readonly ChartState[];
}

/** Columns that a box takes beside its content: its two edges. */
export const EDGES = 2;
/** How much is avoided what makes a chart hard to read; the length of an arrow counts as it is. */
export interface Weights {
  /** How much longer an arrow seems that leads upwards. */
  readonly up: number;
  /** The same for one of the shortest way from an initial state. */
  readonly upFirst: number;
  /** Each column that a row is too wide. */
  readonly tooWide: number;
  /** An arrow between states of one row. */
  readonly beside: number;
}

const COST = { row: 1, firstIsLower: 100 };
/** Each pass over all states shortens the arrows; it seldom finds something after the fourth. */
const MOST_PASSES = 12;

/** A chart by numbers of its states, with each parent before its children. */
interface Numbered {
  readonly states: readonly ChartState[];
  readonly childrenOf: readonly (readonly number[])[];
  readonly firstOf: readonly number[];
  readonly ways: readonly (readonly [number, number])[];
  readonly columns: readonly number[];
  /** Arrows of the shortest ways from the initial states. */
  readonly firstWays: Set<readonly [number, number]>;
  readonly weights: Weights;
  readonly most: number;
}

/** By the number of a box: its rows from top to bottom, each with numbers of states. */
type Rows = number[][][];

interface RowsOptions {
  readonly ways: readonly Way[];
  /** How many columns a state takes for its label. */
  readonly columnsOf: (state: ChartState) => number;
  /** How many columns the chart may take. */
  readonly most: number;
}

/** The levels of a chart. */
export function levelsOf(
  root: ChartState,
  options: RowsOptions,
  weights: Weights,
): readonly Level[] {
  const chart = numbered(root, options, weights);
  const rows = chart.childrenOf.map((children, nest) => firstRows(chart, nest, children));
  let least = costOf(chart, rows);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const cost = improved(chart, rows, least);
    if (cost === least) break;
    least = cost;
  }
  return flattened(chart, rows, 0, []);
}

function numbered(
  root: ChartState,
  { ways, columnsOf, most }: RowsOptions,
  weights: Weights,
): Numbered {
  const states: ChartState[] = [];
  const visit = (state: ChartState): void => {
    states.push(state);
    for (const child of state.states) visit(child);
  };
  visit(root);
  const numbers = new Map(states.map(({ path }, number) => [path, number]));
  const numberOf = (path: string) => numbers.get(path) ?? 0;
  return {
    states,
    childrenOf: states.map((state) => state.states.map(({ path }) => numberOf(path))),
    firstOf: states.map(({ initial, states: [first], ...state }) => {
      const child = state.path === "" ? initial : `${state.path}.${initial}`;
      return numbers.get(child ?? "") ?? numberOf(first?.path ?? "");
    }),
    ways: ways.map(({ from, to }) => [numberOf(from), numberOf(to)]),
    columns: states.map(columnsOf),
    firstWays: new Set(),
    weights,
    most,
  };
}

function isNest({ childrenOf }: Numbered, state: number): boolean {
  return (childrenOf[state]?.length ?? 0) > 0;
}

/** Rows by the shortest way from the initial state, each as long as fits. */
function firstRows(chart: Numbered, nest: number, children: readonly number[]): number[][] {
  const distances = distancesOf(chart, nest);
  const far = children.length;
  const distanceOf = (child: number) => distances.get(child) ?? far;
  const rows: number[][] = [];
  let room = 0;
  for (const child of children.toSorted((one, other) => distanceOf(one) - distanceOf(other))) {
    const needed = isNest(chart, child) ? chart.most : (chart.columns[child] ?? 0) + 1;
    if (needed > room) {
      rows.push([]);
      room = chart.most - EDGES;
    }
    rows.at(-1)?.push(child);
    room -= needed;
  }
  return rows;
}

/** How many arrows lead from the initial state to each of its siblings; notes which they are. */
function distancesOf(chart: Numbered, nest: number): ReadonlyMap<number, number> {
  const children = chart.childrenOf[nest] ?? [];
  const pathOf = (state: number) => chart.states[state]?.path ?? "";
  const childAt = (state: number) =>
    children.find((child) => `${pathOf(state)}.`.startsWith(`${pathOf(child)}.`));
  const first = chart.firstOf[nest] ?? 0;
  const distances = new Map([[first, 0]]);
  for (const [state, distance] of distances) {
    for (const way of chart.ways) {
      const [from, to] = way;
      const next = childAt(to);
      if (childAt(from) !== state || next === undefined || distances.has(next)) continue;
      distances.set(next, distance + 1);
      chart.firstWays.add(way);
    }
  }
  return distances;
}

/** The cost after each state was moved to where it is least. */
function improved(chart: Numbered, rows: Rows, before: number): number {
  let least = before;
  const keepIfLess = (nest: number, changed: number[][]): void => {
    const kept = rows[nest] ?? [];
    rows[nest] = changed;
    const cost = costOf(chart, rows);
    if (cost < least - 1e-6) least = cost;
    else rows[nest] = kept;
  };
  for (const [nest, children] of chart.childrenOf.entries()) {
    for (const child of children) {
      for (let index = 0; index <= children.length; index++) {
        const without = (rows[nest] ?? []).map((row) => row.filter((it) => it !== child));
        const row = without[index];
        if (!row) break;
        const canJoin = !isNest(chart, child) && !row.some((it) => isNest(chart, it));
        if (canJoin) keepIfLess(nest, trimmed(without.with(index, [...row, child])));
      }
      for (let index = 0; index <= (rows[nest]?.length ?? 0); index++) {
        const without = (rows[nest] ?? []).map((row) => row.filter((it) => it !== child));
        keepIfLess(nest, trimmed(without.toSpliced(index, 0, [child])));
      }
      for (const other of children) {
        if (other <= child || isNest(chart, child) !== isNest(chart, other)) continue;
        const swap = (it: number) => (it === child ? other : it === other ? child : it);
        keepIfLess(
          nest,
          (rows[nest] ?? []).map((row) => row.map(swap)),
        );
      }
    }
  }
  return least;
}

function trimmed(rows: number[][]): number[][] {
  return rows.filter((row) => row.length > 0);
}

/** First and last level of each state. */
interface Places {
  readonly top: number[];
  readonly bottom: number[];
}

/** How hard a chart is to read: long arrows, arrows that lead upwards, rows that are too wide. */
function costOf(chart: Numbered, rows: Rows): number {
  const top: number[] = [];
  const bottom: number[] = [];
  const rooms: { readonly row: readonly number[]; readonly level: number; room: number }[] = [];
  let [cost, level] = [0, 0];
  const visit = (nest: number, room: number): void => {
    top[nest] = level++;
    for (const row of rows[nest] ?? []) {
      const [first = 0] = row;
      cost += COST.row;
      if (isNest(chart, first)) {
        visit(first, room - EDGES);
        continue;
      }
      for (const state of row) top[state] = bottom[state] = level;
      rooms.push({ row, level: level++, room });
    }
    bottom[nest] = level++;
    const start = chart.firstOf[nest] ?? 0;
    if (!rows[nest]?.[0]?.includes(start)) cost += COST.firstIsLower;
  };
  const { weights } = chart;
  visit(0, chart.most - EDGES);
  /** Rows in which an arrow may lead across. */
  const across = new Set<number>();
  const passing = new Array<number>(level + 1).fill(0);
  const above = new Array<number>(top.length).fill(0);
  const below = new Array<number>(top.length).fill(0);
  for (const way of chart.ways) {
    const [from, to] = endsOf(way, { top, bottom });
    const [high, low] = [Math.min(from, to), Math.max(from, to)];
    const up = chart.firstWays.has(way) ? weights.upFirst : weights.up;
    cost += from === to ? weights.beside : (low - high) * (from < to ? 1 : up);
    if (high === low) {
      across.add(high);
      continue;
    }
    passing[high + 1] = (passing[high + 1] ?? 0) + 1;
    passing[low] = (passing[low] ?? 0) - 1;
    const [upper, lower] = from < to ? way : [way[1], way[0]];
    below[upper] = (below[upper] ?? 0) + 1;
    above[lower] = (above[lower] ?? 0) + 1;
  }
  for (let index = 1; index <= level; index++)
    passing[index] = (passing[index] ?? 0) + (passing[index - 1] ?? 0);
  for (const { row, level: at, room } of rooms) {
    let taken = (passing[at] ?? 0) + (row.length - 1) * (across.has(at) ? 2 : 1);
    for (const it of row)
      taken += Math.max(chart.columns[it] ?? 0, EDGES + Math.max(above[it] ?? 0, below[it] ?? 0));
    cost += Math.max(0, taken - room) * weights.tooWide;
  }
  return cost;
}

/** The levels where an arrow begins and ends. */
function endsOf([from, to]: readonly [number, number], places: Places): [number, number] {
  return [edgeOf(from, to, places), edgeOf(to, from, places)];
}

/** A box is left or entered at the edge that is nearer to the other state. */
function edgeOf(state: number, other: number, { top, bottom }: Places): number {
  const [high = 0, low = 0] = [top[state], bottom[state]];
  const [otherHigh = 0, otherLow = 0] = [top[other], bottom[other]];
  if (otherLow < high) return high;
  if (otherHigh > low) return low;
  return Math.abs(high - otherHigh) <= Math.abs(low - otherLow) ? high : low;
}

function flattened(
  chart: Numbered,
  rows: Rows,
  nest: number,
  around: readonly ChartState[],
): readonly Level[] {
  const statesOf = (row: readonly number[]) => row.flatMap((it) => chart.states[it] ?? []);
  const chain = [...around, ...statesOf([nest])];
  const inner = (rows[nest] ?? []).flatMap((row): readonly Level[] => {
    const [first = 0] = row;
    if (isNest(chart, first)) return flattened(chart, rows, first, chain);
    return [{ kind: "row", chain, states: statesOf(row) }];
  });
  const edge = { chain, states: [] };
  return [{ ...edge, kind: "top" }, ...inner, { ...edge, kind: "bottom" }];
}

/** For each arrow the levels where it begins and ends. */
export function endLevelsOf(levels: readonly Level[], ways: readonly Way[]): [number, number][] {
  const paths = new Map<string, number>();
  const places: Places = { top: [], bottom: [] };
  const note = (path: string, level: number): void => {
    const number = paths.get(path) ?? paths.size;
    paths.set(path, number);
    places.top[number] ??= level;
    places.bottom[number] = level;
  };
  for (const [level, { chain, states }] of levels.entries())
    for (const { path } of [...chain, ...states]) note(path, level);
  const numberOf = (path: string) => paths.get(path) ?? 0;
  return ways.map(({ from, to }) => endsOf([numberOf(from), numberOf(to)], places));
}
