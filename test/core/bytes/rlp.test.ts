/** Behaviour of RLP reading and writing. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { hexBytes, toHex } from "../../../core/bytes/hex.ts";
import { encodeRlp, openRlpList, RlpReader, wrapRlpList } from "../../../core/bytes/rlp.ts";
import { cases } from "../../support/runner/cases.ts";
import { decodeRlp, type RlpItem } from "../../support/codecs/rlp-tree.ts";

const { item } = fc.letrec<{ item: RlpItem; leaf: RlpItem; list: RlpItem }>((tie) => ({
  item: fc.oneof({ depthSize: "small" }, tie("leaf"), tie("list")),
  leaf: fc.uint8Array({ maxLength: 80 }),
  list: fc.array(tie("item"), { maxLength: 9 }),
}));

test("any item survives encoding", () => {
  fc.assert(fc.property(item, (value) => assert.deepEqual(decodeRlp(encodeRlp(value)), value)));
});

test("bytes that decode are the only encoding of what they decode to", () => {
  const nearRlp = fc.array(
    fc.oneof(fc.constantFrom(0, 1, 0x80, 0x81, 0x82, 0xb8, 0xc0, 0xc1, 0xc2, 0xf8), fc.nat(255)),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(nearRlp, (codes) => {
      const bytes = Uint8Array.from(codes);
      const decoded = decodeRlp(bytes);
      if (decoded !== undefined) assert.deepEqual(encodeRlp(decoded), bytes);
    }),
    { numRuns: cases(2_000) },
  );
});

test("every truncation of an encoding is refused", () => {
  fc.assert(
    fc.property(item, (value) => {
      const bytes = encodeRlp(value);
      for (let length = 0; length < bytes.length; length++) {
        assert.equal(decodeRlp(bytes.subarray(0, length)), undefined);
      }
    }),
    { numRuns: 30 },
  );
});

test("payloads around each length of prefix are written and read exactly", () => {
  for (const length of [54, 55, 56, 255, 256, 65_535, 65_536]) {
    const bytes = new Uint8Array(length).fill(7);
    assert.deepEqual(decodeRlp(encodeRlp(bytes)), bytes);
    assert.deepEqual(wrapRlpList(bytes), encodeRlp(Array.from(bytes, (b) => Uint8Array.of(b))));
  }
});

test("integers are written without leading zeros, zero as the empty string", () => {
  const encoded = encodeRlp([0, 0n, 127, 128n, 256, 2n ** 255n, { rlp: Uint8Array.of(0xc0) }]);
  assert.equal(toHex(encoded), `ea80807f8180820100a080${"00".repeat(31)}c0`);
});

test("nesting deeper than any codec needs is refused, not followed", () => {
  let deep: Uint8Array = Uint8Array.of(0xc0);
  for (let i = 0; i < 100_000; i++) deep = deep.length < 50_000 ? wrapRlpList(deep) : deep;
  assert.equal(decodeRlp(deep), undefined);
});

const REFUSED = [
  { what: "a string where a list should be", hex: "83646f67" },
  { what: "bytes after the list", hex: "c180ff" },
  { what: "no bytes", hex: "" },
  { what: "a list longer than the bytes", hex: "c280" },
] as const;
for (const { what, hex } of REFUSED) {
  test(`${what} does not open as a list`, () => {
    assert.equal(openRlpList(hexBytes(hex)), undefined);
  });
}

test("a reader gives typed items in order and is complete at the end", () => {
  const address = new Uint8Array(20).fill(9);
  const bytes = encodeRlp([address, 5, 2n ** 200n, [1, 2, 3], [7]]);
  const list = openRlpList(bytes);
  assert.ok(list);
  assert.deepEqual([list.fixed(20), list.safe(), list.uint()], [address, 5, 2n ** 200n]);
  assert.deepEqual(
    list.list().all((reader) => reader.safe()),
    [1, 2, 3],
  );
  assert.deepEqual(list.raw(), Uint8Array.of(0xc1, 7));
  assert.equal(list.hasNext(), false);
  assert.ok(list.complete());
});

const WRONG_ITEMS = [
  { what: "an integer with a leading zero", item: Uint8Array.of(0, 1), read: "uint" },
  { what: "an integer of one zero byte", item: Uint8Array.of(0), read: "uint" },
  { what: "an integer of 33 bytes", item: new Uint8Array(33).fill(1), read: "uint" },
  { what: "a list as an integer", item: [1], read: "uint" },
  { what: "a number above 2^53 - 1", item: 2n ** 53n, read: "safe" },
  { what: "a number of eight bytes", item: 2n ** 60n, read: "safe" },
  { what: "a list as a string", item: [], read: "string" },
  { what: "a string as a list", item: Uint8Array.of(1, 2), read: "list" },
] as const;
for (const row of WRONG_ITEMS) {
  test(`${row.what} fails the reader for good`, () => {
    const reader = new RlpReader(encodeRlp([row.item, 1]), 0).list();
    reader[row.read]();
    assert.ok(reader.failed);
    assert.equal(reader.safe(), 0);
    assert.equal(reader.complete(), false);
  });
}
