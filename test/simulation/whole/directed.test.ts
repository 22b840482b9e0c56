/** Faults that random schedules of whole nodes hardly meet, each planted in the source. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "vitest";
import { loadMutant } from "../../support/runner/mutant-module.ts";
import { ROOT } from "../../support/runner/root.ts";
import { runOtherBodies } from "./directed.ts";

// rules: sync 4, 9

test("a node that is served other transactions under true headers catches up all the same", async () => {
  const { failure, sights } = await runOtherBodies();
  assert.equal(failure, undefined);
  assert.ok(sights.seen.has("otherBodies"));
});

test("it shows when block sync does not compare the root of the transactions", async () => {
  const entry = join(ROOT, "test", "simulation", "whole", "directed.ts");
  const mutant = await loadMutant<typeof import("./directed.ts")>(entry, {
    file: "core/node/sync/sync-verifier.ts",
    find: "transactionsRoot(decoded, rules) !== header.transactionsRoot",
    replace: "false",
  });
  const { failure } = await mutant.runOtherBodies();
  assert.match(failure ?? "", /believes transactions that do not fit their header/);
});
