/** Block timestamps follow the clock that the sealers agree on. */
// rules: sync 6, pbft 6
import assert from "node:assert/strict";
import { test } from "vitest";
import { DEFAULT_TUNING } from "../../../../core/model/config.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
const HOUR = 3_600_000;
const OFF = 2;
/** As many as four sealers need to have had their turns. */
const BLOCKS = 8;

/** How far blocks are ahead of the true time at most, in milliseconds, and who made them. */
async function aheadWith(offset: number) {
  const clockOffsetMs = (index: number) => (index === OFF ? offset : 0);
  const world = new NodeWorld({ suite, seed: 3, clockOffsetMs });
  await world.startAll();
  const begin = world.trueTime();
  await world.until(() => world.trueTime() > begin + 6_000, 10_000, "statuses of all");
  const sealers = new Set<number>();
  let ahead = Number.NEGATIVE_INFINITY;
  for (let number = 1; number <= BLOCKS; number++) {
    world.submit(0).outcome.catch(() => undefined);
    const { ledger } = world.group(0);
    await world.until(() => ledger.head().number >= number, 60_000, `block ${number}`);
    const stored = await world.settle(ledger.header(ledger.head().hash), "header");
    assert.ok(stored);
    const { timestamp, sealer } = stored.header;
    ahead = Math.max(ahead, Number(timestamp) - world.trueTime());
    sealers.add(sealer);
  }
  await world.stopAll();
  const told = world.log.filter(({ message }) => message === "the clock of a peer is far off");
  return { ahead, warnings: told.length, sealers: sealers.size };
}

test("a leader whose clock is fast does not put the chain into the future", async () => {
  const { ahead, warnings, sealers } = await aheadWith(HOUR / 6);
  assert.ok(ahead < HOUR / 60, `${ahead}`);
  assert.equal(warnings, 0);
  assert.equal(sealers, 4);
});

test("a sealer whose clock is hours ahead lets its turns pass, and all notice", async () => {
  const { ahead, warnings, sealers } = await aheadWith(3 * HOUR);
  assert.ok(ahead <= DEFAULT_TUNING.maxFutureMs, `${ahead}`);
  assert.equal(warnings, 6);
  assert.equal(sealers, 3);
});

test("a sealer whose clock is hours behind votes all the same", async () => {
  const { ahead, sealers } = await aheadWith(-3 * HOUR);
  assert.ok(ahead <= DEFAULT_TUNING.maxFutureMs, `${ahead}`);
  assert.equal(sealers, 4);
});
