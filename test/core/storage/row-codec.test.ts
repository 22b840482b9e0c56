import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { byteString } from "../../../core/bytes/byte-string.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { decodeRows, encodeRows } from "../../../core/storage/row-codec.ts";
import type { StoredRow } from "../../../core/storage/table.ts";

// rules: storage 1, 7, 13

const bytes = fc.uint8Array({ maxLength: 40 }).map((value) => byteString(value));
const names = fc.oneof(bytes, fc.constantFrom("key", "value", "enable_num", "node_id", "_id_"));
const row: fc.Arbitrary<StoredRow> = fc.record(
  {
    id: fc.maxSafeNat(),
    number: fc.maxSafeNat(),
    status: fc.constantFrom(0, 1),
    columns: fc.array(fc.tuple(names, bytes), { maxLength: 6 }).map((columns) => new Map(columns)),
  },
  { noNullPrototype: true },
);

test("rows are read back as they were written, in their order", () => {
  fc.assert(
    fc.property(bytes, fc.array(row, { maxLength: 5 }), (key, rows) => {
      assert.deepEqual(decodeRows(key, encodeRows(key, rows)), rows);
    }),
  );
});

test("a column that repeats the row key is read back", () => {
  const rows = [
    {
      id: 1,
      number: 2,
      status: 0,
      columns: new Map([
        ["key", "slot"],
        ["x", ""],
      ]),
    },
  ];
  assert.deepEqual(decodeRows("slot", encodeRows("slot", rows)), rows);
});

test("a slot row takes less than 60 bytes", () => {
  const columns = new Map([
    ["key", "12"],
    ["value", "1".repeat(40)],
  ]);
  const encoded = encodeRows("12", [{ id: 1_000_000, number: 5_000, status: 0, columns }]);
  assert.ok(encoded.length < 60, `${encoded.length} bytes`);
});

test("a record that was cut anywhere is a corrupt store, never fewer rows", () => {
  const columns = new Map([
    ["key", "k"],
    ["value", "some text"],
    ["other", "x"],
  ]);
  const encoded = encodeRows("k", [
    { id: 100_002, number: 1, status: 0, columns },
    { id: 100_003, number: 1, status: 1, columns },
  ]);
  for (let length = 0; length < encoded.length; length++) {
    assert.throws(() => decodeRows("k", encoded.subarray(0, length)), StoreFault);
  }
});

test("random bytes are a corrupt store or rows, and nothing else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (noise) => {
      try {
        for (const { status } of decodeRows("k", noise)) assert.ok(status === 0 || status === 1);
      } catch (reason) {
        assert.ok(reason instanceof StoreFault && reason.kind === "corrupt");
      }
    }),
  );
});

test("bytes after the last row are a corrupt store", () => {
  const encoded = encodeRows("k", []);
  assert.throws(() => decodeRows("k", new Uint8Array([...encoded, 0])), StoreFault);
});
