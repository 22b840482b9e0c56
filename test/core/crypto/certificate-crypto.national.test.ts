// rules: sm-suite 4, sm-suite 7
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { CERTIFICATE_CRYPTO } from "../../../core/crypto/certificate-crypto.ts";
import { sm2KeyOfPoint, sm2PublicKey, sm2Verify } from "../../../core/crypto/sm2.ts";
import { cases } from "../../support/runner/cases.ts";

const { sign: signSm3, verify: verifySm3 } = CERTIFICATE_CRYPTO.national;
const SECRET = new Uint8Array(32).fill(34);
const KEY = sm2PublicKey(SECRET);
const MESSAGE = new TextEncoder().encode("a certificate");
const SIGNATURE = signSm3(MESSAGE, SECRET);

/** r(32) s(32) of a DER signature, read without the library. */
function scalarsOf(der: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0;
    const number = der.slice(at + 2, at + 2 + length);
    const short = number[0] === 0 ? number.slice(1) : number;
    bytes.set(short, end - short.length);
    at += 2 + length;
  }
  return bytes;
}

test("a DER signature holds the SM2 signature of the message under the default user id", () => {
  assert.equal(SIGNATURE[0], 0x30);
  assert.ok(sm2Verify(MESSAGE, scalarsOf(SIGNATURE), KEY));
  assert.ok(verifySm3(MESSAGE, SIGNATURE, KEY));
});

test("scalars that begin with a zero byte or a high bit survive DER", () => {
  for (let i = 0; i < 40; i++) {
    const message = Uint8Array.of(i);
    const signature = signSm3(message, SECRET);
    assert.ok(verifySm3(message, signature, KEY), `message ${i}`);
  }
});

test("another message, key, suite or byte does not verify, and nothing throws", () => {
  assert.ok(!verifySm3(new Uint8Array(3), SIGNATURE, KEY));
  assert.ok(!verifySm3(MESSAGE, SIGNATURE, sm2PublicKey(new Uint8Array(32).fill(35))));
  assert.ok(!CERTIFICATE_CRYPTO.standard.verify(MESSAGE, SIGNATURE, KEY));
  assert.ok(!verifySm3(MESSAGE, CERTIFICATE_CRYPTO.standard.sign(MESSAGE, SECRET), KEY));
  const changed = fc.tuple(fc.nat(SIGNATURE.length - 1), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(changed, ([at, by]) => {
      const bytes = Uint8Array.from(SIGNATURE);
      bytes[at] = (bytes[at] ?? 0) ^ by;
      assert.ok(!verifySm3(MESSAGE, bytes, KEY));
    }),
    { numRuns: 60 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      assert.ok(!verifySm3(MESSAGE, bytes, KEY));
    }),
    { numRuns: cases(200) },
  );
});

test("a point is read in both forms, and refused off the curve", () => {
  const whole = Uint8Array.of(4, ...KEY);
  const short = Uint8Array.of(2 + ((KEY[63] ?? 0) & 1), ...KEY.subarray(0, 32));
  for (const point of [whole, short]) assert.deepEqual(sm2KeyOfPoint(point), KEY);
  whole[64] = (whole[64] ?? 0) ^ 1;
  for (const bytes of [whole, new Uint8Array(0), Uint8Array.of(0)]) {
    assert.equal(sm2KeyOfPoint(bytes), undefined);
  }
});
