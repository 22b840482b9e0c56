/** What an idle group of PBFT writes, and how it comes back from losing power meanwhile. */
// rules: pbft 16.2, pbft 16.3.6
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const suite = await createNodeSuite();
const MINUTE_MS = 60_000;
/** A block after everybody came back together; the others wait no time-outs of views. */
const SOON_MS = 3_000;
const LONG_MS = 10 * MINUTE_MS;

/** A chain of four at block 1 that has idled for a minute. */
async function idleWorld(roundsPerRecord: number, seed = 1): Promise<NodeWorld> {
  const world = new NodeWorld({ suite, seed, roundsPerRecord });
  await world.startAll();
  await world.settle(world.submit(0).outcome, "admission");
  await reach(world, 1, SOON_MS * 4);
  return world;
}

async function reach(world: NodeWorld, height: number, limitMs: number): Promise<void> {
  const up = world.machines.filter(({ life }) => life !== undefined);
  const stands = () => up.every(({ index }) => world.group(index).ledger.head().number >= height);
  await world.until(stands, limitMs, `block ${height}`);
}

/** Durable commits of a node in an idle minute, and their bytes. */
async function minuteOf(world: NodeWorld) {
  const { writes } = world.machine(0);
  const before = { ...writes };
  await world.advance(MINUTE_MS);
  return { syncs: writes.durable - before.durable, bytes: writes.bytes - before.bytes };
}

test("an idle minute costs a sync per view, or one per 32 of them", async () => {
  const each = await minuteOf(await idleWorld(1));
  const shared = await minuteOf(await idleWorld(32));
  assert.ok(each.syncs >= 50 && each.syncs <= 70, JSON.stringify(each));
  assert.ok(shared.syncs >= 1 && shared.syncs <= 3, JSON.stringify(shared));
  assert.ok(shared.bytes * 20 < each.bytes, JSON.stringify({ each, shared }));
});

test("nodes that lose power together in an idle minute agree on a view at once", async () => {
  for (let seed = 1; seed <= 2; seed++) {
    const world = await idleWorld(32, seed);
    await world.advance(17_000 + 1_000 * seed);
    for (const machine of world.machines) world.crash(machine);
    await world.startAll();
    await world.settle(world.submit(1).outcome, "admission");
    await reach(world, 2, SOON_MS);
    world.assertSound();
    assert.deepEqual(
      world.log.filter(({ level }) => level === "error"),
      [],
    );
  }
});

// That a group goes on with it is in restored-observer.test.ts; how soon, here alone.
inFull(
  "one that lost power is needed while another is down: the group goes on with it",
  async () => {
    const world = await idleWorld(8, 5);
    await world.advance(20_000);
    const [, second, third] = world.machines;
    assert.ok(second && third);
    world.crash(third);
    await world.advance(10_000);
    world.crash(second);
    await world.start(second.index);
    await world.settle(world.submit(0).outcome, "admission");
    await reach(world, 2, LONG_MS);
    world.assertSound();
  },
);

test("nodes that stop in order begin again where they were, without an abstention", async () => {
  const world = await idleWorld(32, 7);
  await world.advance(20_000);
  const [first] = world.machines;
  assert.ok(first);
  const { life } = first;
  assert.ok(life);
  const before = world.group(0).consensusStatus();
  await world.settle(life.node.stop(), "stop");
  first.life = undefined;
  await world.start(0);
  const after = world.group(0).consensusStatus();
  assert.ok(before.kind === "pbft" && after.kind === "pbft");
  assert.ok(after.toView - before.currentView <= 2, `${before.currentView} to ${after.toView}`);
  world.assertSound();
});
