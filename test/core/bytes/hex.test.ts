/** Behaviour of hexadecimal text and identifiers. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  addressOf,
  addressOfNumber,
  fromHex,
  hashOf,
  hexBytes,
  idBytes,
  isAddress,
  isHash,
  isNodeId,
  nodeIdOf,
  toHex,
  toPrefixedHex,
  useHexEngine,
} from "../../../core/bytes/hex.ts";
import { NATIVE_HEX } from "../../../runtimes/node/machine/native-hex.ts";
import { InvariantFault } from "../../../core/fault/invariant.ts";

test("bytes survive the way through hexadecimal digits of either case", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.equal(toHex(bytes), Buffer.from(bytes).toString("hex"));
      assert.deepEqual(fromHex(toPrefixedHex(bytes)), bytes);
      assert.deepEqual(fromHex(toHex(bytes).toUpperCase()), bytes);
    }),
  );
});

for (const text of ["0", "0x0", "0g", "g0", "0X00", "\u01300", "0x 1", "-1"]) {
  test(`${JSON.stringify(text)} is not bytes`, () => {
    assert.equal(fromHex(text), undefined);
    assert.throws(() => hexBytes(text), InvariantFault);
  });
}

test("identifiers are made of exactly their length and give it back", () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, i) => i + 160);
  const [hash, address] = [hashOf(bytes.subarray(0, 32)), addressOf(bytes.subarray(0, 20))];
  assert.ok(isHash(hash) && isAddress(address) && isNodeId(nodeIdOf(bytes)));
  assert.deepEqual(idBytes(hash), bytes.slice(0, 32));
  assert.deepEqual(idBytes(address), bytes.slice(0, 20));
  assert.deepEqual(idBytes(nodeIdOf(bytes)), bytes);
  assert.throws(() => hashOf(bytes), InvariantFault);
  assert.throws(() => addressOf(bytes), InvariantFault);
  assert.throws(() => nodeIdOf(bytes.subarray(1)), InvariantFault);
});

test("upper case, a missing prefix or another length is not an identifier", () => {
  assert.equal(isHash(`0x${"A".repeat(64)}`), false);
  assert.equal(isHash("a".repeat(64)), false);
  assert.equal(isAddress(`0x${"a".repeat(41)}`), false);
  assert.equal(isNodeId(`0x${"a".repeat(126)}`), false);
  assert.equal(isNodeId(7), false);
});

test("a precompiled contract's address is its number", () => {
  assert.equal(addressOfNumber(0x1003), "0x0000000000000000000000000000000000001003");
});

/** By our own code, and by that of the platform. */
const ENGINES = { own: undefined, native: NATIVE_HEX } as const;
for (const [name, engine] of Object.entries(ENGINES)) {
  test(`bytes of any length and part have the same digits with the ${name} engine`, () => {
    const bytes = Uint8Array.from({ length: 5_000 }, (_, i) => (i * 167) >> 3);
    useHexEngine(engine);
    try {
      for (const [start, end] of [
        [0, 5_000],
        [1, 4_999],
        [3, 51],
        [7, 7],
        [2, 2_051],
      ] as const) {
        const digits = Buffer.from(bytes.subarray(start, end)).toString("hex");
        assert.equal(toHex(bytes, start, end), digits);
        assert.deepEqual(fromHex(`0x${digits.toUpperCase()}`), bytes.slice(start, end));
      }
      const digits = "ab".repeat(100);
      for (const wrong of ["\u0130", "\u00e9", "g", " ", "\ud800"]) {
        for (const at of [0, 99, 199]) {
          const text = digits.slice(0, at) + wrong + digits.slice(at + 1);
          assert.equal(fromHex(text), undefined);
        }
      }
    } finally {
      useHexEngine(undefined);
    }
  });
}
