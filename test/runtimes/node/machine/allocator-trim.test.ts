/** When a node gives back what its allocator holds free, and what that gives. */
import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { AllocatorTrim, trimAllocator } from "../../../../runtimes/node/machine/allocator-trim.ts";
import { freeBytes } from "../../../../runtimes/node/machine/free-bytes.ts";

const MIB = 1024 * 1024;

/** A process that is examined. */
function trimming() {
  let bytes = 200 * MIB;
  let held = 0;
  const ends: ((tookMs: number) => void)[] = [];
  const mapped: number[] = [];
  const trim = new AllocatorTrim({
    residentBytes: () => bytes,
    heldBytes: () => held,
    trim: (done) => void ends.push(done),
    mapFrom: (least) => void mapped.push(least / 1_024),
  });
  return {
    /** This many examine a process of this size, in MiB. Gives how many were begun. */
    look(size: number, looks: number) {
      bytes = size * MIB;
      for (let done = 0; done < looks; done++) trim.look();
      return ends.length;
    },
    /** The last one has ended and left this much. */
    end(size: number, tookMs: number) {
      bytes = size * MIB;
      ends.at(-1)?.(tookMs);
    },
    /** Clients hold this much, in MiB. Gives the bounds that were set, in KiB. */
    hold(size: number) {
      held = size * MIB;
      trim.look();
      return mapped;
    },
  };
}

test("a process that has grown is trimmed, every ten looks at most", () => {
  const { look, end } = trimming();
  assert.equal(look(215, 100), 0, "too little");
  assert.equal(look(216, 1), 1);
  end(210, 1);
  assert.equal(look(250, 9), 1);
  assert.equal(look(250, 1), 2);
});

test("so is one that has shrunk: what was freed in the heap is still there", () => {
  const { look, end } = trimming();
  look(300, 10);
  end(300, 1);
  assert.equal(look(285, 100), 1);
  assert.equal(look(284, 1), 2);
});

test("one follows another when that has ended, and the longer that took the later", () => {
  const { look, end } = trimming();
  assert.equal(look(300, 1_000), 1);
  end(200, 150);
  assert.equal(look(300, 29), 1);
  assert.equal(look(300, 1), 2);
});

test("while clients hold much, what they send has pages of its own", () => {
  const { hold } = trimming();
  assert.deepEqual(hold(32), []);
  assert.deepEqual(hold(33), [32]);
  assert.deepEqual(hold(9), [32]);
  assert.deepEqual(hold(8), [32, 128]);
});

interface ReportHeader {
  readonly header: { readonly glibcVersionRuntime?: string };
}

const { header } = process.report.getReport() as unknown as ReportHeader;
const HAS_GLIBC = header.glibcVersionRuntime !== undefined;

// Other allocators are left alone.
test.runIf(HAS_GLIBC)("what lies between small pieces is given back", async () => {
  const small: Uint8Array[] = [];
  const large: Uint8Array[] = [];
  for (let made = 0; made < 4_000; made++) {
    large.push(Buffer.allocUnsafeSlow(60_000).fill(1));
    small.push(Buffer.allocUnsafeSlow(200).fill(1));
  }
  trimAllocator(() => 0, 10);
  for (const bytes of large) freeBytes(bytes);
  const full = process.memoryUsage.rss();
  // Grows until it was trimmed.
  const more: Uint8Array[] = [];
  await vi.waitFor(() => {
    more.push(Buffer.allocUnsafeSlow(2 * MIB).fill(1));
    const left = process.memoryUsage.rss() - 2 * MIB * more.length;
    assert.ok(left < full - 176 * MIB, `${full / MIB} to ${left / MIB} MiB`);
  }, 20_000);
  assert.equal(small.length, 4_000);
});
