/** Serving: who is served, in which order, how fast. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { insertRange, takeMerged } from "../../../../core/sync/planner/serving.ts";
import type { Range } from "../../../../core/sync/planner/state.ts";
import { SERVE_QUEUE_LIMIT } from "../../../../core/sync/planner/tuning.ts";
import { createBucket } from "../../../../core/limits/token-bucket.ts";
import {
  chargeServed,
  SERVED_BURST_BYTES,
  SERVED_BYTES_PER_SECOND,
} from "../../../../core/sync/serving-budget.ts";
import { cases } from "../../../support/runner/cases.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { fakeBlock } from "./chain.ts";
import { PEERS, PlannerDriver, SELF, upTo } from "./driver.ts";

const [P2, P3, P4] = PEERS;

function ask(driver: PlannerDriver, from: string, first: number, count: number): void {
  driver.feed({ type: "requestRange", from: from as typeof P2, first, count });
}

/** Answers the load under way; gives what was sent as `first+count`. */
function load(driver: PlannerDriver, most = Number.POSITIVE_INFINITY): string {
  const effect = driver.loading;
  assert.ok(effect);
  const last = Math.min(effect.from + effect.count, effect.from + most) - 1;
  const blocks = upTo(effect.from, last).map((number) => fakeBlock(driver.plan, number));
  driver.feed({ type: "loaded", token: effect.token, blocks });
  return `${effect.from}+${driver.sent("blocks")[0]?.message.blocks.length ?? 0}`;
}

// rules: sync 4
test("a request is served in packets of at most 32 blocks, up to the head", () => {
  const driver = new PlannerDriver({ height: 70 });
  ask(driver, P2, 31, 32);
  ask(driver, P2, 63, 32);
  assert.equal(load(driver), "31+32");
  assert.equal(load(driver), "63+8");
  assert.deepEqual(driver.of("load"), []);
});

test("what a load leaves out is loaded next", () => {
  const driver = new PlannerDriver({ height: 10 });
  ask(driver, P2, 1, 10);
  assert.deepEqual([load(driver, 4), load(driver)], ["1+4", "5+6"]);
});

test("requests that overlap or follow each other are served once", () => {
  const driver = new PlannerDriver({ height: 100 });
  ask(driver, P3, 90, 1);
  for (const first of [5, 1, 3, 10]) ask(driver, P2, first, 4);
  assert.equal(load(driver), "90+1");
  assert.equal(load(driver), "1+8");
  assert.equal(load(driver), "10+4");
});

test("peers take turns", () => {
  const driver = new PlannerDriver({ height: 100 });
  for (const first of [1, 50]) for (const peer of [P2, P3, P4]) ask(driver, peer, first, 2);
  const served: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    load(driver);
    served.push(driver.sent("blocks")[0]?.to[0] ?? "");
  }
  assert.deepEqual(served, [P2, P3, P4, P2, P3, P4]);
});

test("non-members are not served, nor is what is not there", () => {
  const driver = new PlannerDriver({ height: 5 });
  ask(driver, nodeIdOfNumber(99), 1, 1);
  assert.deepEqual(driver.of("load"), []);
  ask(driver, P2, 6, 1);
  assert.deepEqual(driver.of("load"), []);
});

test("a peer may have a thousand requests waiting", () => {
  const driver = new PlannerDriver({ height: 5_000 });
  for (let index = 0; index <= SERVE_QUEUE_LIMIT; index++) ask(driver, P2, 1 + 2 * index, 1);
  assert.deepEqual(driver.reports(), []);
  ask(driver, P2, 4_000, 1);
  assert.deepEqual(driver.reports(), [{ event: "ignored", from: P2, reason: "queueFull" }]);
  assert.equal(driver.state.peers.get(P2)?.wants.length, SERVE_QUEUE_LIMIT);
});

// rules: sync 10
test("bandwidth stops serving until there is enough, a quarter of the bytes is the price", () => {
  const buckets = [createBucket(50, 0), createBucket(1_000, 0)];
  const driver = new PlannerDriver({ height: 10, beginning: { buckets } });
  ask(driver, P2, 1, 10);
  assert.equal(load(driver), "1+4");
  driver.pass(400);
  assert.deepEqual(driver.of("load"), []);
  driver.pass(200);
  assert.equal(load(driver), "5+1");
  assert.equal(driver.state.counters.bandwidthWaits, 2);
});

const MEBIBYTE = 1024 * 1024;

