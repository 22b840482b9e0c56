/** Turns for long work: how long one lasts, and in which order those who wait go on. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createPace, TURN_MS } from "../../../core/limits/pace.ts";
import { createHandClock } from "../../support/world/hand-clock.ts";

test("who works for less than a turn goes on at once", () => {
  const clock = createHandClock();
  const pace = createPace(clock);
  for (let i = 0; i < 1_000; i++) assert.equal(pace(), undefined);
  assert.equal(clock.waiting, 1);
});

test("after a turn everything else comes first, and idle time makes no turns", async () => {
  let now = 0;
  const timers: (() => void)[] = [];
  const after = (_: number, run: () => void) => {
    timers.push(run);
    return () => undefined;
  };
  const pace = createPace({ steady: () => now, after });
  const order: string[] = [];
  const work = async (name: string) => {
    for (let part = 0; part < 2; part++) {
      await pace();
      order.push(name + part);
      now += TURN_MS;
    }
  };
  const both = Promise.all([work("a"), work("b")]);
  for (let turn = 0; turn < 9; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    order.push("|");
    timers.shift()?.();
  }
  await both;
  assert.equal(order.join(" ").replaceAll(/( \|)+$/g, ""), "a0 b0 | a1 | b1");
  assert.deepEqual(timers, [], "nothing runs while nobody works");
});
