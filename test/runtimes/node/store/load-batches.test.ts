/** Reads that are asked for in one turn are handed over together. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { LoadBatches } from "../../../../runtimes/node/store/load-batches.ts";

const key = (at: number) => Uint8Array.of(at);

/** Gives each key as its value, and keeps what was asked for. */
function recorded(fails = false) {
  const asked: number[][] = [];
  const batches = new LoadBatches(async (keys) => {
    asked.push(keys.map(([at = -1]) => at));
    if (fails) throw new Error("the disk is gone");
    return keys.map((each) => (each[0] === 3 ? undefined : each));
  });
  return { asked, batches };
}

test("those of one turn go together, and each gets its own value", async () => {
  const { asked, batches } = recorded();
  const first = [1, 2, 3].map((at) => batches.load(key(at)));
  assert.deepEqual(asked, []);
  assert.deepEqual(await Promise.all(first), [key(1), key(2), undefined]);
  assert.deepEqual(await batches.load(key(4)), key(4));
  assert.deepEqual(asked, [[1, 2, 3], [4]]);
});

test("no more than eight wait for each other", async () => {
  const { asked, batches } = recorded();
  await Promise.all(Array.from({ length: 17 }, (_, at) => batches.load(key(at))));
  assert.deepEqual(
    asked.map(({ length }) => length),
    [8, 8, 1],
  );
});

test("all of them learn of a failure", async () => {
  const { batches } = recorded(true);
  const ends = await Promise.allSettled([1, 2].map((at) => batches.load(key(at))));
  for (const end of ends) {
    assert.equal(end.status, "rejected");
    assert.match(String(end.reason), /the disk is gone/);
  }
});
