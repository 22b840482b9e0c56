/** Scenarios as texts: what is written is read again, and what is wrong is named. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { ACTION_WORDS } from "../../../../runtimes/shared/theatre/action-words.ts";
import {
  type Action,
  DEFAULT_SCENARIO,
  type Scenario,
  type TimedAction,
} from "../../../../runtimes/shared/theatre/scenario.ts";
import {
  formatScenario,
  parseScenario,
} from "../../../../runtimes/shared/theatre/scenario-text.ts";

const node = fc.nat({ max: 3 });
const links = fc.oneof(
  fc.constant({ of: "all" } as const),
  node.map((one) => ({ of: "node", node: one }) as const),
  fc.constantFrom([0, 1], [2, 0], [3, 2]).map(([from = 0, to = 0]) => {
    return { of: "link", from, to } as const;
  }),
);
const sides = fc.constantFrom(
  [[0], [1, 2, 3]],
  [
    [0, 1],
    [2, 3],
  ],
  [[3], [0], [1, 2]],
);
const percent = fc.nat({ max: 100 });
const message = fc.nat({ max: 10_000 });

/** One of each kind; the compiler notices a kind that is missing. */
const ACTIONS: { [Kind in Action["kind"]]: fc.Arbitrary<Extract<Action, { kind: Kind }>> } = {
  kill: fc.record({ kind: fc.constant("kill"), node }),
  restart: fc.record({ kind: fc.constant("restart"), node }),
  pause: fc.record({ kind: fc.constant("pause"), node }),
  resume: fc.record({ kind: fc.constant("resume"), node }),
  partition: fc.record({ kind: fc.constant("partition"), sides }),
  oneWay: fc.record({ kind: fc.constant("oneWay"), sides }),
  cut: fc.record({ kind: fc.constant("cut"), from: node, to: node }),
  heal: fc.record({ kind: fc.constant("heal") }),
  delay: fc
    .tuple(fc.integer({ min: 1, max: 500 }), fc.nat({ max: 500 }), links)
    .map(([from, more, of]) => ({ kind: "delay", fromMs: from, toMs: from + more, links: of })),
  loss: fc.record({ kind: fc.constant("loss"), percent, links }),
  duplicate: fc.record({ kind: fc.constant("duplicate"), percent, links }),
  hold: fc.record({ kind: fc.constant("hold"), message }),
  deliver: fc.record({ kind: fc.constant("deliver"), message }),
  drop: fc.record({ kind: fc.constant("drop"), message }),
  lie: fc.record({
    kind: fc.constant("lie"),
    node,
    lie: fc.constantFrom("equivocate", "silent", "forge"),
  }),
  honest: fc.record({ kind: fc.constant("honest"), node }),
  send: fc.record({ kind: fc.constant("send"), node, count: fc.integer({ min: 1, max: 100 }) }),
  spread: fc.record({ kind: fc.constant("spread") }),
  align: fc.record({ kind: fc.constant("align") }),
  addSealer: fc.record({ kind: fc.constant("addSealer"), node }),
  addObserver: fc.record({ kind: fc.constant("addObserver"), node }),
  removeNode: fc.record({ kind: fc.constant("removeNode"), node }),
  addNode: fc.record({ kind: fc.constant("addNode") }),
  group: fc.record({
    kind: fc.constant("group"),
    node,
    operation: fc.constantFrom("start", "stop", "remove", "recover", "generate"),
    group: fc.constantFrom(1, 2),
  }),
};

const when = fc.oneof(
  fc.nat({ max: 3_600_000 }).map((atMs) => ({ atMs })),
  fc.nat({ max: 1_000_000 }).map((afterStep) => ({ afterStep })),
  fc
    .tuple(fc.nat({ max: 99 }), fc.nat({ max: 99 }))
    .map(([afterStep, atMs]) => ({ afterStep, atMs })),
);
const timed: fc.Arbitrary<TimedAction> = fc.record({
  when,
  action: fc.oneof(...Object.values<fc.Arbitrary<Action>>(ACTIONS)),
});
const scenario: fc.Arbitrary<Scenario> = fc.record({
  version: fc.constant(1),
  protocol: fc.constant("pbft"),
  nodes: fc.constantFrom(4, 5),
  sealers: fc.constantFrom(3, 4),
  seed: fc.nat(),
  delayMs: fc.constantFrom({ from: 20, to: 40 }, { from: 1, to: 1 }),
  executeMs: fc.nat({ max: 60_000 }),
  diskMs: fc.nat({ max: 10_000 }),
  blockMs: fc.integer({ min: 1, max: 10_000 }),
  electMs: fc.constantFrom({ from: 1_000, to: 2_000 }, { from: 300, to: 301 }),
  loadMs: fc.nat({ max: 3_600_000 }),
  show: fc.option(when, { nil: undefined }),
  actions: fc
    .array(timed, { maxLength: 20 })
    .filter((list) => list.filter(({ action }) => action.kind === "addNode").length < 5),
});

