/** When a node collects by itself. */
import assert from "node:assert/strict";
import { getHeapSpaceStatistics } from "node:v8";
import { test, vi } from "vitest";
import { MemoryTrim, sizesOf, trimMemory } from "../../../../runtimes/node/machine/memory-trim.ts";

const MIB = 1024 * 1024;

/** A process that is examined; what is left after a collection, in MiB. */
function trimming(left: {
  readonly inside?: number;
  readonly outside?: number;
  readonly tookMs?: number;
}) {
  let [inside, outside] = [40, 20];
  let held = 0;
  let collections = 0;
  let thorough = 0;
  const trim = new MemoryTrim({
    sizes() {
      return { inside: inside * MIB, outside: outside * MIB, held: held * MIB };
    },
    collect(isThorough, done) {
      collections++;
      if (isThorough) thorough++;
      ({ inside = 40, outside = 20 } = left);
      done(left.tookMs ?? 0);
    },
  });
  return {
    /** This many examines a heap of this size. */
    look(size: number, looks: number) {
      for (let done = 0; done < looks; done++) {
        inside = size;
        trim.look();
      }
      return collections;
    },
    /** What clients hold, a look each. */
    lookHeld(...sights: readonly number[]) {
      for (const sight of sights) {
        held = sight;
        trim.look();
      }
      return collections;
    },
    thorough: () => thorough,
    /** Sights of what lies outside the heap, a look each. */
    lookOutside(...sights: readonly number[]) {
      for (const sight of sights) {
        outside = sight;
        trim.look();
      }
      return collections;
    },
  };
}

test("shared buffers are seen, and what clients hold is not", () => {
  const outside = (held: number) => sizesOf(process.memoryUsage(), held).outside;
  const before = outside(0);
  const buffers = Array.from({ length: 4 }, () => new SharedArrayBuffer(16 * MIB));
  const grown = outside(0) - before;
  assert.ok(grown > 48 * MIB, `${grown} bytes`);
  const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  assert.ok(outside(bytes) < before + 16 * MIB);
});

test("a heap that has grown is collected, twice a minute at most", () => {
  const { look } = trimming({});
  assert.equal(look(90, 29), 0);
  assert.equal(look(90, 1), 1);
  assert.equal(look(71, 100), 1, "too little");
  assert.equal(look(90, 1), 2);
});

test("what a burst holds to its end is given back once it is over", () => {
  const left = { inside: 400 };
  const { look } = trimming(left);
  assert.equal(look(400, 30), 1);
  left.inside = 40;
  assert.equal(look(400, 29), 1);
  assert.equal(look(400, 1), 2);
});

test("where much was given back a second collection follows, and no third", () => {
  const { look } = trimming({});
  assert.equal(look(90, 30), 1);
  assert.equal(look(40, 9), 1);
  assert.equal(look(40, 1), 2);
  assert.equal(look(40, 100), 2);
});

test("what a burst of clients leaves is collected once they hold little", () => {
  const { lookHeld, thorough } = trimming({});
  assert.equal(lookHeld(...Array<number>(20).fill(100)), 0);
  assert.equal(lookHeld(26), 0);
  assert.equal(lookHeld(24), 1);
  assert.equal(thorough(), 0, "clients still hold much: no long pause");
  assert.equal(lookHeld(...Array<number>(9).fill(9)), 1);
  assert.equal(lookHeld(8), 2);
  assert.equal(thorough(), 1, "it comes when they hold little");
  assert.equal(lookHeld(...Array<number>(50).fill(0)), 2);
  assert.equal(lookHeld(100, 0, 0, 0), 3);
  assert.equal(lookHeld(100, 0, 0, 0, 0, 0, 0), 3, "not at once again");
  assert.equal(lookHeld(0, 0), 4);
  assert.equal(thorough(), 3);
});

test("bursts of clients take a hundredth of the time at most", () => {
  const { lookHeld } = trimming({ tookMs: 150 });
  for (let second = 0; second < 1_800; second++) lookHeld(100, 0);
  const collections = lookHeld(0);
  assert.ok(collections > 200 && collections <= 240, `${collections} in an hour`);
});

test("what takes long to collect is collected less often", () => {
  const { look } = trimming({ inside: 4_000, tookMs: 500 });
  assert.equal(look(4_000, 30), 1);
  assert.equal(look(4_000, 59), 1);
  assert.equal(look(4_000, 1), 2);
});

test("buffers that nobody holds go in the midst of a burst, now and then", () => {
  const { lookOutside } = trimming({ outside: 30 });
  assert.equal(lookOutside(50, 80, 80, 80, 80), 0);
  assert.equal(lookOutside(120), 1);
  assert.equal(lookOutside(200, 200, 200, 200), 1);
  assert.equal(lookOutside(200), 2);
});

test("buffers that somebody holds are not collected for again", () => {
  const { lookOutside } = trimming({ outside: 140 });
  assert.equal(lookOutside(140, 140, 140, 140, 140, 140, 140), 1);
  assert.equal(lookOutside(140, 140, 140, 140, 140, 140, 140), 1);
  // They are dropped, and others come.
  assert.equal(lookOutside(30, 30, 30, 100), 2);
});

/** Bytes of both halves of the young generation. */
function youngBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find(({ space_name: name }) => name === "new_space")?.physical_space_size ?? 0;
}

test("the end of a burst gives back the young generation", async () => {
  let held = 100 * MIB;
  trimMemory(() => held, 5);
  // What survives makes it grow.
  const kept: object[][] = [];
  for (let round = 0; round < 200 && youngBytes() < 4 * MIB; round++)
    kept[round % 8] = Array.from({ length: 20_000 }, (_, at) => ({ at, text: `x${at}` }));
  assert.ok(youngBytes() >= 4 * MIB);
  await new Promise((resume) => setTimeout(resume, 100));
  held = 0;
  await vi.waitFor(() => assert.ok(youngBytes() < 2 * MIB), { timeout: 10_000, interval: 2 });
});
