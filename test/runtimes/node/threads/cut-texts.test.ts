/** Long strings that are cut out of a body before it is parsed. */
/// <reference lib="es2024.arraybuffer" />
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { readHexBytes } from "../../../../core/bytes/quantity.ts";
import { countValues, MAX_JSON_VALUES } from "../../../../core/rpc/json.ts";
import {
  arePiecesUtf8,
  type CutBody,
  cutTexts,
  PieceBytes,
} from "../../../../runtimes/node/threads/cut-texts.ts";

/** Bytes in pieces of a size. */
function inPieces(bytes: Uint8Array, size: number): PieceBytes {
  const pieces: ArrayBuffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = new ArrayBuffer(size, { maxByteLength: size });
    new Uint8Array(piece).set(bytes.subarray(at, at + size));
    pieces.push(piece);
  }
  return new PieceBytes(pieces, bytes.length);
}

const PIECE = 1_009;

function cutOf(json: string): CutBody {
  const cut = cutTexts(inPieces(Buffer.from(json), PIECE));
  assert.ok(cut, "it has too many values");
  return cut;
}

/** What a JSON text is with its long strings put back. */
function readBack(json: string): unknown {
  const { text, texts } = cutOf(json);
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value === "string") return texts.of(value)?.text() ?? value;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).map(([name, member]) => {
      return [texts.of(name)?.text() ?? name, member] as const;
    });
    return Object.fromEntries(entries);
  });
}

const parts = fc.constantFrom("x", "\\", '"', "\n", "€", "\u{1f600}", "\u0000", "a,b", "{");
const strings = fc
  .tuple(fc.array(parts, { maxLength: 4 }), fc.constantFrom(0, 1, 700, 1_300))
  .map(([some, times]) => some.join("") + some.slice(0, 2).join("x").repeat(times));

test("any JSON is the same with its long strings put back", () => {
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      strings,
      fc.integer(),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(strings, tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(values, (value) => {
      const json = JSON.stringify(value);
      assert.deepEqual(readBack(json), JSON.parse(json));
    }),
    { numRuns: 60 },
  );
});

test("a text that is cut is in neither text nor values", () => {
  const json = JSON.stringify({ id: "i".repeat(5_000), params: ["p".repeat(9_000), "short"] });
  const { text, texts } = cutOf(json);
  assert.ok(text.length < 200, text);
  const { id } = JSON.parse(text) as { id: string };
  assert.equal(texts.of(id)?.length, 5_000);
  assert.equal(texts.of(`${id}0`), undefined);
  assert.equal(texts.of("00000000-0000-4000-8000-000000000000:0"), undefined);
});

test("of more values than are examined nothing is made, as it is of a short text", () => {
  const kinds = ["1,", '"a,[",', "{},", '"\\\\",'];
  for (const kind of kinds) {
    const each = countValues(`[${kind}1]`) - countValues("[1]");
    const most = Math.floor((MAX_JSON_VALUES - countValues("[1]")) / each);
    for (const more of [0, 1]) {
      const json = `[${kind.repeat(most + more)}1]`;
      const isMore = countValues(json) > MAX_JSON_VALUES;
      const pieces = inPieces(Buffer.from(json), PIECE);
      assert.equal(cutTexts(pieces) === undefined, isMore, kind + more);
      assert.equal(isMore, more === 1, kind);
    }
  }
});

test("digits become bytes as those of a short text do", () => {
  const digits = "0123456789abcdefABCDEF".repeat(8_000);
  for (const hex of [digits, `0x${digits}`, `0x${digits}7`, `${digits}7`, `0x0x${digits}`])
    for (const wrong of ["", "g", "0x", "€"]) {
      const all = hex.slice(0, 150_000) + wrong + hex.slice(150_000);
      const { text, texts } = cutOf(JSON.stringify(all));
      const far = texts.of(JSON.parse(text) as string);
      assert.deepEqual(far?.hexBytes(), readHexBytes(all), `${hex.slice(0, 9)} ${wrong}`);
    }
});

test("characters across pieces are UTF-8, and what is cut off is none", () => {
  const whole = Buffer.from("aé€\u{1f600}".repeat(20));
  for (let size = 1; size < 12; size++) assert.ok(arePiecesUtf8(inPieces(whole, size)), `${size}`);
  for (const cut of [1, 2, 3]) assert.ok(!arePiecesUtf8(inPieces(whole.subarray(0, -cut), 7)));
  for (const bytes of [[0x80], [0xc0, 0x80], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0x61, 0xff]])
    for (const size of [1, 2, 7])
      assert.ok(!arePiecesUtf8(inPieces(Uint8Array.from([0x61, ...bytes]), size)), `${bytes}`);
});
