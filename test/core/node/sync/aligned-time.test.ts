/** Block timestamps follow the clock that the sealers agree on. */
// rules: sync 6
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
const HOUR = 3_600_000;
const OFF = 2;

/** How far the blocks of all four sealers are ahead of the true time at most, in milliseconds. */
async function aheadWith(offset: number): Promise<{ ahead: number; warnings: number }> {
  const clockOffsetMs = (index: number) => (index === OFF ? offset : 0);
  const world = new NodeWorld({ suite, seed: 3, clockOffsetMs });
  await world.startAll();
  const begin = world.trueTime();
  await world.until(() => world.trueTime() > begin + 6_000, 10_000, "statuses of all");
  const sealers = new Set<number>();
  let ahead = Number.NEGATIVE_INFINITY;
  for (let number = 1; sealers.size < 4; number++) {
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
  return { ahead, warnings: told.length };
}

test("a leader whose clock is fast does not put the chain into the future", async () => {
  const { ahead, warnings } = await aheadWith(HOUR / 6);
  assert.ok(ahead < HOUR / 60, `${ahead}`);
  assert.equal(warnings, 0);
});

test("a clock that is off by hours is moved by no more than half an hour, and all notice", async () => {
  const { ahead, warnings } = await aheadWith(3 * HOUR);
  assert.ok(ahead > 2.4 * HOUR && ahead < 2.6 * HOUR, `${ahead}`);
  assert.equal(warnings, 6);
});
