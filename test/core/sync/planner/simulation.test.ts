/**
 * Whole schedules of block sync: whatever peers and network do, every honest node reaches the
 * height of the one that has everything, and imports nothing that was not verified.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { type Outcome, SyncWorld } from "./world.ts";
import { cases } from "../../../support/runner/cases.ts";

const SEEDS = cases(300, 60);

// rules: sync 4, 9
test(`in ${SEEDS} schedules every node catches up and comes to rest`, () => {
  const totals = { imported: 0, penalties: 0, timeouts: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const outcome = new SyncWorld(seed).run();
    assert.ok(outcome.reached, `seed ${seed} does not come to rest: ${JSON.stringify(outcome)}`);
    totals.imported += outcome.imported;
    totals.penalties += outcome.penalties;
    totals.timeouts += outcome.timeouts;
  }
  assert.ok(totals.imported > 30 * SEEDS, `too little was imported: ${JSON.stringify(totals)}`);
  assert.ok(totals.penalties > SEEDS, `too few lies were met: ${JSON.stringify(totals)}`);
  assert.ok(totals.timeouts > SEEDS / 3, `too few time-outs were met: ${JSON.stringify(totals)}`);
});

test("the same seed gives the same schedule", () => {
  const run = (): Outcome => new SyncWorld(7).run();
  assert.deepEqual(run(), run());
});
