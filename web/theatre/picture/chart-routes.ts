/**
 * The lines of a chart's arrows: upright in the columns that they have, level in lanes between the
 * rows. Two arrows share no lane where they could be confused.
 */
import { columnOf } from "./chart-columns.ts";
import type { Bounds, Item, Route } from "./chart-items.ts";
import type { Order } from "./chart-order.ts";
import type { Level } from "./chart-rows.ts";

/** Heights of levels and lanes, in pixels. */
export interface Measures {
  readonly column: number;
  readonly lane: number;
  /** Free room above and below lanes, for the tips of arrows. */
  readonly margin: number;
}

/** The level part of an arrow between two levels, in columns. */
interface Bend {
  readonly route: Route;
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly right: number;
  /** Columns in which it comes from above, and goes on below. */
  readonly up: readonly number[];
  readonly down: readonly number[];
}

/** The room between one level and the next. */
export interface Channel {
  /** How many lanes there are. */
  readonly count: number;
  /** By the index of a route, where it bends from its upper end to its lower one. */
  readonly bends: ReadonlyMap<number, readonly { readonly to: number; readonly lane: number }[]>;
  readonly crossings: number;
}

/** Two lines in one are worse than any crossings. */
const SAME_LINE = 1_000;
/** More arrows do not lead around each other. */
const MOST_SPLITS = 20;

/** The room below each level. */
export function channelsOf(order: Order, levels: readonly Level[]): readonly Channel[] {
  return levels.map(({ chain }, level) => {
    const next = levels[level + 1]?.chain ?? [];
    const around = chain.filter((nest) => next.includes(nest)).at(-1);
    const room = order.bounds.get(around?.path ?? "") ?? { low: 0, high: 0 };
    let bends = inOrder(order.routes.flatMap((route) => bendOf(route, level) ?? []));
    for (let splits = 0; splits < MOST_SPLITS; splits++) {
      const changed = split(bends, room);
      if (!changed) break;
      bends = inOrder(changed);
    }
    return lanesOf(bends);
  });
}

function bendOf(route: Route, level: number): Bend | undefined {
  const index = level - route.level;
  const [one, other] = [route.items[index], route.items[index + 1]];
  if (route.isAcross || index < 0 || index > Math.max(0, route.span - 1)) return undefined;
  if (!one || !other) return undefined;
  const [from, to] = [columnOf(route, one), columnOf(route, other)];
  return route.span === 0 ? bend(route, [from, to], []) : bend(route, [from], [to]);
}

function bend(route: Route, up: readonly number[], down: readonly number[]): Bend {
  const columns = [...up, ...down];
  const [from = 0, to = 0] = columns;
  return { route, from, to, left: Math.min(from, to), right: Math.max(from, to), up, down };
}

/** What it costs that one bend lies above another one. */
function costOf(one: Bend, other: Bend): number {
  const within = ({ left, right }: Bend, columns: readonly number[]) =>
    columns.filter((column) => column > left && column < right).length;
  return within(other, one.down) + within(one, other.up) + (isShared(one, other) ? SAME_LINE : 0);
}

/** Whether two lines are one if the first lies above: of one arrow they are if it lies below. */
function isShared(one: Bend, other: Bend): boolean {
  if (one.route === other.route) return one.up.some((column) => other.down.includes(column));
  return one.down.some((column) => other.up.includes(column));
}

/** From top to bottom, so that few bends cross. */
function inOrder(bends: readonly Bend[]): readonly Bend[] {
  let best = bends.toSorted((one, other) => one.left - other.left);
  for (let moved = true; moved; ) {
    moved = false;
    for (const it of bends) {
      const others = best.filter((other) => other !== it);
      const costs = costsOf(it, others);
      const least = costs.indexOf(Math.min(...costs));
      if ((costs[least] ?? 0) >= (costs[best.indexOf(it)] ?? 0)) continue;
      best = others.toSpliced(least, 0, it);
      moved = true;
    }
  }
  return best;
}

/** What it costs that a bend lies before each of the others, and after the last one. */
function costsOf(it: Bend, others: readonly Bend[]): readonly number[] {
  let cost = others.reduce((sum, other) => sum + costOf(it, other), 0);
  const after = others.map((other) => {
    cost += costOf(other, it) - costOf(it, other);
    return cost;
  });
  return [others.reduce((sum, other) => sum + costOf(it, other), 0), ...after];
}

