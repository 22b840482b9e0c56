/** The compressor against the platform's decompressor. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import * as fc from "fast-check";
import { test } from "vitest";
import { STEP_BYTES, toBase64, zlibCompress } from "../../../core/rpc/zlib.ts";

test("what is compressed decompresses to itself", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (data) => {
      assert.deepEqual(new Uint8Array(inflateSync(await zlibCompress(data))), data);
    }),
  );
});

test("repetitions of every length and distance survive", async () => {
  const piece = fc.record({
    bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    times: fc.integer({ min: 1, max: 400 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const all = pieces.flatMap(({ bytes, times }) =>
        Array.from({ length: times }, () => Buffer.from(bytes)),
      );
      const data = new Uint8Array(Buffer.concat(all));
      assert.ok(Buffer.from(data).equals(inflateSync(await zlibCompress(data))));
    }),
    { numRuns: 60 },
  );
});

test("a match 32768 bytes back is used, one further is not", async () => {
  for (const gap of [32_768 - 8, 32_768, 40_000]) {
    const random = Uint8Array.from({ length: gap }, (_, at) => (at * at * 31 + (at >> 5)) & 0xff);
    const mark = new TextEncoder().encode("unlikely mark 0123456789");
    const data = new Uint8Array(Buffer.concat([mark, random, mark]));
    assert.ok(Buffer.from(data).equals(inflateSync(await zlibCompress(data))));
  }
});

test("hexadecimal JSON shrinks", async () => {
  const text = JSON.stringify(
    Array.from({ length: 50 }, (_, at) => ({ hash: `0x${at}`, logs: [] })),
  );
  const packed = await zlibCompress(new TextEncoder().encode(text));
  assert.ok(packed.length < text.length / 3);
});

test("base64 agrees with the platform", async () => {
  const steps = [STEP_BYTES - 1, STEP_BYTES, STEP_BYTES + 1, 2 * STEP_BYTES + 2];
  const long = fc.constantFrom(...steps).map((length) => new Uint8Array(length).fill(length));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array(), long), async (data) => {
      assert.equal(await toBase64(data), Buffer.from(data).toString("base64"));
    }),
  );
});

/** Bytes without, with few and with many repetitions. */
function sample(kind: number, length: number): Uint8Array {
  let seed = 1 + kind;
  return Uint8Array.from({ length }, (_, at) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    if (kind === 0) return seed >>> 24;
    return kind === 1 ? 48 + ((seed >>> 24) & 15) : ((at >> 3) % 251) ^ (seed >>> 30);
  });
}

/** SHA-256 of the base64 that was given when all was done in one go. */
const RECORDED = [
  [0, 0, "0ffc9a8d0ab865059303d4ef892d326d506b546c9eacd9040bd7841fecd9d657"],
  [0, 1, "ec15766002a06a30d828ba5faab8530b3a3a2742fae80986b668115ab5a2896a"],
  [0, 100_000, "55d6c113a347b67932ca236424e3bf1965e88e756b2dda2b01def36d9c940f23"],
  [1, 100_000, "17edb7b4b0724164fe32f53b0e921ca8c365c22cd02ad9a4065d4dbee64214f9"],
  [2, 100_000, "94f389c506e359c822c55ff3baf3f02e12018c77880e7a514d4ddf423bcc1a8c"],
] as const;

for (const [kind, length, digest] of RECORDED) {
  test(`${length} bytes of kind ${kind} are the same, in how many turns ever`, async () => {
    const data = sample(kind, length);
    const aside = () => new Promise<void>((resolve) => void setImmediate(resolve));
    for (const pace of [undefined, () => undefined, aside]) {
      const text = await toBase64(await zlibCompress(data, pace), pace);
      assert.equal(createHash("sha256").update(text).digest("hex"), digest);
    }
  });
}

test("others have a turn after each step of compression and of base64", async () => {
  let turns = 0;
  const pace = async () => void turns++;
  for (const kind of [0, 1, 2]) {
    const data = sample(kind, 40 * STEP_BYTES);
    turns = 0;
    await zlibCompress(data, pace);
    assert.equal(turns, 39);
    turns = 0;
    await toBase64(data, pace);
    assert.equal(turns, 39);
  }
});
