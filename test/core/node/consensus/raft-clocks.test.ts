/** Raft groups that need a sealer whose clock is wrong. Source: decision 27 */
// rules: raft 8, sync 6
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";

const suite = await createNodeSuite();
const HOUR_MS = 3_600_000;
const SOON_MS = 120_000;
const SEEDS = TAKES_ALL_CASES ? 3 : 1;

for (const nodes of [2, 3]) {
  for (const offsetMs of [HOUR_MS, -HOUR_MS]) {
    for (const wrong of [0, 1]) {
      test(`${nodes} sealers, two of which run, clock of ${wrong} is ${offsetMs} ms ahead`, async () => {
        for (let seed = 1; seed <= SEEDS; seed++) {
          const world = new NodeWorld({
            suite,
            seed,
            nodes,
            genesis: { consensusType: "raft" },
            clockOffsetMs: (index) => (index === wrong ? offsetMs : 0),
          });
          await Promise.all([world.start(0), world.start(1)]);
          for (let block = 1; block <= 3; block++) {
            const outcome = await world.settle(world.submit(block % 2).outcome, "admission");
            assert.equal(outcome.ok, true);
            const stands = () =>
              [0, 1].every((index) => world.group(index).ledger.head().number >= block);
            await world.until(stands, SOON_MS, `block ${block}`);
          }
          await world.stopAll();
        }
      });
    }
  }
}
