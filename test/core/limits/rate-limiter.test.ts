/** This many a second, for each peer on its own. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { RateLimiter } from "../../../core/limits/rate-limiter.ts";

function gateOf(most: number) {
  const clock = { at: 5_000, steady: () => clock.at };
  return { clock, gate: new RateLimiter<string>(clock, most) };
}

test("a burst beyond the rate waits for a second to pass, whatever others do", () => {
  const { clock, gate } = gateOf(3);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => gate.allows("a")),
    [true, true, true, false, false],
  );
  assert.ok(gate.allows("b"));
  clock.at += 999;
  assert.ok(!gate.allows("a"));
  clock.at += 1;
  assert.ok(gate.allows("a"));
});

test("in no second more than the rate is let through, however it is spread", () => {
  const { clock, gate } = gateOf(10);
  const passed: number[] = [];
  for (let step = 0; step < 5_000; step += 7) {
    clock.at = 5_000 + step;
    if (gate.allows("a")) passed.push(clock.at);
  }
  assert.ok(passed.length >= 45, `${passed.length}`);
  for (const [i, at] of passed.entries())
    assert.ok(at - (passed[i - 10] ?? Number.NEGATIVE_INFINITY) >= 1_000, `${passed}`);
});
