/** When a node downloads, what it asks whom, and what it holds against whom. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { awaitsBlocks, expectsBlocks } from "../../../../core/sync/planner/arrival.ts";
import { believableHeight, syncStatus } from "../../../../core/sync/planner/status.ts";
import { FAR_BEHIND_BLOCKS } from "../../../../core/txpool/limits.ts";
import { memoryBytes } from "../../../../core/sync/planner/state.ts";
import { trueHash } from "./chain.ts";
import { PEERS, PlannerDriver, SELF, upTo } from "./driver.ts";

const [P2, P3, P4] = PEERS;

/** A planner at 0 whose peer 2 has proven itself and stands at a height. */
function provenBy(driver: PlannerDriver, height: number): void {
  driver.status(P2, 1);
  driver.pass(400);
  driver.answerAll();
  driver.feed({ type: "verified", token: 1 });
  driver.commit(1);
  driver.feed({ type: "imported", token: 2 });
  driver.status(P2, height);
}

// rules: sync 4
test("a node syncs from the first status above it until it has imported everything", () => {
  const driver = new PlannerDriver();
  assert.equal(syncStatus(driver.state).isSyncing, false);
  driver.status(P2, 3);
  assert.equal(syncStatus(driver.state).isSyncing, true);
  assert.deepEqual(driver.requests(), ["2: 1+3"]);
  driver.answerAll();
  const [verify] = driver.of("verify");
  assert.deepEqual(
    verify?.blocks.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.deepEqual(driver.of("import"), []);
  driver.feed({ type: "verified", token: verify?.token ?? 0 });
  const [run] = driver.of("import");
  assert.deepEqual(run?.blocks, verify?.blocks);
  for (const number of [1, 2, 3]) driver.commit(number);
  assert.equal(syncStatus(driver.state).isSyncing, true);
  driver.feed({ type: "imported", token: run?.token ?? 0 });
  assert.equal(syncStatus(driver.state).isSyncing, false);
});

test("a sealer one block behind waits for its own votes", () => {
  const driver = new PlannerDriver();
  driver.status(P2, 1);
  assert.deepEqual(driver.requests(), []);
  assert.equal(driver.state.downloading, false);
  driver.pass(400);
  assert.deepEqual(driver.requests(), ["2: 1+1"]);
});

test("an observer one block behind asks at once", () => {
  const driver = new PlannerDriver({ plan: { sealers: PEERS, observers: [SELF] } });
  driver.status(P2, 1);
  assert.deepEqual(driver.requests(), ["2: 1+1"]);
});

test("what consensus decides now is not asked for, what is above it is", () => {
  const driver = new PlannerDriver();
  driver.feed({ type: "sealing", number: 1 });
  driver.status(P2, 1);
  driver.pass(1_000);
  assert.equal(driver.state.downloading, false);
  driver.status(P2, 2);
  assert.deepEqual(driver.requests(), ["2: 1+2"]);
});

test("four requests of up to 32 blocks are under way at a time", () => {
  const driver = new PlannerDriver();
  provenBy(driver, 1_000);
  assert.deepEqual(driver.requests(), ["2: 2+32", "2: 34+32", "2: 66+32", "2: 98+32"]);
});

test("an unproven peer is asked for little, and for one thing at a time", () => {
  const driver = new PlannerDriver();
  for (const peer of PEERS) driver.status(peer, 1_000);
  const asked = [...driver.state.shards].map(({ peer, waiting }) => [peer, waiting.size]);
  assert.deepEqual(asked.sort(), PEERS.map((peer) => [peer, 12]).sort());
});

test("blocks are asked for at most 256 ahead of the head", () => {
  const driver = new PlannerDriver();
  provenBy(driver, 10_000);
  while (driver.sent("requestRange").length > 0) driver.answerAll();
  assert.equal(driver.state.queue.size, 256);
  assert.equal(driver.state.shards.length, 0);
});

test("a peer is not asked for what it does not claim to have", () => {
  const driver = new PlannerDriver();
  provenBy(driver, 10);
  driver.status(P3, 1_000);
  assert.deepEqual(
    [...driver.state.shards].map(({ peer, range }) => [peer, range]),
    [
      [P2, { from: 2, to: 10 }],
      [P3, { from: 11, to: 22 }],
    ],
  );
});

test("requests grow smaller when blocks are large, and memory keeps its bound", () => {
  const size = 1024 * 1024;
  const maxMemoryBytes = 32 * size;
  const driver = new PlannerDriver({ plan: { sizeOf: () => size }, tuning: { maxMemoryBytes } });
  provenBy(driver, 1_000);
  assert.deepEqual(driver.requests().slice(0, 2), ["2: 2+2", "2: 4+2"]);
  for (let round = 0; round < 20; round++) driver.answerAll();
  assert.ok(memoryBytes(driver.state) <= maxMemoryBytes);
  assert.ok(driver.state.queue.size >= 8);
});

test("the next block finds room though memory is full", () => {
  const driver = new PlannerDriver({
    plan: { sizeOf: (number) => (number === 1 ? 900 : 100) },
    tuning: { maxMemoryBytes: 3_000 },
    sessions: [P2, P3],
  });
  driver.status(P2, 20);
  driver.status(P3, 20);
  const [, second] = driver.state.shards;
  driver.blocks(second?.peer ?? P3, upTo(second?.range.from ?? 0, second?.range.to ?? 0));
  const first = driver.state.shards.find(({ range }) => range.from === 1);
  driver.blocks(first?.peer ?? P2, [1]);
  assert.ok(driver.state.queue.has(1));
  assert.ok(memoryBytes(driver.state) <= 3_000);
});

test("a missing answer costs a moment, and the same peer is not the next to be asked", () => {
  const driver = new PlannerDriver({ sessions: [P2, P3] });
  driver.status(P2, 5);
  assert.deepEqual(driver.requests(), ["2: 1+5"]);
  driver.status(P3, 5);
  driver.pass(6_400);
  assert.deepEqual(driver.offences(), ["2: silence"]);
  assert.deepEqual(driver.requests(), ["3: 1+5"]);
});

test("a peer that is silent alone is asked again after a while, longer each time", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  driver.status(P2, 5);
  driver.pass(6_400);
  assert.equal(syncStatus(driver.state).isSyncing, false);
  driver.pass(999);
  assert.deepEqual(driver.requests(), []);
  driver.pass(1);
  assert.deepEqual(driver.requests(), ["2: 1+5"]);
  driver.pass(6_400 + 1_999);
  assert.deepEqual(driver.requests(), []);
  driver.pass(1);
  assert.deepEqual(driver.requests(), ["2: 1+5"]);
});

