/** Behaviour of the parameter readers. */
// rules: rpc-semantics 3.1, rpc-semantics 3.2
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  quantity,
  readAddress,
  readBlockNumber,
  readHash,
  readHexBytes,
  readU256,
} from "../../../core/bytes/quantity.ts";
import { ZERO_HASH } from "../../../core/bytes/ids.ts";

const NUMBERS = [
  { text: "0x1F", value: 31 },
  { text: "0x", value: 0 },
  { text: "", value: 0 },
  { text: "0x001", value: 1 },
  { text: "010", value: 10 },
  { text: "09", value: 9 },
  { text: "9223372036854775807", value: Number.MAX_SAFE_INTEGER },
  { text: "0x7fffffffffffffff", value: Number.MAX_SAFE_INTEGER },
  { text: "9223372036854775808", value: undefined },
  { text: "0x8000000000000000", value: undefined },
  { text: "0X10", value: undefined },
  { text: "-1", value: undefined },
  { text: "latest", value: undefined },
  { text: "1.5", value: undefined },
  { text: " 1", value: undefined },
  { text: "1\n", value: undefined },
  { text: "ff", value: undefined },
] as const;
for (const { text, value } of NUMBERS) {
  test(`block number ${JSON.stringify(text)} reads as ${value}`, () => {
    assert.equal(readBlockNumber(text), value);
  });
}

test("a number of 256 bits reads up to its maximum", () => {
  assert.equal(readU256(`0x${"f".repeat(64)}`), 2n ** 256n - 1n);
  assert.equal(readU256((2n ** 256n).toString()), undefined);
});

const DIGITS = "0123456789abcdef".repeat(4);
const HASHES = [
  { text: `0x${DIGITS.toUpperCase()}`, hash: `0x${DIGITS}` },
  { text: `0xff${DIGITS}`, hash: `0x${DIGITS}` },
  { text: "0x12", hash: ZERO_HASH },
  { text: "0x", hash: ZERO_HASH },
  { text: DIGITS, hash: ZERO_HASH },
  { text: "", hash: ZERO_HASH },
  { text: "nonsense", hash: ZERO_HASH },
  { text: "255", hash: `0x${"ff".padStart(64, "0")}` },
  { text: "0x12g4", hash: undefined },
] as const;
for (const { text, hash } of HASHES) {
  test(`hash ${JSON.stringify(text)} reads as ${hash}`, () => {
    assert.equal(readHash(text), hash);
  });
}

test("an address is 20 bytes of either case with or without its prefix", () => {
  const digits = "aB".repeat(20);
  assert.equal(readAddress(`0x${digits}`), `0x${digits.toLowerCase()}`);
  assert.equal(readAddress(digits), `0x${digits.toLowerCase()}`);
  assert.equal(readAddress(digits.slice(1)), `0x0${digits.slice(1).toLowerCase()}`);
  for (const text of ["", "0x", digits.slice(2), `${digits}00`, `0x${digits}0`, "g".repeat(40)]) {
    assert.equal(readAddress(text), undefined);
  }
});

test("the first of an odd count of digits is a byte of its own", () => {
  assert.deepEqual(readHexBytes("0xabc"), Uint8Array.of(0x0a, 0xbc));
  assert.deepEqual(readHexBytes("abc"), Uint8Array.of(0x0a, 0xbc));
  assert.deepEqual(readHexBytes("0x"), new Uint8Array(0));
  assert.deepEqual(readHexBytes(""), new Uint8Array(0));
  for (const text of ["0xg", "zz", "0x0g", "0X11"]) assert.equal(readHexBytes(text), undefined);
});

test("a quantity has no leading zeros", () => {
  assert.deepEqual(
    [quantity(0), quantity(255), quantity(2n ** 64n)],
    ["0x0", "0xff", "0x10000000000000000"],
  );
});
