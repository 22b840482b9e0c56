/** The compressor against the platform's decompressor. */
import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";
import * as fc from "fast-check";
import { test } from "vitest";
import { toBase64, zlibCompress } from "../../../core/rpc/zlib.ts";

test("what is compressed decompresses to itself", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (data) => {
      assert.deepEqual(new Uint8Array(inflateSync(zlibCompress(data))), data);
    }),
  );
});

test("repetitions of every length and distance survive", () => {
  const piece = fc.record({
    bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    times: fc.integer({ min: 1, max: 400 }),
  });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const all = pieces.flatMap(({ bytes, times }) =>
        Array.from({ length: times }, () => Buffer.from(bytes)),
      );
      const data = new Uint8Array(Buffer.concat(all));
      assert.ok(Buffer.from(data).equals(inflateSync(zlibCompress(data))));
    }),
    { numRuns: 60 },
  );
});

test("a match 32768 bytes back is used, one further is not", () => {
  for (const gap of [32_768 - 8, 32_768, 40_000]) {
    const random = Uint8Array.from({ length: gap }, (_, at) => (at * at * 31 + (at >> 5)) & 0xff);
    const mark = new TextEncoder().encode("unlikely mark 0123456789");
    const data = new Uint8Array(Buffer.concat([mark, random, mark]));
    assert.ok(Buffer.from(data).equals(inflateSync(zlibCompress(data))));
  }
});

test("hexadecimal JSON shrinks", () => {
  const text = JSON.stringify(
    Array.from({ length: 50 }, (_, at) => ({ hash: `0x${at}`, logs: [] })),
  );
  assert.ok(zlibCompress(new TextEncoder().encode(text)).length < text.length / 3);
});

test("base64 agrees with the platform", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (data) => {
      assert.equal(toBase64(data), Buffer.from(data).toString("base64"));
    }),
  );
});
