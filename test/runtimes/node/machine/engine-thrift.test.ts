/** When the engine may spend: while a node works, and only then. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { EngineThrift } from "../../../../runtimes/node/machine/engine-thrift.ts";

test("the engine spends with work and not without, and says only what changes", () => {
  const said: number[] = [];
  let cpuMs = 900;
  let nowMs = 1_000;
  const thrift = new EngineThrift({
    cpuUs: () => 1_000 * cpuMs,
    nowMs: () => nowMs,
    set: ({ growth }) => said.push(growth),
  });
  const look = (milliseconds: number, used: number) => {
    nowMs += milliseconds;
    cpuMs += used;
    thrift.look();
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