test("a scenario is read as it was written, whatever is in it", () => {
  fc.assert(
    fc.property(scenario, (written) => {
      const text = formatScenario(written);
      assert.match(text, /^[A-Za-z0-9._-]+$/, "no character needs an escape in a URL");
      const read = parseScenario(text);
      assert.deepEqual(read, { ok: true, scenario: structuredClone(written) });
    }),
  );
});

test("every action has words", () => {
  assert.deepEqual(Object.keys(ACTION_WORDS).sort(), Object.keys(ACTIONS).sort());
});

test("what is left out is as by default", () => {
  assert.equal(formatScenario(DEFAULT_SCENARIO), "1.pbft");
  assert.deepEqual(parseScenario("1.pbft"), { ok: true, scenario: DEFAULT_SCENARIO });
  const read = parseScenario(" 1.raft.nodes-3.t1500-kill-0.s40-send-1 ");
  assert.ok(read.ok);
  assert.deepEqual([read.scenario.nodes, read.scenario.sealers], [3, 3]);
  assert.deepEqual(read.scenario.actions, [
    { when: { atMs: 1_500 }, action: { kind: "kill", node: 0 } },
    { when: { afterStep: 40 }, action: { kind: "send", node: 1, count: 1 } },
  ]);
});

const WRONG: readonly (readonly [text: string, code: string, position: number])[] = [
  ["", "version", 0],
  ["2.pbft", "version", 0],
  ["1", "protocol", 1],
  ["1.paxos", "protocol", 1],
  ["1.pbft.knots-4", "unknownSetting", 2],
  ["1.pbft.__proto__-4", "unknownSetting", 2],
  ["1.pbft.nodes-11", "outOfRange", 2],
  ["1.pbft.nodes-four", "badValue", 2],
  ["1.pbft.nodes-4-5", "badValue", 2],
  ["1.pbft.seed-1.seed-2", "twice", 3],
  ["1.pbft.delay-40-20", "outOfRange", 2],
  ["1.pbft.show-later", "badValue", 2],
  ["1.pbft.t10-explode-1", "unknownAction", 2],
  ["1.pbft.t10-constructor", "unknownAction", 2],
  ["1.pbft.t10-kill", "badValue", 2],
  ["1.pbft.t10_20-kill-1", "unknownSetting", 2],
  ["1.pbft.t10-kill-1-2", "badValue", 2],
  ["1.pbft.t10-kill-7", "noSuchNode", 2],
  ["1.pbft.seed-3.t10-send-0.s5-kill-9", "noSuchNode", 4],
  ["1.pbft.t9999999-heal", "outOfRange", 2],
  ["1.pbft.t10-partition-0_1", "badValue", 2],
  ["1.pbft.t10-partition-0_1-1_2", "twice", 2],
  ["1.pbft.t10-loss-5-1_1", "badValue", 2],
  ["1.raft.t10-lie-0-equivocate", "notInRaft", 2],
  ["1.pbft.nodes-10.t1-addNode", "outOfRange", 3],
  [`1.pbft.${"t1-heal.".repeat(501)}t1-heal`, "tooManyActions", 502],
  [`1.pbft.${"t".repeat(20_000)}`, "tooLong", 0],
];

for (const [text, code, position] of WRONG) {
  test(`the text ${text.slice(0, 60) || "(empty)"} is refused: ${code}`, () => {
    const read = parseScenario(text);
    assert.ok(!read.ok);
    assert.deepEqual([read.fault.code, read.fault.position], [code, position]);
    assert.ok(read.fault.field.length <= 80);
  });
}

test("no text makes the reader throw, and what it takes it writes again alike", () => {
  const words = fc.constantFrom("1", "pbft", "raft", "nodes", "t1", "s2", "kill", "0", "-", ".");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words).map((all) => all.join("")),
      ),
      (text) => {
        const read = parseScenario(text);
        if (read.ok) assert.deepEqual(parseScenario(formatScenario(read.scenario)), read);
      },
    ),
  );
});