/** Lets a peer ask for the same big blocks for some time; gives the blocks that it was sent. */
function flood(driver: PlannerDriver, peer: NodeId, milliseconds: number): number {
  let blocks = 0;
  const end = driver.now + milliseconds;
  const takeAll = () => {
    while (driver.state.loading) {
      load(driver, 4);
      const sent = driver.sent("blocks").filter(({ to }) => to[0] === peer);
      for (const { message } of sent) blocks += message.blocks.length;
    }
  };
  for (; driver.now < end; driver.pass(100)) {
    ask(driver, peer, 1, 8);
    takeAll();
  }
  return blocks;
}

test("a peer that asks for everything again and again gets its share, others are served", () => {
  const driver = new PlannerDriver({ height: 50, plan: { sizeOf: () => MEBIBYTE } });
  const burst = flood(driver, P2, 500);
  assert.ok(burst >= 20 && burst <= 40, `${burst} MiB at first`);
  const total = burst + flood(driver, P2, 20_000);
  const most = (SERVED_BURST_BYTES + 21 * SERVED_BYTES_PER_SECOND) / MEBIBYTE;
  assert.ok(total <= most && total > most - 20, `${total} of ${most} MiB`);
  assert.ok(driver.state.counters.budgetWaits > 0);
  ask(driver, P2, 1, 8);
  driver.state.loading = undefined;
  ask(driver, P3, 10, 4);
  assert.equal(load(driver), "10+4");
  assert.deepEqual(driver.sent("blocks")[0]?.to, [P3]);
});

test("a new session is no new share, and what waits is served when there is one again", () => {
  const driver = new PlannerDriver({ height: 50, plan: { sizeOf: () => MEBIBYTE } });
  flood(driver, P2, 20_000);
  driver.feed({ type: "peerDown", peer: P2 });
  driver.feed({ type: "peerUp", peer: P2 });
  while (driver.state.loading) load(driver);
  chargeServed(driver.state.budgets, P2, 80 * MEBIBYTE, driver.now);
  ask(driver, P2, 1, 1);
  assert.deepEqual(driver.of("load"), []);
  driver.pass(5_000);
  assert.deepEqual(driver.of("load"), []);
  driver.pass(10_000);
  assert.equal(driver.of("load").length, 1);
});

test("a node that catches up honestly never waits: forty full blocks a second of one peer", () => {
  const size = 200 * 1024;
  const driver = new PlannerDriver({ height: 2_000, plan: { sizeOf: () => size } });
  for (let first = 1; first < 1_600; first += 20) {
    ask(driver, P2, first, 20);
    while (driver.state.loading) load(driver);
    assert.deepEqual(driver.state.peers.get(P2)?.wants, []);
    driver.pass(500);
  }
  assert.equal(driver.state.counters.budgetWaits, 0);
});

test("what a closed session asked for is not sent to the next one", () => {
  const driver = new PlannerDriver({ height: 10 });
  ask(driver, P2, 1, 10);
  const [effect] = driver.of("load");
  driver.feed({ type: "peerDown", peer: P2 });
  driver.feed({ type: "peerUp", peer: P2 });
  const blocks = [fakeBlock(driver.plan, 1)];
  driver.feed({ type: "loaded", token: effect?.token ?? 0, blocks });
  assert.deepEqual(driver.sent("blocks"), []);
});

// rules: groups 5
test("a node that is in no list serves members only, unless free nodes are allowed", () => {
  const outsider = nodeIdOfNumber(99);
  for (const allowFreeNode of [false, true]) {
    const plan = { sealers: PEERS };
    const sessions = [...PEERS, outsider];
    const driver = new PlannerDriver({ height: 10, plan, sessions, tuning: { allowFreeNode } });
    assert.ok(!plan.sealers.includes(SELF));
    ask(driver, outsider, 1, 10);
    assert.equal(driver.of("load").length, allowFreeNode ? 1 : 0);
    if (allowFreeNode) load(driver);
    // It may be the only one that holds the block which removed it: the others need it.
    ask(driver, P2, 10, 1);
    assert.equal(load(driver), "10+1");
  }
});

test("merging loses no number and adds none", () => {
  const ranges = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 300 }), fc.nat(31)).map(([from, more]) => ({
      from,
      to: from + more,
    })),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(ranges, (wanted) => {
      const queue: Range[] = [];
      for (const range of wanted) insertRange(queue, range);
      const numbers = new Set<number>();
      for (let range = takeMerged(queue); range; range = takeMerged(queue)) {
        assert.ok(range.to - range.from < 256);
        for (const number of upTo(range.from, range.to)) numbers.add(number);
      }
      assert.deepEqual(numbers, new Set(wanted.flatMap(({ from, to }) => upTo(from, to))));
    }),
    { numRuns: cases(200) },
  );
});
