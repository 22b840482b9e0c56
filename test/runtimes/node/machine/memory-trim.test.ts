/** When a node collects by itself: after a burst, and once. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryTrim } from "../../../../runtimes/node/machine/memory-trim.ts";

const MIB = 1024 * 1024;

/** A process that is looked at; what is left after a collection. */
function trimming(left: { readonly rss: number; readonly external?: number }) {
  let [rss, external] = [150, 20];
  let collections = 0;
  const trim = new MemoryTrim({
    rss: () => rss * MIB,
    external: () => external * MIB,
    collect: () => {
      collections++;
      rss = left.rss;
      external = left.external ?? 20;
    },
  });
  return {
    /** Sights of what is resident, five looks each. */
    look(...sights: readonly number[]) {
      for (const sight of sights) {
        rss = sight;
        for (let looks = 0; looks < 5; looks++) trim.look();
      }
      return collections;
    },
    /** Sights of what lies outside the heap, a look each. */
    lookOutside(...sights: readonly number[]) {
      for (const sight of sights) {
        external = sight;
        trim.look();
      }
      return collections;
    },
  };
}

test("memory of a burst is given back within half a minute", () => {
  const { look } = trimming({ rss: 180 });
  assert.equal(look(250, 350, 450, 550, 550), 0);
  assert.equal(look(550), 1);
  assert.equal(look(180, 180, 180, 180, 180, 180, 180), 1, "there is nothing to gain");
  assert.equal(look(543), 2);
});

test("what a burst holds to its end is given back once it is over", () => {
  const left = { rss: 550 };
  const { look } = trimming(left);
  assert.equal(look(550, 550, 550, 550, 550, 550), 1);
  left.rss = 180;
  assert.equal(look(...Array<number>(11).fill(550)), 1);
  assert.equal(look(550), 2);
});

test("what is held is collected for less and less often", () => {
  const { look } = trimming({ rss: 400 });
  const minutes = (count: number) => look(...Array<number>(12 * count).fill(400));
  assert.equal(minutes(1), 1);
  assert.equal(minutes(30), 6);
  assert.equal(minutes(40), 11);
});

test("buffers that nobody holds go in the midst of a burst, now and then", () => {
  const { lookOutside } = trimming({ rss: 150, external: 30 });
  assert.equal(lookOutside(50, 80, 80, 80, 80), 0);
  assert.equal(lookOutside(120), 1);
  assert.equal(lookOutside(200, 200, 200, 200), 1);
  assert.equal(lookOutside(200), 2);
});

test("buffers that somebody holds are not collected for again", () => {
  const { lookOutside } = trimming({ rss: 150, external: 140 });
  assert.equal(lookOutside(140, 140, 140, 140, 140, 140, 140), 1);
  assert.equal(lookOutside(140, 140, 140, 140, 140, 140, 140), 1);
  // They are let go of, and others come.
  assert.equal(lookOutside(30, 30, 30, 100), 2);
});