test("a late answer still counts", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  driver.status(P2, 2);
  driver.pass(6_400);
  driver.blocks(P2, [1, 2]);
  assert.deepEqual(driver.offences(), []);
  assert.equal(driver.of("verify").length, 1);
  assert.equal(driver.state.downloading, true);
});

test("packets are expected of those who were asked, also of those who were asked long ago", () => {
  const driver = new PlannerDriver({ sessions: [P2, P3] });
  driver.status(P2, 2);
  assert.deepEqual(
    PEERS.map((peer) => expectsBlocks(driver.state, peer)),
    [true, false, false],
  );
  assert.ok(awaitsBlocks(driver.state, P2));
  driver.pass(6_400);
  assert.ok(expectsBlocks(driver.state, P2));
  assert.ok(!awaitsBlocks(driver.state, P2), "given up");
  driver.feed({ type: "malformed", from: P2 });
  assert.ok(!expectsBlocks(driver.state, P2));
});

test("what a peer that leaves was asked for is asked of another", () => {
  const driver = new PlannerDriver({ sessions: [P2, P3] });
  driver.status(P2, 5);
  driver.status(P3, 5);
  driver.feed({ type: "peerDown", peer: P2 });
  assert.deepEqual(driver.requests(), ["3: 1+5"]);
});

test("with the last peer above goes the download", () => {
  const driver = new PlannerDriver({ sessions: [P2] });
  driver.status(P2, 5);
  driver.feed({ type: "peerDown", peer: P2 });
  assert.equal(driver.state.downloading, false);
  assert.equal(syncStatus(driver.state).knownHighestNumber, 0);
});

/** Source: sync 4 (far behind) */
function isFarBehind({ state }: PlannerDriver): boolean {
  return believableHeight(state) - state.height > FAR_BEHIND_BLOCKS;
}

test("one Byzantine node does not make a node far behind; two of four sealers, or a proof, do", () => {
  const driver = new PlannerDriver();
  driver.status(P2, 1_000_000);
  assert.equal(isFarBehind(driver), false);
  driver.status(P3, 21);
  assert.equal(isFarBehind(driver), true);
  driver.status(P3, 20);
  assert.equal(isFarBehind(driver), false);
});

test("known is the highest usable peer", () => {
  const driver = new PlannerDriver({ height: 2, sessions: [P2, P4] });
  driver.status(P2, 9);
  driver.status(P4, 7);
  const { knownHighestNumber, knownLatestHash } = syncStatus(driver.state);
  assert.deepEqual([knownHighestNumber, knownLatestHash], [9, trueHash(9)]);
});
