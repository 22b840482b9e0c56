/** How signals end a command that runs until it is told to. */
// rules: groups 8
import assert from "node:assert/strict";
import { afterEach, test } from "vitest";
import { untilAsked } from "../../../../runtimes/node/process/ending.ts";
import { sleep } from "../../../support/process/dev-process.ts";

const exit = process.exit;
const { now } = performance;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

afterEach(() => {
  process.exit = exit;
  performance.now = now;
  for (const signal of SIGNALS) process.removeAllListeners(signal);
});

/** The codes with which the process would have ended without waiting. */
function watchExits(): number[] {
  const codes: number[] = [];
  process.exit = ((code: number) => void codes.push(code)) as typeof process.exit;
  return codes;
}

test("the first signal asks for an end in order, the next one does not wait for it", async () => {
  const codes = watchExits();
  const { end } = untilAsked("server");
  process.emit("SIGTERM");
  assert.equal(await end, 0);
  // What npm passes on is the same request.
  process.emit("SIGTERM");
  assert.deepEqual(codes, []);
  await sleep(350);
  // A wrapper that passes it on late does not know how far the end is.
  process.emit("SIGTERM");
  assert.deepEqual(codes, []);
  process.emit("SIGINT");
  assert.deepEqual(codes, [130]);
});

test("SIGTERM is taken for the same request for half a minute", async () => {
  const codes = watchExits();
  performance.now = () => 1_000;
  untilAsked("session");
  process.emit("SIGTERM");
  performance.now = () => 31_000;
  process.emit("SIGTERM");
  assert.deepEqual(codes, []);
  performance.now = () => 31_001;
  process.emit("SIGTERM");
  assert.deepEqual(codes, [130]);
});

test("a failure ends with code 1", async () => {
  const { end, fail } = untilAsked("server");
  fail(new RangeError("gone"));
  assert.equal(await end, 1);
});
