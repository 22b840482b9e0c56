/**
 * Draws a statechart from its machine's definition: boxes inside boxes, states in the order of
 * their distance from the initial one, regions of a parallel state below each other.
 */
import type { ChartState, ChartTransition } from "../../../runtimes/shared/theatre/frame.ts";
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

const LETTER = 7.2;
const WIDE_LETTER = 12.5;
const LEAF_HEIGHT = 28;
const PAD = 12;
const TITLE = 22;
const GAP = 26;
const ROW_GAP = 14;
/** Columns side by side take this much room at most, so that a chart fits a phone. */
const PANEL = 390;

interface Sized {
  readonly state: ChartState;
  readonly label: string;
  readonly width: number;
  readonly height: number;
  /** Children with their corners inside this box. */
  readonly inner: readonly { readonly child: Sized; readonly x: number; readonly y: number }[];
}

/** Gives the label of a state by its name in the machine. */
type WordOf = (key: string) => string;

/** Lays a chart out; its root is labelled with the name. */
export function layChart(
  chart: ChartState,
  name: string,
  wordOf: WordOf = (key) => key,
): ChartLayout {
  const top = sized(chart, name, wordOf);
  const boxes: ChartBox[] = [];
  place(top, { x: 1, y: 1 }, 0, boxes);
  const byPath = new Map(boxes.map((box) => [box.path, box]));
  const size = { width: top.width + 2, height: top.height + 2 };
  return { ...size, boxes, arrows: arrowsOf(chart, byPath), entries: entriesOf(chart, byPath) };
}

/** Chinese letters are as wide as they are high. */
function widthOf(label: string): number {
  const wide = label.match(/\p{Script=Han}/gu)?.length ?? 0;
  return wide * WIDE_LETTER + (label.length - wide) * LETTER;
}

function sized(state: ChartState, label: string, wordOf: WordOf): Sized {
  const least = Math.max(44, widthOf(label) + 20);
  if (state.states.length === 0)
    return { state, label, width: least, height: LEAF_HEIGHT, inner: [] };
  const children = state.states.map((child) => sized(child, wordOf(child.key), wordOf));
  const inner: { child: Sized; x: number; y: number }[] = [];
  let [right, top] = [0, TITLE + 4];
  for (const columns of rowsOf(state, children)) {
    let [x, bottom] = [PAD, top];
    for (const column of columns) {
      let y = top;
      for (const child of column) {
        inner.push({ child, x, y });
        y += child.height + ROW_GAP;
      }
      bottom = Math.max(bottom, y);
      x += Math.max(...column.map(({ width }) => width)) + GAP;
    }
    right = Math.max(right, x - GAP);
    top = bottom;
  }
  const size = { width: Math.max(least, right + PAD), height: top - ROW_GAP + PAD };
  return { state, label, ...size, inner };
}

/** States in columns as wide as a panel; those with others inside stand below each other. */
function rowsOf(state: ChartState, children: readonly Sized[]): Sized[][][] {
  const isLeaf = ({ inner }: Sized) => inner.length === 0;
  const leaves = children.filter(isLeaf);
  const nests = children.filter((child) => !isLeaf(child)).map((child) => [[child]]);
  return leaves.length > 0 ? [columnsOf(state, leaves), ...nests] : nests;
}

/** Columns by the shortest way from the initial state, then folded to what a panel holds. */
function columnsOf(state: ChartState, leaves: readonly Sized[]): Sized[][] {
  const ranks = ranksOf(state);
  const rankOf = ({ state: { key } }: Sized) => ranks.get(key) ?? Number.MAX_SAFE_INTEGER;
  const ordered = leaves.toSorted((one, other) => rankOf(one) - rankOf(other));
  const widest = Math.max(...leaves.map(({ width }) => width));
  const fitting = Math.max(1, Math.floor((PANEL + GAP) / (widest + GAP)));
  const rows = Math.ceil(ordered.length / fitting);
  const count = Math.ceil(ordered.length / rows);
  return Array.from({ length: count }, (_, column) =>
    ordered.filter((__, index) => index % count === column),
  );
}

/** How many transitions lead from the initial state to each of its siblings. */
export function ranksOf(state: ChartState): ReadonlyMap<string, number> {
  const first = state.initial ?? state.states[0]?.key ?? "";
  const ranks = new Map([[first, 0]]);
  const queue = [first];
  for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
    const from = state.states.find((child) => child.key === key);
    for (const target of from ? targetsOf(from) : []) {
      const next = state.states.find(({ path }) => isInside(target, path));
      if (!next || ranks.has(next.key)) continue;
      ranks.set(next.key, (ranks.get(key) ?? 0) + 1);
      queue.push(next.key);
    }
  }
  return ranks;
}

function targetsOf({ transitions, states }: ChartState): readonly string[] {
  return [...transitions.flatMap(({ targets }) => targets), ...states.flatMap(targetsOf)];
}

function isInside(target: string, path: string): boolean {
  return target === path || target.startsWith(`${path}.`);
}

function place(from: Sized, { x, y }: Point, depth: number, boxes: ChartBox[]): void {
  const { state, label, width, height } = from;
  const { path, type, transitions } = state;
  const stays = transitions.filter((it) => staysIn(path, it));
  boxes.push({ path, label, type, x, y, width, height, depth, stays });
  for (const { child, x: left, y: top } of from.inner)
    place(child, { x: x + left, y: y + top }, depth + 1, boxes);
}

