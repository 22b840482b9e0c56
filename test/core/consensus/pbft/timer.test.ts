import assert from "node:assert/strict";
import { test } from "vitest";
import type { Effect } from "../../../../core/consensus/pbft/effect.ts";
import {
  MAX_WAIT_MS,
  ONE_TRANSACTION_EXECUTION_MS,
  waitMs,
} from "../../../../core/consensus/pbft/timer.ts";
import { nodeId } from "../../../simulation/workload.ts";
import { executedOf, Group, type Node, shapesOf } from "./group.ts";

// rules: pbft 7, pbft 16.3.8

const voter = () => new Group(4).node(1);

/** Fails one view: timeout, then a quorum opens the next. */
function failView(node: Node): void {
  const { view } = node.state;
  node.tick(node.state.waitStart + waitMs(node.state));
  node.hearAll([0, 2].map((index) => node.group.viewChange(index, view + 1)));
  assert.equal(node.state.view, view + 1);
}

test("the wait grows by half with every failed view, up to a minute", () => {
  const node = voter();
  const waits = [waitMs(node.state)];
  for (let view = 0; view < 9; view++) {
    failView(node);
    waits.push(waitMs(node.state));
  }
  assert.deepEqual(waits.slice(0, 4), [3_000, 4_500, 6_750, 10_125]);
  assert.equal(waits.at(-1), MAX_WAIT_MS);
});

test("an empty round ends the back-off", () => {
  const node = voter();
  failView(node);
  const { group } = node;
  const J = group.justification(2, [0, 2, 3]);
  node.hear(
    group.prepare(2, "aa", { view: 2, J }),
    group.proposal("aa", { sealer: 2, txCount: 0 }),
  );
  assert.equal(node.state.failedViews, 0);
});

test("a written block ends the back-off", () => {
  const node = voter();
  failView(node);
  const config = node.config();
  node.effects({ type: "written", now: 9_000, height: 1, hash: executedOf("aa"), config });
  assert.equal(waitMs(node.state), 3_000);
});

test("sealers that come back to a quorum end the back-off, more of them change nothing", () => {
  const node = voter();
  const connect = (...numbers: number[]) =>
    node.effects({ type: "peersChanged", now: node.now, connected: numbers.map(nodeId) });
  connect(0);
  failView(node);
  connect(0, 2);
  assert.equal(node.state.failedViews, 0);
  failView(node);
  connect(0, 2, 3);
  assert.equal(node.state.failedViews, 1);
});

test("execution of several transactions may take consensus_timeout, then its result starts a new wait", () => {
  const node = voter();
  node.now = 2_000;
  node.accept("aa");
  assert.deepEqual(shapesOf(node.tick(4_999)), []);
  node.now = 4_999;
  node.executed();
  assert.deepEqual(shapesOf(node.tick(7_998)), []);
  assert.deepEqual(shapesOf(node.tick(7_999)), ["persist", "broadcast viewChange"]);
});

test("one heavy transaction alone may execute for its worst case in its first view", () => {
  const node = voter();
  node.hear(node.group.prepare(0, "aa", { view: 0 }), node.group.proposal("aa", { txCount: 1 }));
  node.assembled("aa", true, 1);
  assert.equal(waitMs(node.state), ONE_TRANSACTION_EXECUTION_MS);
  assert.deepEqual(shapesOf(node.tick(ONE_TRANSACTION_EXECUTION_MS - 1)), []);
});

test("after one heavy transaction slower sealers are waited for in proportion", () => {
  const node = voter();
  node.hear(node.group.prepare(0, "aa", { view: 0 }), node.group.proposal("aa", { txCount: 1 }));
  node.assembled("aa", true, 1);
  node.now = 10_000;
  node.executed();
  assert.equal(waitMs(node.state), 30_000);
});

test("one light transaction does not lengthen the wait for votes", () => {
  const node = voter();
  node.hear(node.group.prepare(0, "aa", { view: 0 }), node.group.proposal("aa", { txCount: 1 }));
  node.assembled("aa", true, 1);
  node.now = 50;
  node.executed();
  assert.equal(waitMs(node.state), 3_000);
});

test("a lock starts a new wait: the commit votes have their own time", () => {
  const node = voter();
  node.signs("aa");
  node.now = 2_500;
  node.hearAll([0, 2].map((index) => node.group.sign(index, "aa", { view: 0 })));
  assert.deepEqual(shapesOf(node.tick(5_499)), []);
  assert.deepEqual(shapesOf(node.tick(5_500)), ["persist", "broadcast viewChange"]);
});

test("a deadline is given once, when it moves, and after every tick", () => {
  const node = voter();
  const deadlinesOf = (effects: readonly Effect[]) =>
    effects.flatMap((effect) => (effect.type === "deadline" ? [effect.at] : []));
  assert.deepEqual(deadlinesOf(node.started), [1_000]);
  assert.deepEqual(deadlinesOf(node.hear(node.group.sign(2, "aa", { view: 0 }))), []);
  // A timer that fires too early is used up: it must be set again.
  assert.deepEqual(deadlinesOf(node.tick(999)), [1_000]);
  assert.deepEqual(deadlinesOf(node.tick(1_000)), [2_000]);
});
