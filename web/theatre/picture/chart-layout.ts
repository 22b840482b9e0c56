/**
 * Lays a statechart out from its machine's definition: boxes inside boxes, states in rows, arrows
 * upright between the boxes of a row and level between rows.
 */
import type { ChartState, ChartTransition } from "../../../runtimes/shared/theatre/frame.ts";
import type { OrderOptions } from "./chart-items.ts";
import { type Order, ordered, turned } from "./chart-order.ts";
import { type Band, type Channel, channelsOf, lineOf, type Measures } from "./chart-routes.ts";
import { type Level, levelsOf, type Weights } from "./chart-rows.ts";
import type { Point } from "./circle.ts";

/** A state with its place; x and y count from the chart's own corner. */
export interface ChartBox {
  /** Dotted path from the machine's own state. */
  readonly path: string;
  readonly label: string;
  readonly type: ChartState["type"];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** What happens without leaving the state. */
  readonly stays: readonly ChartTransition[];
}

/** An arrow between two boxes. */
export interface ChartArrow {
  readonly from: string;
  readonly to: string;
  /** What it stands for. */
  readonly rules: readonly ChartTransition[];
  readonly line: string;
}

/** The mark at a state that is entered first. */
export interface ChartEntry {
  readonly to: string;
  readonly dot: Point;
  readonly line: string;
}

/** A chart that can be drawn. */
export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly ChartBox[];
  readonly arrows: readonly ChartArrow[];
  readonly entries: readonly ChartEntry[];
}

const LETTER = 7;
const WIDE_LETTER = 12.5;
const LEAF_HEIGHT = 28;
/** Room beside a label. */
const PAD = 14;
const TITLE = 22;
const MEASURES: Measures = { column: 7, lane: 6, margin: 11 };
/** A chart is as wide as this if it can be, so that it fits a phone: 364 of its 390 px. */
const MOST_COLUMNS = 52;
/** How many crossings are better than one more column. */
const TOO_WIDE = 2;

/** Each leads to other rows, none to the best ones of every chart: the best are taken. */
const WEIGHTS: readonly Weights[] = [
  { up: 2, upFirst: 3, beside: 4, tooWide: 3 },
  { up: 1.5, upFirst: 3, beside: 2, tooWide: 8 },
  { up: 1.5, upFirst: 2, beside: 2, tooWide: 3 },
  { up: 2, upFirst: 2, beside: 1.5, tooWide: 8 },
];

/** A chart before its pixels. */
interface Plan {
  readonly levels: readonly Level[];
  readonly order: Order;
  readonly channels: readonly Channel[];
  readonly cost: number;
}

/** Gives the label of a state by its name in the machine. */
type WordOf = (key: string) => string;

/** Lays a chart out; its root is labelled with the name. */
export function layChart(
  chart: ChartState,
  name: string,
  wordOf: WordOf = (key) => key,
): ChartLayout {
  const labelOf = ({ path, key }: ChartState) => (path === "" ? name : wordOf(key));
  const firsts = new Set(firstsOf(chart));
  const leadOf = ({ path }: ChartState) => (firsts.has(path) ? 1 : 0);
  const columnsOf = (state: ChartState) =>
    Math.ceil((widthOf(labelOf(state)) + PAD) / MEASURES.column) + 1;
  const rules = rulesOf(chart);
  const ways = [...rules.values()];
  const { levels, order, channels } = bestPlan(chart, { ways, columnsOf, leadOf });
  const bands = bandsOf(levels, channels);
  const boxes = boxesOf({ levels, order, bands, labelOf });
  const arrows = ways.map((way, index) => {
    const route = order.routes[index];
    return { ...way, line: route ? lineOf(route, bands, { channels, measures: MEASURES }) : "" };
  });
  const height = (bands.at(-1)?.bottom ?? 0) + 1;
  const size = { width: order.width * MEASURES.column, height };
  return { ...size, boxes, arrows, entries: entriesOf(firsts, boxes) };
}

/** The plan that is read most easily. */
function bestPlan(chart: ChartState, options: Omit<OrderOptions, "levels">): Plan {
  const plans = WEIGHTS.map((weights) => {
    const levels = levelsOf(chart, { ...options, most: MOST_COLUMNS }, weights);
    return planOf(levels, ordered({ ...options, levels }));
  });
  const best = plans.reduce(better);
  const { levels, order } = best;
  return better(best, planOf(levels, turned({ ...options, levels }, order)));
}

