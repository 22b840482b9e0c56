/** Behaviour of the record reader and writer. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { ByteReader, ByteWriter } from "../../../core/bytes/cursor.ts";

test("what a writer wrote, a reader reads", () => {
  const record = fc.record({
    small: fc.nat(0xff),
    short: fc.nat(0xffff),
    word: fc.nat(0xffff_ffff),
    safe: fc.maxSafeNat(),
    blob: fc.uint8Array({ maxLength: 600 }),
  });
  fc.assert(
    fc.property(record, ({ small, short, word, safe, blob }) => {
      const little = new DataView(new ArrayBuffer(6));
      little.setUint16(0, short, true);
      little.setUint32(2, word, true);
      const writer = new ByteWriter(1).u8(small).u16(short).u32(word);
      writer.bytes(new Uint8Array(little.buffer));
      const bytes = writer.u64(safe).sized(blob).bytes(blob).finish();
      assert.equal(bytes.length, writer.length);
      const reader = new ByteReader(bytes);
      const integers = [reader.u8(), reader.u16(), reader.u32(), reader.u16le(), reader.u32le()];
      assert.deepEqual(integers, [small, short, word, short, word]);
      assert.equal(reader.u64(), safe);
      assert.deepEqual([reader.sized(600), reader.rest()], [blob, blob]);
      assert.ok(reader.complete());
    }),
  );
});

test("a reader that ran out fails for good", () => {
  const reader = new ByteReader(Uint8Array.of(1, 2, 3));
  assert.equal(reader.u16(), 0x102);
  assert.equal(reader.u16(), 0);
  assert.deepEqual([reader.u8(), reader.remaining, reader.failed], [0, 0, true]);
  assert.deepEqual(reader.bytes(0), new Uint8Array(0));
  assert.equal(reader.complete(), false);
});

test("a record with bytes left over is not complete", () => {
  const reader = new ByteReader(Uint8Array.of(1, 2));
  reader.u8();
  assert.deepEqual([reader.failed, reader.complete()], [false, false]);
});

test("an integer beyond what JavaScript holds exactly fails the record", () => {
  const reader = new ByteReader(Uint8Array.of(0, 32, 0, 0, 0, 0, 0, 0));
  assert.equal(reader.u64(), 0);
  assert.ok(reader.failed);
});

test("a run longer than its bound fails before it is examined", () => {
  const reader = new ByteReader(new ByteWriter().sized(new Uint8Array(9)).finish());
  assert.equal(reader.sized(8).length, 0);
  assert.ok(reader.failed);
});
