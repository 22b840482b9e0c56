/** Behaviour of byte strings, UTF-8 and decimal text; Node's own codecs are the oracle. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  byteString,
  bytesOf,
  decimalText,
  isByteString,
  isUtf8,
  parseDecimal,
  parseDecimalModulo256,
  textOfByteString,
  utf8ByteString,
  utf8Bytes,
  utf8Text,
} from "../../../core/bytes/byte-string.ts";
import { cases } from "../../support/runner/cases.ts";

test("bytes survive the way through a byte string", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.deepEqual(bytesOf(byteString(bytes)), bytes);
      assert.equal(byteString(bytes), Buffer.from(bytes).toString("latin1"));
    }),
  );
});

test("a long byte string is built in pieces without loss", () => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, i) => i % 251);
  assert.equal(byteString(bytes), Buffer.from(bytes).toString("latin1"));
  assert.equal(byteString(bytes, 3, 9_000), Buffer.from(bytes).toString("latin1", 3, 9_000));
});

test("a character above one byte is not a byte string", () => {
  assert.deepEqual([isByteString("\u00ff"), isByteString("\u0100")], [true, false]);
});

test("text encodes to UTF-8 as TextEncoder does, lone surrogates included", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.deepEqual(utf8Bytes(text), Uint8Array.from(new TextEncoder().encode(text)));
      assert.equal(textOfByteString(utf8ByteString(text)), utf8Text(utf8Bytes(text)));
    }),
  );
  assert.deepEqual(utf8Bytes("a\ud800b"), Uint8Array.from(new TextEncoder().encode("a\ud800b")));
});

test("any bytes decode as TextDecoder decodes them", () => {
  const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
  const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
  const nearUtf8 = fc.array(
    fc.constantFrom(0x41, 0x80, 0xbf, 0xc1, 0xc3, 0xe0, 0xed, 0xa0, 0x9f, 0xf0, 0x90, 0xf4, 0xff),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(nearUtf8, (codes) => {
      const bytes = Uint8Array.from(codes);
      assert.equal(utf8Text(bytes), lenient.decode(bytes));
      let valid = true;
      try {
        strict.decode(bytes);
      } catch {
        valid = false;
      }
      assert.equal(isUtf8(bytes), valid);
    }),
    { numRuns: cases(500) },
  );
});

test("decimal text is digits only, leading zeros allowed", () => {
  assert.equal(parseDecimal("010"), 10n);
  for (const text of ["", "-1", "1.5", " 1", "0x1", "1e3", "1\n"]) {
    assert.equal(parseDecimal(text), undefined);
  }
  assert.equal(decimalText(2n ** 70n), "1180591620717411303424");
});

test("decimal digits modulo 2^256 agree with the whole number, however many there are", () => {
  const digits = fc.string({
    unit: fc.constantFrom(..."0123456789"),
    minLength: 1,
    maxLength: 900,
  });
  fc.assert(
    fc.property(digits, (text) => {
      assert.equal(parseDecimalModulo256(text), BigInt.asUintN(256, BigInt(text)));
    }),
  );
  for (const text of ["", "-1", "+1", "1 ", "0x1", "1e3"])
    assert.equal(parseDecimalModulo256(text), undefined);
});
