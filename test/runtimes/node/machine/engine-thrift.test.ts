/** When the engine may spend: while a node works, and only then. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { type Effort, EngineThrift } from "../../../../runtimes/node/machine/engine-thrift.ts";

const MIB = 1024 * 1024;

/** A process that is examined. */
function thrifty() {
  const said: Effort[] = [];
  const budgets: number[] = [];
  let [cpuMs, nowMs, held, young] = [900, 1_000, 0, 4];
  const thrift = new EngineThrift({
    cpuUs: () => 1_000 * cpuMs,
    nowMs: () => nowMs,
    heldBytes: () => held * MIB,
    youngBytes: () => young * MIB,
    set: (effort) => void said.push(effort),
    setBudget: (bytes) => void budgets.push(bytes),
  });
  return {
    /** After so many milliseconds, of which it worked so many; its young generation in MiB. */
    look(milliseconds: number, used: number, youngMib = 4) {
      nowMs += milliseconds;
      cpuMs += used;
      young = youngMib;
      thrift.look();
    },
    /** Clients hold this many MiB. */
    hold(mib: number) {
      held = mib;
    },
    budgets,
    run: () => thrift.run(),
    /** Of all but the first, which is that of the start. */
    growths: () => said.slice(1).map(({ growth }) => growth),
    oldGrowths: () => said.map(({ oldGrowth }) => oldGrowth),
  };
}

test("functions are optimized late while a node starts, and as V8 would once it runs", () => {
  const { look, run, budgets } = thrifty();
  assert.deepEqual(budgets, [500_000]);
  run();
  for (let i = 0; i < 20; i++) look(500, i < 10 ? 0 : 400);
  assert.deepEqual(budgets, [500_000, 66 * 1_024]);
});

test("the engine spends with work and not without, and says only what changes", () => {
  const { look, growths, oldGrowths } = thrifty();
  assert.deepEqual(oldGrowths(), [0], "V8's own while it starts");
  look(500, 20);
  assert.deepEqual([growths(), oldGrowths()], [[1], [0, 40]]);
  look(500, 400);
  look(500, 20);
  look(500, 100);
  assert.deepEqual(growths(), [1]);
  look(500, 400);
  look(500, 400);
  assert.deepEqual(growths(), [1, 2]);
  look(500, 99);
  look(500, 0);
  assert.deepEqual(growths(), [1, 2, 1]);
  // A look that comes late counts the whole time.
  look(5_000, 900);
  assert.deepEqual(growths(), [1, 2, 1]);
});

test("the heap does not grow while clients hold much, and little while there is little work", () => {
  const { look, hold, growths, oldGrowths } = thrifty();
  look(500, 200, 4);
  look(500, 200, 4);
  look(500, 200, 16);
  assert.deepEqual(growths(), [1, 2, 1]);
  for (let looks = 0; looks < 9; looks++) look(500, 400, 16);
  assert.deepEqual(growths(), [1, 2, 1]);
  look(500, 400, 16);
  assert.deepEqual(growths(), [1, 2, 1, 2]);
  hold(40);
  look(500, 400, 32);
  look(500, 400, 4);
  assert.deepEqual(growths().slice(4), [1, 2]);
  assert.deepEqual(oldGrowths().slice(5), [15, 15]);
  hold(0);
  look(500, 400, 4);
  assert.deepEqual([growths().at(-1), oldGrowths().at(-1)], [2, 40]);
});
