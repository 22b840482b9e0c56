/** When a node collects by itself: after a burst, and once. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryTrim } from "../../../../runtimes/node/machine/memory-trim.ts";

const MIB = 1024 * 1024;

function trimming(left: number) {
  let rss = 150;
  let collections = 0;
  const trim = new MemoryTrim({
    rss: () => rss * MIB,
    collect: () => {
      collections++;
      rss = left;
    },
  });
  const look = (...sights: readonly number[]) => {
    for (const sight of sights) {
      rss = sight;
      trim.look();
    }
    return collections;
  };
  return look;
}

test("memory is given back once a burst is over, not while it grows", () => {
  const look = trimming(180);
  assert.equal(look(250, 350, 450, 550), 0);
  assert.equal(look(550, 540), 0);
  assert.equal(look(543), 1);
  // 180 are held: the same again is no burst.
  assert.equal(look(185, 190, 190, 190, 190, 190, 190), 1);
  assert.equal(look(260, 260, 260, 260), 2);
});

test("what is held is not collected for again and again", () => {
  const look = trimming(400);
  assert.equal(look(400, 400, 400, 400), 1);
  assert.equal(look(400, 400, 400, 400, 400, 400, 400), 1);
});
