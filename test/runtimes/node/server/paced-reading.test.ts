/** Reading of a connection that waits for its turn. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { PacedReading } from "../../../../runtimes/node/server/paced-reading.ts";

const LONG = 64 * 1024;

/** A connection, and turns that are given by hand. */
function posed() {
  const turns: (() => void)[] = [];
  let isFlowing = true;
  const source = {
    pause: () => {
      isFlowing = false;
    },
    resume: () => {
      isFlowing = true;
    },
  };
  const pace = () => new Promise<void>((resolve) => void turns.push(resolve));
  const give = async () => {
    turns.shift()?.();
    await Promise.resolve();
  };
  return { reading: new PacedReading(source, pace), turns, give, flows: () => isFlowing };
}

test("a long read waits for a turn, a short one does not", async () => {
  const { reading, turns, give, flows } = posed();
  reading.took(100);
  assert.ok(flows());
  reading.took(LONG);
  reading.took(LONG);
  assert.equal(turns.length, 1);
  assert.ok(!flows());
  await give();
  assert.ok(flows());
});

test("its turn does not wake a connection that was stopped, and waking waits for the turn", async () => {
  const { reading, give, flows } = posed();
  reading.took(LONG);
  reading.pause();
  await give();
  assert.ok(!flows());
  reading.resume();
  assert.ok(flows());
  reading.took(LONG);
  reading.pause();
  reading.resume();
  assert.ok(!flows());
  await give();
  assert.ok(flows());
});

test("what comes after the end is read at once, so that the close is seen", async () => {
  const { reading, turns, flows } = posed();
  reading.pause();
  reading.end();
  reading.took(LONG);
  assert.ok(flows());
  assert.equal(turns.length, 0);
});
