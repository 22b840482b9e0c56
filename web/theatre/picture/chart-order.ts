/** The order of states and arrows in the levels of a chart, so that few arrows cross. */
import { downOrUp, middleOf, pull, spread, straighten } from "./chart-columns.ts";
import {
  type Bounds,
  boundsOf,
  type Item,
  itemsOf,
  nearOf,
  type OrderOptions,
  type Part,
  type Route,
  type Sides,
  type Table,
} from "./chart-items.ts";
import type { Level } from "./chart-rows.ts";

/** A chart in columns. */
export interface Order {
  readonly items: readonly (readonly Item[])[];
  readonly routes: readonly Route[];
  /** By path. */
  readonly bounds: ReadonlyMap<string, Bounds>;
  readonly width: number;
  readonly crossings: number;
}

/** More of them seldom find a better order. */
const SWEEPS = 16;

/** A better order, of which some arrows pass on the right of a box instead of on its left. */
export function turned(options: OrderOptions, order: Order): Order {
  let [best, sides]: [Order, Sides] = [order, new Map()];
  const asked = order.routes.flatMap(({ index, items }) =>
    [...new Set(items)].flatMap(({ beside }) => (beside ? [`${index} ${beside.path}`] : [])),
  );
  for (const side of asked) {
    const changed = new Map([...sides, [side, false]]);
    const other = ordered(options, changed);
    if (other.crossings >= best.crossings) continue;
    [best, sides] = [other, changed];
  }
  return best;
}

/** An order with few crossings. */
export function ordered(options: OrderOptions, sides: Sides = new Map()): Order {
  const { levels } = options;
  const { items, routes } = itemsOf(options, sides);
  const { bounds, width } = boundsOf(options, items);
  const chart: Table = {
    levels,
    items,
    routes,
    bounds,
    near: nearOf(routes, levels.length),
    titleOf: options.columnsOf,
  };
  const best = bestOf(chart, width);
  for (const [level, row] of best.items.entries()) {
    items[level]?.splice(0, row.length, ...row);
    spread(chart, level);
  }
  for (const route of routes) route.isAcross = route.span === 0 && isAcross(route, items);
  straighten(chart);
  return { items, routes, bounds, width, crossings: best.crossings };
}

function isAcross({ level, items: [one, other] }: Route, items: Table["items"]): boolean {
  const places = [one, other].map((end) => (end ? items[level]?.indexOf(end) : 0) ?? 0);
  return Math.abs((places[0] ?? 0) - (places[1] ?? 0)) === 1;
}

/** The best of what sweeps down and up lead to. */
function bestOf(chart: Table, width: number) {
  const { levels, items } = chart;
  for (const row of items)
    for (const [index, item] of row.entries()) item.want = ((index + 0.5) * width) / row.length;
  for (const level of levels.keys()) sortLevel(chart, level);
  let best = { crossings: Number.POSITIVE_INFINITY, items: items.map((row) => [...row]) };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const level of downOrUp(chart, sweep)) {
      pull(chart, level, { above: isDown, below: !isDown, columnOf: (_, it) => middleOf(it) });
      sortLevel(chart, level);
    }
    if (!isDown) exchange(chart);
    const crossings = crossingsOf(chart);
    if (crossings < best.crossings) best = { crossings, items: items.map((row) => [...row]) };
  }
  return best;
}

/** What passes beside an outer box stands outside of what passes beside an inner one. */
function groupOf({ beside }: Item, { chain }: Level): number {
  if (!beside) return chain.length;
  const index = chain.findIndex(({ path }) => path === beside.path);
  return beside.isLeft ? index : 2 * chain.length - index;
}

function sortLevel(chart: Table, level: number): void {
  const own = chart.levels[level];
  if (!own) return;
  chart.items[level]?.sort(
    (one, other) => groupOf(one, own) - groupOf(other, own) || one.want - other.want,
  );
  spread(chart, level);
}

function crossingsOf(chart: Table): number {
  return chart.near.reduce((sum, _, level) => sum + crossingsBelow(chart, level), 0);
}

/** How many arrows cross between a level and the next one. */
function crossingsBelow({ near }: Table, level: number): number {
  const parts = near[level] ?? [];
  let crossings = 0;
  for (const [index, one] of parts.entries()) {
    if (one.route.span === 0 && isApart(one)) crossings++;
    for (let at = 0; at < index; at++) {
      const other = parts[at];
      if (other && isCrossed(one, other)) crossings++;
    }
  }
  return crossings;
}

/** An arrow between neighbours is crossed by what comes down between them. */
function isCrossed(one: Part, other: Part): boolean {
  const above = middleOf(one.upper) - middleOf(other.upper);
  if (one.route.span > 0 && other.route.span > 0)
    return above * (middleOf(one.lower) - middleOf(other.lower)) < 0;
  if (one.route.span > 0) return isBetween(middleOf(one.upper), other);
  return other.route.span > 0 && isBetween(middleOf(other.upper), one);
}

/** An arrow between neighbours that are not next to each other leads around others. */
function isApart({ upper, lower }: Part): boolean {
  const room = (upper.width + lower.width) / 2 + upper.gap + 1;
  return Math.abs(middleOf(upper) - middleOf(lower)) > room;
}

function isBetween(middle: number, { upper, lower }: Part): boolean {
  return (middle - middleOf(upper)) * (middle - middleOf(lower)) < 0;
}

/** Exchanges neighbours of a level where that makes fewer crossings. */
function exchange(chart: Table): void {
  for (const [level, items] of chart.items.entries()) {
    const count = () => crossingsBelow(chart, level - 1) + crossingsBelow(chart, level);
    let least = count();
    for (let index = 1; index < items.length; index++) {
      const [left, right] = [items[index - 1], items[index]];
      if (!left || !right || left.beside || right.beside) continue;
      const [leftX, rightX] = [left.x, right.x];
      right.x = leftX;
      left.x = rightX + right.width - left.width;
      const crossings = count();
      if (crossings < least) {
        least = crossings;
        items.splice(index - 1, 2, right, left);
        [left.want, right.want] = [right.want, left.want];
      } else [left.x, right.x] = [leftX, rightX];
    }
    spread(chart, level);
  }
}
