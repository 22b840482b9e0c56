/** Where things are drawn: the circle, the ways of messages, the statecharts, the rows. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { CHARTS } from "../../../runtimes/shared/theatre/charts.ts";
import type { ChartState } from "../../../runtimes/shared/theatre/frame.ts";
import { type ChartBox, layChart } from "../../../web/theatre/picture/chart-layout.ts";
import { ruleWord } from "../../../web/theatre/picture/rule-words.ts";
import { stateWord } from "../../../web/theatre/picture/state-words.ts";
import * as circle from "../../../web/theatre/picture/circle.ts";
import { KEYS, keyOf } from "../../../web/theatre/keys.ts";

const COUNTS = Array.from({ length: 10 }, (_, index) => index + 1);

/** A phone, upright and lying; a laptop; a wall. */
const BOXES = [
  { width: 340, height: 390 },
  { width: 780, height: 300 },
  { width: 850, height: 620 },
  { width: 1_900, height: 900 },
];

for (const count of COUNTS) {
  test(`${count} nodes and their blocks stand in any picture without touching each other`, () => {
    for (const box of BOXES) {
      for (const isNamed of [false, true]) {
        const layout = circle.layoutOf({ count, box, isNamed });
        const { rings, width, height, block, name } = layout;
        const places = COUNTS.slice(0, count).map((_, node) => circle.placeOf(node, layout));
        const outside = rings + name + 8 + block;
        for (const [index, { x, y }] of places.entries()) {
          assert.ok(x - rings >= 0 && x + rings <= width, `${x} of ${width}`);
          assert.ok(y - outside >= 0 && y + outside <= height, `${y} of ${height}`);
          for (const other of places.slice(index + 1))
            assert.ok(Math.hypot(other.x - x, other.y - y) > 2 * rings - 20);
        }
      }
    }
  });
}

test("a message leaves one ring, ends at the other, and two directions do not meet", () => {
  const layout = circle.layoutOf({ count: 5, box: { width: 850, height: 620 } });
  const there = circle.wayBetween(0, 2, layout);
  const back = circle.wayBetween(2, 0, layout);
  assert.deepEqual(circle.along(there, 0), there.start);
  assert.deepEqual(circle.along(there, 7), there.end);
  const [one, other] = [circle.along(there, 0.5), circle.along(back, 0.5)];
  assert.ok(Math.hypot(one.x - other.x, one.y - other.y) > 30);
  const tail = circle.behind(there, 0.5);
  assert.deepEqual(tail.start, there.start);
  assert.deepEqual(tail.end, one);
});

function allStates(state: ChartState): readonly ChartState[] {
  return [state, ...state.states.flatMap(allStates)];
}

const LOOKS = CHARTS.flatMap((chart) => [
  { ...chart, language: "en" as const },
  { ...chart, language: "zh" as const },
]);

test("each state of each chart has a Chinese word of its own", () => {
  for (const { id, root } of CHARTS) {
    const keys = allStates(root).flatMap(({ key, path }) => (path === "" ? [] : [key]));
    const words = keys.map((key) => stateWord(id, key, "zh"));
    for (const word of words) assert.match(word, /^\p{Script=Han}+$/u, id);
    assert.equal(new Set(words).size, keys.length, id);
    for (const key of keys) assert.equal(stateWord(id, key, "en"), key);
  }
});

test("each event and guard of each chart has a Chinese word", () => {
  const missing = new Set<string>();
  for (const { root } of CHARTS) {
    for (const { transitions } of allStates(root)) {
      for (const transition of transitions) {
        const { event, guard } = transition;
        const word = ruleWord(transition, "zh");
        if (!/^[\p{Script=Han} [\]]+$/u.test(word)) missing.add(`${event} [${guard}]`);
        const name = [event, guard && `[${guard}]`].filter(Boolean).join(" ");
        assert.equal(ruleWord(transition, "en"), name || "always");
      }
    }
  }
  assert.deepEqual([...missing], []);
});

/** Whether a point lies on the edge of a box. */
function onEdge(box: ChartBox | undefined, x: number, y: number): boolean {
  if (!box) return false;
  const [left, top] = [x - box.x, y - box.y];
  const [right, bottom] = [box.width - left, box.height - top];
  return Math.abs(Math.min(left, top, right, bottom)) < 0.01;
}

for (const { id, root, language } of LOOKS) {
  const wordOf = (key: string) => stateWord(id, key, language);
  test(`the chart ${id} in ${language} shows each state once, in its parent`, () => {
    const { boxes, width, height, arrows } = layChart(root, id, wordOf);
    const byPath = new Map(boxes.map((box) => [box.path, box]));
    const states = allStates(root);
    assert.deepEqual([...byPath.keys()].toSorted(), states.map(({ path }) => path).toSorted());
    for (const { path, states: children } of states) {
      const outer = byPath.get(path);
      assert.ok(outer && outer.x + outer.width <= width && outer.y + outer.height <= height);
      const inner = children.map((child) => byPath.get(child.path));
      for (const [index, box] of inner.entries()) {
        assert.ok(box && box.x > outer.x && box.y > outer.y);
        assert.ok(box.x + box.width <= outer.x + outer.width);
        assert.ok(box.y + box.height <= outer.y + outer.height);
        for (const other of inner.slice(index + 1)) {
          const isApart =
            other &&
            (box.x + box.width <= other.x ||
              other.x + other.width <= box.x ||
              box.y + box.height <= other.y ||
              other.y + other.height <= box.y);
          assert.ok(isApart, `${box.path} and ${other?.path}`);
        }
      }
    }
    for (const { from, to, line } of arrows) {
      const numbers = (line.match(/-?[\d.]+/g) ?? []).map(Number);
      const [x1 = 0, y1 = 0] = numbers;
      const [x2 = 0, y2 = 0] = numbers.slice(-2);
      assert.ok(onEdge(byPath.get(from), x1, y1), `${from} → ${to} begins at ${x1}, ${y1}`);
      assert.ok(onEdge(byPath.get(to), x2, y2), `${from} → ${to} ends at ${x2}, ${y2}`);
      assert.ok(Math.hypot(x2 - x1, y2 - y1) > 5, `${from} → ${to} is seen`);
    }
  });
}

test("the chart of PBFT shows the way of a round", () => {
  const pbft = CHARTS.find(({ id }) => id === "consensus");
  assert.ok(pbft);
  const { arrows } = layChart(pbft.root, "consensus");
  const ways = arrows.map(({ from, to }) => `${from} ${to}`);
  const sealer = "member.sealer";
  for (const [from, to] of [
    [`${sealer}.idle`, `${sealer}.prePrepared`],
    [`${sealer}.prePrepared`, `${sealer}.prepared`],
    [sealer, "member.decided.committed"],
    [`${sealer}.prepared`, `${sealer}.viewChanging`],
    [`${sealer}.viewChanging`, `${sealer}.idle`],
  ])
    assert.ok(ways.includes(`${from} ${to}`), `${from} ${to}`);
});

test("no key does two things", () => {
  const keys = KEYS.flatMap(({ keys: own }) => own);
  assert.equal(new Set(keys).size, keys.length);
  for (const { id, keys: own } of KEYS) for (const key of own) assert.equal(keyOf(key), id);
  assert.equal(keyOf("x"), undefined);
});
