/** Blocks that would keep too much memory: none is voted for, all transactions are committed. */
// rules: pbft 16.3.8, raft 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { cases, TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
const SENT = 40;
/** Room for some four creations of a contract. */
const HELD_LIMIT = 40_000;
const LIMIT_MS = 120_000;

/** Until all that was sent is in blocks of the first node. */
async function untilCommitted(world: NodeWorld): Promise<void> {
  const { ledger } = world.group(0);
  const began = world.now;
  while (Number((await ledger.totals()).transactions) < SENT) {
    assert.ok(world.now - began < LIMIT_MS, `all are committed in time: ${world.describe()}`);
    await world.advance(500);
  }
}

for (const consensusType of ["pbft", "raft"] as const) {
  test(`a flood of transactions that keep much is committed in small blocks (${consensusType})`, async () => {
    const world = new NodeWorld({
      suite,
      seed: 7,
      genesis: { consensusType },
      heldLimit: HELD_LIMIT,
    });
    await world.startAll();
    for (let index = 0; index < SENT; index++) world.submit(index % 4);
    const { ledger } = world.group(0);
    await untilCommitted(world);
    const refused = world.log.filter(({ message }) => message === "proposal refused");
    assert.ok(refused.length > 0, "some proposal was too heavy");
    assert.ok(refused.every(({ fields }) => fields?.reason === "tooHeavy"));
    for (const [height, hash] of world.blocks) {
      const block = await ledger.block(hash);
      assert.ok(block && block.transactions.length < 10, `block ${height} is small`);
    }
    assert.deepEqual(world.failures, []);
    world.assertSound();
    await world.stopAll();
  });
}

test("a node that refuses what the others decide executes it once it is decided", async () => {
  const heldLimit = (index: number) => (index === 0 ? HELD_LIMIT : 100 * HELD_LIMIT);
  const world = new NodeWorld({ suite, seed: 5, heldLimit });
  await world.startAll();
  for (let index = 0; index < SENT; index++) world.submit(1 + (index % 3));
  const { ledger } = world.group(0);
  await untilCommitted(world);
  const refused = world.log.filter(({ message }) => message === "proposal refused");
  assert.ok(refused.length > 0, "one was too heavy for a node");
  assert.ok(refused.every(({ index, fields }) => index === 0 && fields?.reason === "tooHeavy"));
  const blocks = await Promise.all([...world.blocks.values()].map((hash) => ledger.block(hash)));
  const largest = Math.max(...blocks.map((block) => block?.transactions.length ?? 0));
  assert.ok(largest >= 10, `that node has written one of ${largest}`);
  assert.deepEqual(world.failures, []);
  world.assertSound();
  await world.stopAll();
});

/** Creates nothing, and logs so often that it passes the bound by itself. */
const GIANT = assemble(`
  3000 again: dup1 iszero @done jumpi 1 swap1 sub 0 0 log0 @again jump
  done: 0 0 return
`);
const GIANTS = cases(4, 2);
const PAUSE_MS = 10_000;

for (const nodes of TAKES_ALL_CASES ? [4, 7] : [4]) {
  test(`one that keeps too much by itself costs the others one view (${nodes} nodes)`, async () => {
    const world = new NodeWorld({ suite, seed: 11, nodes, heldLimit: 1_000_000 });
    await world.startAll();
    const { ledger } = world.group(0);
    let sent = 0;
    for (let giant = 0; giant < GIANTS; giant++) {
      world.submit(giant % nodes, { input: GIANT });
      sent++;
      for (let passed = 0; passed < PAUSE_MS; passed += 500, sent++) {
        world.submit(sent % nodes);
        await world.advance(500);
      }
    }
    await world.advance(PAUSE_MS);
    assert.equal(Number((await ledger.totals()).transactions), sent, world.describe());
    const lost = world.log.filter(
      ({ index, message }) => index === 0 && message === "ViewChangeWarning",
    );
    assert.ok(lost.length > 0 && lost.length <= 2 * GIANTS, `${lost.length} views`);
    assert.deepEqual(world.failures, []);
    world.assertSound();
    await world.stopAll();
  });
}
