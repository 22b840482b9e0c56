/** How far the time of a block that is voted for may be ahead. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { isFromFuture } from "../../../core/consensus/block-time.ts";
import { Group, reportsOf, shapesOf } from "./pbft/group.ts";

// rules: pbft 6

const REFERENCE = 1_000_000;
const BOUND = { maxFutureMs: 15_000, parent: REFERENCE - 500 };
const TABLE = [
  { name: "of now", timestamp: REFERENCE, refused: false },
  { name: "of long ago", timestamp: REFERENCE - 3_600_000, refused: false },
  { name: "at the bound", timestamp: REFERENCE + 15_000, refused: false },
  { name: "beyond it", timestamp: REFERENCE + 15_001, refused: true },
] as const;
for (const { name, timestamp, refused } of TABLE) {
  test(`a block ${name} is ${refused ? "refused" : "voted for"}`, () => {
    assert.equal(isFromFuture({ timestamp, reference: REFERENCE }, BOUND), refused);
  });
}

test("a chain whose time is ahead goes on a millisecond a block", () => {
  const parent = REFERENCE + 3_600_000;
  const isRefused = (timestamp: number) =>
    isFromFuture({ timestamp, reference: REFERENCE }, { ...BOUND, parent });
  assert.equal(isRefused(parent + 1), false);
  assert.equal(isRefused(parent + 2), true);
});

/** Sealer 1 of four, which knows the time. */
function voter() {
  const node = new Group(4).node(1);
  node.state.config = { ...node.state.config, time: BOUND };
  return node;
}

const FUTURE = { timestamp: REFERENCE + 20_000, reference: REFERENCE };

test("a first proposal from the future gets no vote, and an empty one passes the view on", () => {
  const node = voter();
  const effects = node.accept("aa", { time: FUTURE });
  assert.match(JSON.stringify(reportsOf(effects)), /aheadOfTime/);
  assert.deepEqual(shapesOf(node.executed()), []);
  const other = voter();
  const passed = other.accept("aa", { time: FUTURE, txCount: 0 });
  assert.ok(shapesOf(passed).includes("broadcast viewChange"));
});

test("what a quorum has locked is proposed again whatever its time", () => {
  const node = voter();
  const { group } = node;
  const J = group.justification(1, [0, 1, 3], group.lock("aa", 0, [0, 1, 3]));
  const prepare = group.prepare(1, "aa", { view: 1, J });
  const again = { ...prepare, index: 1 };
  const third = new Group(4).node(2);
  third.state.config = { ...third.state.config, time: BOUND };
  const effects = third.hear(again, group.proposal("aa", { time: FUTURE }));
  assert.doesNotMatch(JSON.stringify(reportsOf(effects)), /aheadOfTime/);
  assert.equal(third.state.round.prepare?.view, 1, JSON.stringify(reportsOf(effects)));
});

test("a leader proposes nothing from the future", () => {
  const node = new Group(4).node(0);
  node.state.config = { ...node.state.config, time: BOUND };
  const proposal = node.group.proposal("aa", { time: FUTURE });
  const effects = node.effects({ type: "proposal", now: 0, view: 0, proposal });
  assert.match(JSON.stringify(reportsOf(effects)), /aheadOfTime/);
});
