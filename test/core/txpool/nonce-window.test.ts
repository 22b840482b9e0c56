// rules: txpool 5
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  addNonce,
  createNonceIndex,
  findNonce,
  removeNonce,
} from "../../../core/txpool/nonce-index.ts";
import {
  addBlockNonces,
  createNonceWindow,
  isNonceUsed,
  windowStart,
} from "../../../core/txpool/nonce-window.ts";

const MAX = 2n ** 256n - 1n;

test("the nonce index agrees with a multiset over any adds and removes", () => {
  // Few distinct nonces, so that equal ones meet; large ones, so that every word counts.
  const nonce = fc.oneof(
    fc.bigInt(0n, 40n),
    fc.bigInt(0n, 6n).map((part) => part << 224n),
    fc.bigInt(0n, 6n).map((part) => MAX - part),
  );
  const step = fc.oneof(fc.record({ add: nonce }), fc.record({ remove: fc.nat({ max: 10_000 }) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), fc.integer(), (steps, seed) => {
      const index = createNonceIndex(seed);
      const model: { id: number; nonce: bigint }[] = [];
      for (const each of steps) {
        if ("add" in each) model.push({ id: addNonce(index, each.add), nonce: each.add });
        else if (model.length > 0) {
          const [gone] = model.splice(each.remove % model.length, 1);
          removeNonce(index, gone?.id ?? -1);
        }
        assert.equal(index.size, model.length);
      }
      assert.equal(new Set(model.map(({ id }) => id)).size, model.length);
      for (const { nonce: kept } of model) assert.ok(findNonce(index, kept) >= 0);
      for (let n = 0n; n <= 40n; n++) {
        const expected = model.some((entry) => entry.nonce === n);
        assert.equal(findNonce(index, n) >= 0, expected);
      }
    }),
  );
});

test("the nonce index keeps every nonce while it grows and shrinks", () => {
  const index = createNonceIndex(3);
  const ids = Array.from({ length: 50_000 }, (_, i) => addNonce(index, BigInt(i) << 200n));
  for (let i = 0; i < 50_000; i += 2) removeNonce(index, ids[i] ?? -1);
  for (let i = 0; i < 50_000; i++) {
    assert.equal(findNonce(index, BigInt(i) << 200n) >= 0, i % 2 === 1);
  }
});

test("a removed nonce cannot be removed again", () => {
  const index = createNonceIndex(0);
  const id = addNonce(index, 5n);
  addNonce(index, 6n);
  removeNonce(index, id);
  assert.throws(() => removeNonce(index, id), { name: "InvariantFault" });
});

const STARTS = [
  { head: 0, start: 0 },
  { head: 999, start: 0 },
  { head: 1_000, start: 0 },
  { head: 1_001, start: 1 },
  { head: 5_000, start: 4_000 },
] as const;
for (const { head, start } of STARTS) {
  test(`the window at head ${head} starts at block ${start}`, () => {
    assert.equal(windowStart(head), start);
  });
}

test("a nonce counts up to 1000 blocks after its block and no longer", () => {
  const window = createNonceWindow(1);
  addBlockNonces(window, 0, []);
  addBlockNonces(window, 1, [77n]);
  for (let number = 2; number <= 1_001; number++) addBlockNonces(window, number, []);
  assert.equal(isNonceUsed(window, 77n), true);
  addBlockNonces(window, 1_002, []);
  assert.equal(isNonceUsed(window, 77n), false);
});

test("a nonce that two blocks used counts until the later one falls out", () => {
  const window = createNonceWindow(1);
  addBlockNonces(window, 1, [77n]);
  addBlockNonces(window, 2, [77n]);
  for (let number = 3; number <= 1_002; number++) addBlockNonces(window, number, []);
  assert.equal(isNonceUsed(window, 77n), true);
  addBlockNonces(window, 1_003, []);
  assert.equal(isNonceUsed(window, 77n), false);
});

test("a window rebuilt from the ledger's records equals one that lived through the blocks", () => {
  const noncesOf = (number: number) => [BigInt(number), BigInt(number) + MAX / 2n];
  const head = 2_345;
  const lived = createNonceWindow(1);
  for (let number = 0; number <= head; number++) addBlockNonces(lived, number, noncesOf(number));
  const rebuilt = createNonceWindow(2);
  for (let number = windowStart(head); number <= head; number++) {
    addBlockNonces(rebuilt, number, noncesOf(number));
  }
  assert.equal(rebuilt.index.size, lived.index.size);
  for (let number = head - 1_010; number <= head; number++) {
    const nonce = BigInt(number);
    assert.equal(isNonceUsed(rebuilt, nonce), number >= head - 1_000);
    assert.equal(isNonceUsed(lived, nonce), number >= head - 1_000);
  }
});

test("a block that is in the window already changes nothing", () => {
  const window = createNonceWindow(1);
  addBlockNonces(window, 5, [1n]);
  addBlockNonces(window, 5, [2n]);
  addBlockNonces(window, 4, [3n]);
  assert.deepEqual(
    [1n, 2n, 3n].map((nonce) => isNonceUsed(window, nonce)),
    [true, false, false],
  );
});

test("a gap between blocks is a fault of the program", () => {
  const window = createNonceWindow(1);
  addBlockNonces(window, 5, []);
  assert.throws(() => addBlockNonces(window, 7, []), { name: "InvariantFault" });
});

test("the window stops growing once 1001 blocks are in", () => {
  const window = createNonceWindow(1);
  const fill = (from: number, to: number) => {
    for (let number = from; number < to; number++) {
      addBlockNonces(
        window,
        number,
        Array.from({ length: 10 }, (_, i) => BigInt(number * 10 + i)),
      );
    }
  };
  fill(0, 1_100);
  const { chunks, slots } = window.index;
  const before = [chunks.length, slots.length, window.index.used];
  fill(1_100, 5_000);
  assert.deepEqual([chunks.length, window.index.slots.length, window.index.used], before);
  assert.equal(window.blocks.length, 1_001);
});