function planOf(levels: readonly Level[], order: Order): Plan {
  const channels = channelsOf(order, levels);
  const crossings = channels.reduce((sum, channel) => sum + channel.crossings, 0);
  const cost = crossings + TOO_WIDE * Math.max(0, order.width - MOST_COLUMNS);
  return { levels, order, channels, cost };
}

function better(one: Plan, other: Plan): Plan {
  return other.cost < one.cost ? other : one;
}

/** Chinese letters are as wide as they are high. */
function widthOf(label: string): number {
  const wide = label.match(/\p{Script=Han}/gu)?.length ?? 0;
  return wide * WIDE_LETTER + (label.length - wide) * LETTER;
}

/** The states that are entered first, of the chart and of each state with others inside. */
function firstsOf({ path, initial, states }: ChartState): string[] {
  const own = initial === undefined ? [] : [path === "" ? initial : `${path}.${initial}`];
  return [...own, ...states.flatMap(firstsOf)];
}

/** Where each level lies: below a title, below lanes. */
function bandsOf(levels: readonly Level[], channels: readonly Channel[]): readonly Band[] {
  const { lane, margin } = MEASURES;
  let top = 1;
  return levels.map(({ kind }, level) => {
    const band = { top, bottom: top + (kind === "row" ? LEAF_HEIGHT : 0) };
    const count = channels[level]?.count ?? 0;
    const room = count === 0 ? margin * 1.5 : 2 * margin + (count - 1) * lane;
    top = band.bottom + room + (kind === "top" ? TITLE - margin / 2 : 0);
    return band;
  });
}

interface BoxesOptions {
  readonly levels: readonly Level[];
  readonly order: Order;
  readonly bands: readonly Band[];
  readonly labelOf: (state: ChartState) => string;
}

/** The boxes, each before those inside of it. */
function boxesOf({ levels, order, bands, labelOf }: BoxesOptions): readonly ChartBox[] {
  const { column } = MEASURES;
  const boxOf = (state: ChartState, depth: number, x: number) => {
    const { path, type, transitions } = state;
    const stays = transitions.filter((it) => staysIn(path, it));
    return { path, label: labelOf(state), type, depth, stays, x: (x + 0.5) * column };
  };
  return levels.flatMap(({ kind, chain }, level): readonly ChartBox[] => {
    const { top: y = 0, bottom = 0 } = bands[level] ?? {};
    const nest = chain.at(-1);
    if (kind === "top" && nest) {
      const { low = 0, high = 0 } = order.bounds.get(nest.path) ?? {};
      const last = levels.findLastIndex((it) => it.chain.includes(nest));
      const height = (bands[last]?.bottom ?? 0) - y;
      const width = (high + 1 - low) * column;
      return [{ ...boxOf(nest, chain.length - 1, low - 1), y, width, height }];
    }
    return (order.items[level] ?? []).flatMap(({ state, x, lead, width }) => {
      if (!state) return [];
      const box = boxOf(state, chain.length, x + lead);
      return [{ ...box, y, width: (width - lead - 1) * column, height: bottom - y }];
    });
  });
}

/** Whether a transition ends in the state that it begins in. */
function staysIn(path: string, { targets }: ChartTransition): boolean {
  return targets.every((target) => target === path);
}

/** The marks at states that are entered first. */
function entriesOf(firsts: ReadonlySet<string>, boxes: readonly ChartBox[]): readonly ChartEntry[] {
  return boxes
    .filter(({ path }) => firsts.has(path))
    .map(({ path: to, x, y }) => {
      const dot = { x: x - 5, y: y - 5 };
      return { to, dot, line: `M${dot.x} ${dot.y} L${x + 4} ${y + 4}` };
    });
}

/** What the arrows stand for: one for each pair of states. */
function rulesOf(chart: ChartState): ReadonlyMap<string, Omit<ChartArrow, "line">> {
  const arrows = new Map<string, Omit<ChartArrow, "line">>();
  const visit = ({ path: from, transitions, states }: ChartState): void => {
    for (const transition of transitions) {
      for (const to of transition.targets) {
        if (to === from) continue;
        const key = `${from} ${to}`;
        arrows.set(key, { from, to, rules: [...(arrows.get(key)?.rules ?? []), transition] });
      }
    }
    for (const state of states) visit(state);
  };
  visit(chart);
  return arrows;
}
