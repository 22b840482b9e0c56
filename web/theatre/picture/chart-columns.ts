/**
 * Gives what stands in a level its columns, in its order: as near as can be to where its arrows
 * lead, so that they are straight.
 */
import { type Bounds, gapOf, type Item, type Route, type Table } from "./chart-items.ts";

/** The middle of a box or of a column. */
export function middleOf({ x, width, lead }: Item): number {
  return x + (width + lead) / 2;
}

/** Gives the items of a level their columns, in their order. */
export function spread(chart: Table, level: number): void {
  const { chain = [], kind } = chart.levels[level] ?? {};
  const items = chart.items[level] ?? [];
  for (const [index, { path }] of chain.entries()) {
    const around = chart.bounds.get(chain[index - 1]?.path ?? "") ?? { low: 0, high: 0 };
    for (const isLeft of [true, false]) {
      const own = items.filter(({ beside: it }) => it?.path === path && it.isLeft === isLeft);
      const first = isLeft ? around.low : around.high - own.length;
      for (const [place, item] of own.entries()) item.x = first + place;
    }
  }
  const nest = chain.at(-1);
  const { low = 0, high = 0 } = chart.bounds.get(nest?.path ?? "") ?? {};
  const own = items.filter(({ beside }) => !beside);
  const title = kind === "top" && nest ? chart.titleOf(nest) : 0;
  const xs = packed(own, { low: low + title, high });
  for (const [index, item] of own.entries()) item.x = xs[index] ?? 0;
}

/**
 * Columns of items in their order, each as near to where it is wanted as the others allow: what
 * wants the same place is moved together.
 */
function packed(items: readonly Item[], { low, high }: Bounds): readonly number[] {
  const starts: number[] = [];
  let total = 0;
  for (const [index, item] of items.entries()) {
    total += gapOf(items[index - 1], item);
    starts.push(total);
    total += item.width;
  }
  const blocks: { sum: number; count: number }[] = [];
  for (const [index, { want, width, lead }] of items.entries()) {
    let block = { sum: want - (width + lead) / 2 - (starts[index] ?? 0), count: 1 };
    for (let last = blocks.at(-1); last && isAfter(last, block); last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  const shifts = blocks.flatMap(({ sum, count }) =>
    new Array<number>(count).fill(Math.max(low, Math.min(high - total, Math.round(sum / count)))),
  );
  return starts.map((start, index) => start + (shifts[index] ?? 0));
}

type Block = { readonly sum: number; readonly count: number };

function isAfter(one: Block, other: Block): boolean {
  return one.sum / one.count > other.sum / other.count;
}

/** Columns seldom change after as many sweeps. */
const STRAIGHTENING = 16;

/** Where an arrow stands in an item. */
type ColumnOf = (route: Route, item: Item) => number;

/** On which sides, and where an arrow stands in an item. */
export interface Pulled {
  readonly above?: boolean;
  readonly below?: boolean;
  readonly columnOf: ColumnOf;
}

/** Lets the items of a level want to be where the arrows lead on one side or on both. */
export function pull({ near }: Table, level: number, sides: Pulled): void {
  const { above = false, below = false, columnOf: at } = sides;
  const sums = new Map<Item, { sum: number; count: number }>();
  const note = (route: Route, item: Item, other: Item): void => {
    if (item === other) return;
    const { sum, count } = sums.get(item) ?? { sum: 0, count: 0 };
    // A bend between boxes is more of a surprise than one at a box.
    const weight = item.state ? 1 : other.state ? 2 : 4;
    const want = middleOf(item) + at(route, other) - at(route, item);
    sums.set(item, { sum: sum + want * weight, count: count + weight });
  };
  for (const { route, upper, lower } of near[level - 1] ?? [])
    if (above && route.span > 0) note(route, lower, upper);
  for (const { route, upper, lower } of near[level] ?? []) {
    if (below || route.span === 0) note(route, upper, lower);
    if (route.span === 0) note(route, lower, upper);
  }
  for (const [item, { sum, count }] of sums) item.want = sum / count;
}

/** Moves items towards what they lead to, in their order. */
export function straighten(chart: Table): void {
  setPorts(chart);
  for (let sweep = 0; sweep < STRAIGHTENING; sweep++) {
    for (const level of downOrUp(chart, sweep)) {
      pull(chart, level, { above: true, below: true, columnOf });
      spread(chart, level);
      setPorts(chart);
    }
  }
}

/** The levels, by turns from the top and from the bottom. */
export function downOrUp({ levels }: Table, sweep: number): readonly number[] {
  const down = [...levels.keys()];
  return sweep % 2 === 0 ? down : down.reverse();
}

/** The column of an arrow in one of its items. */
export function columnOf(route: Route, item: Item): number {
  if (!item.state) return item.x;
  return route.ports[item === route.items[0] ? 0 : 1];
}

/** Arrows leave a box in the order of where they lead, as straight as that allows. */
function setPorts({ routes }: Table): void {
  const sides = new Map<Item, { above: Port[]; below: Port[] }>();
  const note = (route: Route, end: 0 | 1, isBelow: boolean): void => {
    const { items } = route;
    const [item, next] = end === 0 ? items : [items.at(-1), items.at(-2)];
    if (!item?.state || !next || route.isAcross) return;
    const side = sides.get(item) ?? { above: [], below: [] };
    sides.set(item, side);
    side[isBelow ? "below" : "above"].push({ route, end, next });
  };
  for (const route of routes) {
    note(route, 0, true);
    note(route, 1, route.span === 0);
  }
  for (const [box, { above, below }] of sides) {
    for (const ports of [above, below]) {
      ports.sort(
        (one, other) =>
          middleOf(one.next) - middleOf(other.next) || one.route.index - other.route.index,
      );
      const wanted = ports.map(({ route, next }) => ({
        ...next,
        want: columnOf(route, next) + 0.5,
        width: 1,
        gap: 0,
        lead: 0,
        state: undefined,
      }));
      const low = box.x + box.lead + 1;
      const xs = packed(wanted, { low, high: box.x + box.width - 1 });
      for (const [index, { route, end }] of ports.entries()) route.ports[end] = xs[index] ?? low;
    }
  }
}

interface Port {
  readonly route: Route;
  readonly end: 0 | 1;
  readonly next: Item;
}
