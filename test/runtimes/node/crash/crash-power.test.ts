/**
 * Machines lose power at any effect: nothing that was reported, served or agreed on is forgotten.
 */
// rules: raft 8, pbft 16.2, pbft 16.3.4, pbft 16.3.5, pbft 16.3.9, storage 13
import assert from "node:assert/strict";
import { afterAll, test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { cases } from "../../../support/runner/cases.ts";
import { type PowerLossSights, runPowerLoss } from "../../../support/process/power-loss.ts";

/** `npm run soak -- power` has many more. */
const SEEDS = cases(2, 1);
const RAFT_SEEDS = 1;
const ROUNDS = cases(20, 5);
/** Within this many a disk that lies is noticed. */
const LYING_ROUNDS = 20;

const suite = await createNodeSuite();
const sights: PowerLossSights[] = [];

for (let seed = 1; seed <= SEEDS; seed++) {
  test(`four nodes that lose power ${ROUNDS} times agree, forget nothing and go on (seed ${seed})`, async () => {
    const seen = await runPowerLoss({ suite, seed, rounds: ROUNDS });
    assert.ok(seen.crashes >= ROUNDS && seen.receipts > 0);
    sights.push(seen);
  });
}

for (let seed = 1; seed <= RAFT_SEEDS; seed++) {
  test(`four nodes of a Raft group that lose power ${ROUNDS} times do, too (seed ${seed})`, async () => {
    const seen = await runPowerLoss({ suite, seed, rounds: ROUNDS, consensusType: "raft" });
    assert.ok(seen.crashes >= ROUNDS && seen.receipts > 0);
  });
}

test("a disk of a Raft node that says it has synced and has not is noticed", async () => {
  const options = { seed: 1, rounds: LYING_ROUNDS, disksLie: true, consensusType: "raft" } as const;
  await assert.rejects(
    runPowerLoss({ suite, ...options }),
    /left before its (term|entry|vote) was/,
  );
});

test("a disk that says it has synced and has not is noticed", async () => {
  const run = runPowerLoss({ suite, seed: 1, rounds: LYING_ROUNDS, disksLie: true });
  await assert.rejects(run, /left before it was on disk/);
});

afterAll(() => {
  const sum = (of: keyof PowerLossSights) => sights.reduce((total, seen) => total + seen[of], 0);
  const figures = [`${sum("crashes")} losses of power`, `${sum("blocks")} blocks`];
  figures.push(`${sum("receipts")} receipts`, `${sum("lostBatches")} batches lost`);
  process.stdout.write(`power: ${figures.join(", ")}, ${sum("keptBatches")} unsynced ones kept\n`);
});
