/**
 * What stands in the levels of a chart: states, and the arrows that pass between them. All
 * positions are columns, each as wide as an arrow needs.
 */
import type { ChartState } from "../../../runtimes/shared/theatre/frame.ts";
import { EDGES, endLevelsOf, type Level, type Way } from "./chart-rows.ts";

/** What stands in a level: a state, or an arrow that passes through it. */
export interface Item {
  readonly state: ChartState | undefined;
  /** The box beside which the arrow passes, as straight as it is high. */
  readonly beside: { readonly path: string; readonly isLeft: boolean } | undefined;
  readonly width: number;
  /** Free columns between its box and the next one: more where an arrow may lead across. */
  readonly gap: number;
  /** Free columns before its box, for the mark of a state that is entered first. */
  readonly lead: number;
  /** Its first column. */
  x: number;
  /** Where its middle would stand best. */
  want: number;
}

/** An arrow through the levels, from the upper of its ends to the lower. */
export interface Route {
  readonly index: number;
  readonly way: Way;
  /** It leads upwards. */
  readonly isUp: boolean;
  /** Its upper end, and how many levels it leads down from there; 0 between neighbours. */
  readonly level: number;
  readonly span: number;
  /** Level by level; two between neighbours. */
  readonly items: readonly Item[];
  /** Columns at the boxes of its ends. */
  readonly ports: [number, number];
  /** Nothing stands between its ends: it leads straight across. */
  isAcross: boolean;
}

/** The first column inside of a box around states, and the first one after them. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** What is ordered. */
export interface OrderOptions {
  readonly levels: readonly Level[];
  readonly ways: readonly Way[];
  /** How many columns a state takes for its label; of a box: what its title takes. */
  readonly columnsOf: (state: ChartState) => number;
  readonly leadOf: (state: ChartState) => number;
}

/** On which side of a box an arrow passes, by both. */
export type Sides = ReadonlyMap<string, boolean>;

/** A state and each arrow in each level that it passes. */
export function itemsOf(options: OrderOptions, sides: Sides): { items: Item[][]; routes: Route[] } {
  const { levels, ways, columnsOf, leadOf } = options;
  const ends = endLevelsOf(levels, ways);
  const boxes = new Map<string, Item>();
  const place = { beside: undefined, gap: 0, x: 0, want: 0 };
  const items = levels.map(({ states }, level) =>
    states.map((state): Item => {
      const isEnd = (path: string) => path === state.path;
      const under = ways.filter(({ from, to }, index) => {
        const [one = 0, other = 0] = ends[index] ?? [];
        return (isEnd(from) && other >= level) || (isEnd(to) && one >= level);
      }).length;
      const all = ways.filter(({ from, to }) => isEnd(from) || isEnd(to)).length;
      const ports = Math.max(under, all - under) + EDGES;
      const lead = leadOf(state);
      const hasAcross = ends.some(([from, to]) => from === level && to === level);
      const gap = hasAcross ? 2 : 1;
      const box = { ...place, state, gap, lead, width: Math.max(columnsOf(state), ports) + lead };
      boxes.set(state.path, box);
      return box;
    }),
  );
  const passOf = (index: number, way: Way, level: number): Item => {
    const { chain } = levels[level] ?? { chain: [] };
    const foreign = chain.find(({ path }) => !isWithin(way.from, path) && !isWithin(way.to, path));
    const isLeft = sides.get(`${index} ${foreign?.path}`) ?? true;
    const beside = foreign && { path: foreign.path, isLeft };
    return { ...place, state: undefined, beside, lead: 0, width: 1 };
  };
  const routes = ways.map((way, index): Route => {
    const [from = 0, to = 0] = ends[index] ?? [];
    const [level, span] = [Math.min(from, to), Math.abs(from - to)];
    const [upper, lower] = from <= to ? [way.from, way.to] : [way.to, way.from];
    const own: Item[] = [];
    for (let at = level; at <= level + span; at++) {
      const box = at === level ? boxes.get(upper) : at === level + span && boxes.get(lower);
      const pass = box || passOf(index, way, at);
      const before = own.at(-1);
      const goesOn = before?.beside && before.beside.path === pass.beside?.path;
      own.push(goesOn ? before : pass);
      if (!box) items[at]?.push(goesOn ? before : pass);
    }
    const neighbour = span === 0 ? boxes.get(lower) : undefined;
    if (neighbour) own.push(neighbour);
    return { index, way, isUp: to < from, level, span, items: own, ports: [0, 0], isAcross: false };
  });
  return { items, routes };
}

function isWithin(path: string, nest: string): boolean {
  return nest === "" || path === nest || path.startsWith(`${nest}.`);
}

/** Each box is as wide as the one around it, but for the arrows that pass beside it. */
export function boundsOf(options: OrderOptions, items: readonly (readonly Item[])[]) {
  const { levels, columnsOf, leadOf } = options;
  const nests = [...new Set(levels.flatMap(({ chain }) => chain))];
  const besides = new Set(items.flat().filter(({ beside }) => beside));
  const beside = ({ path }: ChartState, isLeft: boolean) =>
    [...besides].filter((it) => it.beside?.path === path && it.beside.isLeft === isLeft).length;
  const edges = new Map(
    nests.map((nest) => {
      const low = 1 + leadOf(nest) + beside(nest, true);
      return [nest.path, { low, high: 1 + beside(nest, false) }];
    }),
  );
  const width = levels.reduce((widest, { kind, chain }, level) => {
    const own = (items[level] ?? []).filter((it) => !it.beside);
    const nest = chain.at(-1);
    const title = kind === "top" && nest ? columnsOf(nest) : 0;
    const around = chain.reduce((sum, { path }) => {
      const { low = 0, high = 0 } = edges.get(path) ?? {};
      return sum + low + high;
    }, 0);
    const needed = own.reduce((sum, it, index) => sum + it.width + gapOf(own[index - 1], it), 0);
    return Math.max(widest, around + needed + title);
  }, 0);
  const bounds = new Map<string, Bounds>();
  for (const { chain } of levels) {
    let [low, high] = [0, width];
    for (const { path } of chain) {
      low += edges.get(path)?.low ?? 0;
      high -= edges.get(path)?.high ?? 0;
      bounds.set(path, { low, high });
    }
  }
  return { bounds, width };
}

/** How far two neighbours stay apart. */
export function gapOf(before: Item | undefined, item: Item): number {
  return Math.min(before?.gap ?? 0, item.gap);
}

/** What is ordered, with the neighbours of each item. */
export interface Table {
  readonly levels: readonly Level[];
  readonly items: Item[][];
  readonly routes: readonly Route[];
  readonly bounds: ReadonlyMap<string, Bounds>;
  /** By level. */
  readonly near: readonly (readonly Part[])[];
  readonly titleOf: (state: ChartState) => number;
}

/** The part of an arrow between a level and the next one, or between neighbours. */
export interface Part {
  readonly route: Route;
  readonly upper: Item;
  readonly lower: Item;
}

/** For each level, the parts of arrows from it to the next one. */
export function nearOf(routes: readonly Route[], count: number): readonly (readonly Part[])[] {
  const near = Array.from({ length: count }, (): Part[] => []);
  for (const route of routes) {
    for (const [index, lower] of route.items.entries()) {
      const upper = route.items[index - 1];
      if (upper) near[route.level + index - 1]?.push({ route, upper, lower });
    }
  }
  return near;
}
