/** When a node's heap may grow: while it works, and only then. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { YoungGeneration } from "../../../../runtimes/node/machine/young-generation.ts";

test("the gate opens with work and shuts without, and says only what changes", () => {
  const said: number[] = [];
  let cpuMs = 900;
  let nowMs = 1_000;
  const young = new YoungGeneration({
    cpuUs: () => 1_000 * cpuMs,
    nowMs: () => nowMs,
    setFactor: (factor) => said.push(factor),
  });
  const look = (milliseconds: number, used: number) => {
    nowMs += milliseconds;
    cpuMs += used;
    young.look();
  };
  look(500, 20);
  assert.deepEqual(said, [1]);
  look(500, 400);
  look(500, 20);
  look(500, 100);
  assert.deepEqual(said, [1]);
  look(500, 400);
  look(500, 400);
  assert.deepEqual(said, [1, 2]);
  look(500, 99);
  look(500, 0);
  assert.deepEqual(said, [1, 2, 1]);
  // A look that comes late counts the whole time.
  look(5_000, 900);
  assert.deepEqual(said, [1, 2, 1]);
});
