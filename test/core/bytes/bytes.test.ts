/** Behaviour of byte operations and unsigned integers. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  bigintOfBytes,
  compareBytes,
  concatBytes,
  equalBytes,
  fixedUintBytes,
  isAllZero,
  numberOfBytes,
  uintBytes,
  uintLength,
  writeUint,
} from "../../../core/bytes/bytes.ts";
import { InvariantFault } from "../../../core/fault/invariant.ts";

test("joined parts keep their order and bytes", () => {
  const joined = concatBytes(Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(3));
  assert.deepEqual(joined, Uint8Array.of(1, 2, 3));
});

test("bytes order as their buffers do", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (left, right) => {
      const expected = Buffer.compare(left, right);
      assert.equal(Math.sign(compareBytes(left, right)), expected);
      assert.equal(equalBytes(left, right), expected === 0);
    }),
  );
});

test("an unsigned integer survives its minimal and its fixed form", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      assert.equal(bigintOfBytes(uintBytes(value)), value);
      assert.equal(bigintOfBytes(fixedUintBytes(value, 32)), value);
      assert.equal(uintBytes(value).length, uintLength(value));
      assert.notEqual(uintBytes(value)[0], 0);
    }),
  );
});

test("a safe number and the same bigint have the same bytes", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      assert.deepEqual(uintBytes(value), uintBytes(BigInt(value)));
      assert.equal(numberOfBytes(uintBytes(value)), value);
    }),
  );
});

test("an integer that does not fit its field is a fault of the program", () => {
  assert.throws(() => fixedUintBytes(256, 1), InvariantFault);
  assert.throws(() => fixedUintBytes(2n ** 64n, 8), InvariantFault);
  assert.throws(() => writeUint(new Uint8Array(4), 4, -1), InvariantFault);
});

test("only bytes that are all zero count as zero", () => {
  assert.deepEqual([isAllZero(new Uint8Array(3)), isAllZero(Uint8Array.of(0, 1))], [true, false]);
});