/** Whether a transition ends in the state that it begins in. */
function staysIn(path: string, { targets }: ChartTransition): boolean {
  return targets.every((target) => target === path);
}

type Boxes = ReadonlyMap<string, ChartBox>;

/** The states that are entered first, of the chart and of each state with others inside. */
function entriesOf({ path, initial, states }: ChartState, boxes: Boxes): ChartEntry[] {
  const inner = states.flatMap((state) => entriesOf(state, boxes));
  const box = initial && boxes.get(path === "" ? initial : `${path}.${initial}`);
  if (!box) return inner;
  const { path: to, x, y } = box;
  const line = `M${x - 5} ${y - 5} L${x + 4} ${y + 4}`;
  return [{ to, dot: { x: x - 5, y: y - 5 }, line }, ...inner];
}

/** The arrows, one for each pair. */
function arrowsOf(chart: ChartState, boxes: Boxes): ChartArrow[] {
  const arrows = new Map<string, ChartArrow>();
  const visit = (state: ChartState): void => {
    for (const arrow of arrowsFrom(state, boxes)) {
      const key = `${arrow.from} ${arrow.to}`;
      const rules = [...(arrows.get(key)?.rules ?? []), ...arrow.rules];
      arrows.set(key, { ...arrow, rules });
    }
    for (const child of state.states) visit(child);
  };
  visit(chart);
  return [...arrows.values()];
}

function arrowsFrom({ transitions, path }: ChartState, boxes: Boxes): ChartArrow[] {
  const one = boxes.get(path);
  return transitions.flatMap((transition) =>
    transition.targets.flatMap((target) => {
      const other = boxes.get(target);
      if (!one || !other || other === one) return [];
      return [{ from: path, to: target, rules: [transition], line: lineOf(one, other) }];
    }),
  );
}

function lineOf(one: ChartBox, other: ChartBox): string {
  const centre = ({ x, y, width, height }: ChartBox) => ({ x: x + width / 2, y: y + height / 2 });
  const from = centre(one);
  const to = centre(other);
  if (isAround(one, other)) return toEdge(one, other, "inwards");
  if (isAround(other, one)) return toEdge(other, one, "outwards");
  if (isNest(one) || isNest(other)) return intoNest(one, other);
  if (Math.abs(to.x - from.x) < 12) return upright(one, other);
  const side = to.x > from.x ? 1 : -1;
  const x1 = from.x + (side * one.width) / 2;
  const x2 = to.x - (side * other.width) / 2;
  // The way back bows to the other side, so that both can be distinguished.
  const shift = side * 5;
  const pull = Math.max(14, Math.abs(x2 - x1) / 2) * side;
  const [y1, y2] = [from.y - shift, to.y - shift];
  return `M${x1} ${y1} C${x1 + pull} ${y1} ${x2 - pull} ${y2} ${x2} ${y2}`;
}

function isAround({ path }: ChartBox, inner: ChartBox): boolean {
  return path === "" || inner.path.startsWith(`${path}.`);
}

/** Between a state and the nearest edge of one around it; the two ways lie side by side. */
function toEdge(outer: ChartBox, inner: ChartBox, way: "inwards" | "outwards"): string {
  const shift = way === "inwards" ? 5 : -5;
  const [middle, centre] = [inner.y + inner.height / 2 + shift, inner.x + inner.width / 2 + shift];
  const [right, bottom] = [inner.x + inner.width, inner.y + inner.height];
  const [outerRight, outerBottom] = [outer.x + outer.width, outer.y + outer.height];
  const under = `${centre} ${bottom}`;
  const ways = [
    { length: inner.x - outer.x, edge: `${outer.x} ${middle}`, state: `${inner.x} ${middle}` },
    { length: outerRight - right, edge: `${outerRight} ${middle}`, state: `${right} ${middle}` },
    { length: outerBottom - bottom, edge: `${centre} ${outerBottom}`, state: under },
  ];
  const { edge, state } = ways.reduce((one, other) => (other.length < one.length ? other : one));
  return way === "inwards" ? `M${edge} L${state}` : `M${state} L${edge}`;
}

function isNest({ height }: ChartBox): boolean {
  return height > LEAF_HEIGHT;
}

/** Between a state and a box below or above it: straight, at the middle of what they share. */
function intoNest(one: ChartBox, other: ChartBox): string {
  const down = other.y > one.y ? 1 : -1;
  const left = Math.max(one.x, other.x);
  const right = Math.min(one.x + one.width, other.x + other.width);
  const x = (left + right) / 2 + down * 8;
  const y1 = one.y + (down > 0 ? one.height : 0);
  const y2 = other.y + (down > 0 ? 0 : other.height);
  return `M${x} ${y1} L${x} ${y2}`;
}

function upright(one: ChartBox, other: ChartBox): string {
  const down = other.y > one.y ? 1 : -1;
  const x1 = one.x + one.width / 2 + down * 8;
  const x2 = other.x + other.width / 2 + down * 8;
  const y1 = one.y + (down > 0 ? one.height : 0);
  const y2 = other.y + (down > 0 ? 0 : other.height);
  const bend = Math.abs(y2 - y1) > LEAF_HEIGHT ? down * 40 : 0;
  return `M${x1} ${y1} C${x1 + bend} ${y1 + down * 8} ${x2 + bend} ${y2 - down * 8} ${x2} ${y2}`;
}