/** Leads one of two arrows that change their columns around the other, in a free column. */
function split(bends: readonly Bend[], { low, high }: Bounds): readonly Bend[] | undefined {
  const used = new Set(bends.flatMap(({ up, down }) => [...up, ...down]));
  for (const [index, it] of bends.entries()) {
    if (!bends.slice(index + 1).some((other) => isShared(it, other))) continue;
    const middle = (it.left + it.right) / 2;
    const free = Array.from({ length: high - low }, (_, column) => low + column)
      .filter((column) => !used.has(column))
      .sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
    const [column] = free;
    if (column === undefined) continue;
    const { route, up, down } = it;
    return bends.toSpliced(index, 1, bend(route, up, [column]), bend(route, [column], down));
  }
  return undefined;
}

/** The highest lane for each that is below those that it meets. */
function lanesOf(all: readonly Bend[]): Channel {
  const lanes = new Map<Bend, number>();
  const bends = new Map<number, { to: number; lane: number }[]>();
  let crossings = 0;
  for (const [index, it] of all.entries()) {
    const above = all.slice(0, index);
    crossings += above.reduce((sum, other) => sum + costOf(other, it), 0);
    if (it.from === it.to) continue;
    const met = above.filter(({ left, right }) => left <= it.right && it.left <= right);
    const lane = Math.max(0, ...met.map((other) => (lanes.get(other) ?? -1) + 1));
    lanes.set(it, lane);
    const own = { to: it.to, lane };
    bends.set(it.route.index, [...(bends.get(it.route.index) ?? []), own]);
  }
  return { bends, crossings, count: Math.max(0, ...[...lanes.values()].map((it) => it + 1)) };
}

/** Where a level begins and ends, in pixels. */
export interface Band {
  readonly top: number;
  readonly bottom: number;
}

const RADIUS = 3;
const APART = 5;

/** The line of an arrow, from where it begins to its tip. */
export function lineOf(
  route: Route,
  bands: readonly Band[],
  { channels, measures }: { channels: readonly Channel[]; measures: Measures },
): string {
  const { column, lane, margin } = measures;
  const xOf = (at: number) => (at + 0.5) * column;
  const [first, last] = [route.items[0], route.items.at(-1)];
  if (!first || !last) return "";
  if (route.isAcross) return across([first, last], bands[route.level], column);
  const end = route.level + route.span;
  let at = columnOf(route, first);
  const points: [number, number][] = [[xOf(at), bands[route.level]?.bottom ?? 0]];
  for (let level = route.level; level < Math.max(end, route.level + 1); level++) {
    const { bends, count = 0 } = channels[level] ?? {};
    const lowest = (bands[level + 1]?.top ?? 0) - margin;
    for (const { to, lane: own } of bends?.get(route.index) ?? []) {
      const y = lowest - (count - 1 - own) * lane;
      points.push([xOf(at), y], [xOf(to), y]);
      at = to;
    }
  }
  points.push([xOf(at), (route.span === 0 ? bands[end]?.bottom : bands[end]?.top) ?? 0]);
  return rounded(route.isUp ? points.reverse() : points);
}

/** Between boxes side by side; the two ways do not meet. */
function across([from, to]: readonly [Item, Item], band: Band | undefined, column: number): string {
  const isRight = from.x < to.x;
  const [left, right] = isRight ? [from, to] : [to, from];
  const [start, end] = [
    (left.x + left.width - 0.5) * column,
    (right.x + right.lead + 0.5) * column,
  ];
  const y = ((band?.top ?? 0) + (band?.bottom ?? 0)) / 2 + (isRight ? -APART : APART);
  return isRight ? `M${start} ${y} L${end} ${y}` : `M${end} ${y} L${start} ${y}`;
}

/** A line with round corners. */
function rounded(points: readonly (readonly [number, number])[]): string {
  const parts = points.map(([x, y], index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (!before || !after) return `${before ? "L" : "M"}${x} ${y}`;
    const towards = ([otherX, otherY]: readonly [number, number]) =>
      `${x + RADIUS * Math.sign(otherX - x)} ${y + RADIUS * Math.sign(otherY - y)}`;
    return `L${towards(before)} Q${x} ${y} ${towards(after)}`;
  });
  return parts.join(" ");
}
