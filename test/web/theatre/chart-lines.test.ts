/**
 * A chart can be read: no arrow runs over a foreign box or on another arrow, few cross, and it
 * fits a phone. The same holds for machines that nobody has drawn yet.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { CHARTS } from "../../../runtimes/shared/theatre/charts.ts";
import type { ChartState } from "../../../runtimes/shared/theatre/frame.ts";
import { type ChartLayout, layChart } from "../../../web/theatre/picture/chart-layout.ts";
import { stateWord } from "../../../web/theatre/picture/state-words.ts";

/** What the layout reached, in English and in Chinese; the other charts have none. */
const MOST_CROSSINGS: Readonly<Record<string, readonly [number, number]>> = {
  group: [27, 42],
  consensus: [3, 4],
};
/** What a phone of 390 px leaves between the page's edges. */
const PHONE = 366;
/** Closer lines seem to be one, but for so short a way. */
const [NEAR, SHORT] = [3, 4];

/** A part of a line; arrows have upright and level ones only. */
interface Part {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Round corners count as sharp ones. */
function partsOf(line: string): readonly Part[] {
  const numbers = (line.match(/-?[\d.]+/g) ?? []).map(Number);
  return numbers.flatMap((x, index) => {
    const [y, nextX, nextY] = numbers.slice(index + 1, index + 4);
    if (index % 2 === 1 || y === undefined || nextX === undefined || nextY === undefined) return [];
    assert.ok(x === nextX || y === nextY, line);
    const [left, right] = [Math.min(x, nextX), Math.max(x, nextX)];
    return [{ left, right, top: Math.min(y, nextY), bottom: Math.max(y, nextY) }];
  });
}

/** Its parts from corner to corner. */
function straight(line: string): readonly Part[] {
  const parts: Part[] = [];
  for (const part of partsOf(line)) {
    const last = parts.at(-1);
    const goesOn = last && isUpright(last) === isUpright(part) && isLongEnough(part);
    if (goesOn) parts.splice(-1, 1, around(last, part));
    else if (isLongEnough(part)) parts.push(part);
  }
  return parts;
}

function isLongEnough({ left, right, top, bottom }: Part): boolean {
  return right - left + bottom - top > 0;
}

function isUpright({ left, right }: Part): boolean {
  return left === right;
}

function around(one: Part, other: Part): Part {
  return {
    left: Math.min(one.left, other.left),
    right: Math.max(one.right, other.right),
    top: Math.min(one.top, other.top),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

function isWithin(path: string, box: string): boolean {
  return box === "" || path === box || path.startsWith(`${box}.`);
}

function isCrossed(one: Part, other: Part): boolean {
  if (isUpright(one) === isUpright(other)) return false;
  const [upright, level] = isUpright(one) ? [one, other] : [other, one];
  return (
    upright.left > level.left &&
    upright.left < level.right &&
    level.top > upright.top &&
    level.top < upright.bottom
  );
}

function isShared(one: Part, other: Part): boolean {
  if (isUpright(one) !== isUpright(other)) return false;
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return isUpright(one) ? wide > -NEAR && high > SHORT : high > -NEAR && wide > SHORT;
}

/** What makes a chart hard to read. */
function faultsOf({ arrows, boxes }: ChartLayout) {
  const lines = arrows.map(({ from, to, line }) => ({ from, to, parts: straight(line) }));
  const over = lines.flatMap(({ from, to, parts }) =>
    boxes
      .filter(({ path }) => !isWithin(from, path) && !isWithin(to, path))
      .filter(({ x, y, width, height }) =>
        parts.some(
          ({ left, right, top, bottom }) =>
            right > x && left < x + width && bottom > y && top < y + height,
        ),
      )
      .map(({ path }) => `${from} → ${to} over ${path}`),
  );
  const shared: string[] = [];
  let crossings = 0;
  for (const [index, one] of lines.entries()) {
    for (const other of lines.slice(0, index)) {
      for (const part of one.parts) {
        crossings += other.parts.filter((it) => isCrossed(part, it)).length;
        if (other.parts.some((it) => isShared(part, it)))
          shared.push(`${one.from} → ${one.to} on ${other.from} → ${other.to}`);
      }
    }
  }
  return { over, shared, crossings };
}

for (const { id, root } of CHARTS) {
  for (const [index, language] of (["en", "zh"] as const).entries()) {
    test(`the arrows of the chart ${id} in ${language} can be followed`, () => {
      const layout = layChart(root, id, (key) => stateWord(id, key, language));
      const { over, shared, crossings } = faultsOf(layout);
      assert.deepEqual({ over, shared }, { over: [], shared: [] });
      assert.ok(crossings <= (MOST_CROSSINGS[id]?.[index] ?? 0), `${crossings} crossings`);
      assert.ok(layout.width <= PHONE, `${layout.width} px wide`);
      for (const { label, path, width } of layout.boxes)
        assert.ok(width > label.length * (language === "en" ? 7 : 12), path);
    });
  }
}

type Pair = readonly [number, number];

/** A machine whose states are told their parents by number, and arrows both of their ends. */
function machineOf(parents: readonly number[], ways: readonly Pair[]): ChartState {
  const paths = [""];
  for (const [index, parent] of parents.entries()) {
    const around = paths[parent % paths.length];
    paths.push(around ? `${around}.s${index}` : `s${index}`);
  }
  const pathAt = (number: number) => paths[number % paths.length] ?? "";
  const stateOf = (path: string): ChartState => {
    const own = path === "" ? "" : `${path}.`;
    const inner = paths.filter((it) => it !== "" && `${own}${it.split(".").at(-1)}` === it);
    const targets = ways.filter(([from]) => pathAt(from) === path).map(([, to]) => pathAt(to));
    return {
      key: path.split(".").at(-1) ?? "",
      path,
      type: inner.length === 0 ? "atomic" : "compound",
      initial: inner[0]?.split(".").at(-1),
      states: inner.map(stateOf),
      transitions: targets.map((to) => ({ event: "next", guard: undefined, targets: [to] })),
    };
  };
  return stateOf("");
}

test("the arrows of any machine can be followed", () => {
  const parents = fc.array(fc.nat(20), { minLength: 1, maxLength: 20 });
  const ways = fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 40 });
  fc.assert(
    fc.property(parents, ways, (around, pairs) => {
      const { over, shared } = faultsOf(layChart(machineOf(around, pairs), "any"));
      assert.deepEqual({ over, shared }, { over: [], shared: [] });
    }),
  );
});
