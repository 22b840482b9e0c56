import assert from "node:assert/strict";
import { createPrivateKey, sign } from "node:crypto";
import { test } from "vitest";
import { equalBytes } from "../../../core/bytes/bytes.ts";
import { CERTIFICATE_CRYPTO, keyIdentifierOf } from "../../../core/crypto/certificate-crypto.ts";
import { NOBLE_BACKEND } from "../../../core/crypto/standard.ts";

const { sign: signSha256, verify: verifySha256, publicKeyOfPoint } = CERTIFICATE_CRYPTO.standard;
const SECRET = new Uint8Array(32).fill(7);
const PUBLIC_KEY = NOBLE_BACKEND.publicKey(SECRET);
const MESSAGE = new TextEncoder().encode("signed part of a certificate");

function platformKey() {
  const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
  const jwk = {
    kty: "EC",
    crv: "secp256k1",
    d: base64url(SECRET),
    x: base64url(PUBLIC_KEY.subarray(0, 32)),
    y: base64url(PUBLIC_KEY.subarray(32)),
  };
  return createPrivateKey({ key: jwk, format: "jwk" });
}

test("a signature verifies by its own key and message only", () => {
  const signature = signSha256(MESSAGE, SECRET);
  assert.ok(verifySha256(MESSAGE, signature, PUBLIC_KEY));
  assert.ok(!verifySha256(MESSAGE.subarray(1), signature, PUBLIC_KEY));
  assert.ok(!verifySha256(MESSAGE, signature, NOBLE_BACKEND.publicKey(new Uint8Array(32).fill(8))));
});

test("signatures of another implementation verify, low s or high s", () => {
  // Random nonces: about half of them have a high s.
  for (let i = 0; i < 8; i++) {
    const signature = new Uint8Array(sign("sha256", MESSAGE, platformKey()));
    assert.ok(verifySha256(MESSAGE, signature, PUBLIC_KEY));
  }
});

test("bytes that are no signature, or no key, verify nothing", () => {
  const signature = signSha256(MESSAGE, SECRET);
  assert.ok(!verifySha256(MESSAGE, new Uint8Array(), PUBLIC_KEY));
  assert.ok(!verifySha256(MESSAGE, signature.subarray(0, 20), PUBLIC_KEY));
  assert.ok(!verifySha256(MESSAGE, signature, new Uint8Array(64)));
});

test("points are read compressed and uncompressed, and only when on the curve", () => {
  const whole = Uint8Array.of(4, ...PUBLIC_KEY);
  const odd = ((PUBLIC_KEY[63] ?? 0) & 1) === 1;
  const compressed = Uint8Array.of(odd ? 3 : 2, ...PUBLIC_KEY.subarray(0, 32));
  assert.deepEqual(publicKeyOfPoint(whole), PUBLIC_KEY);
  assert.deepEqual(publicKeyOfPoint(compressed), PUBLIC_KEY);
  whole[64] = (whole[64] ?? 0) ^ 1;
  assert.equal(publicKeyOfPoint(whole), undefined);
});

test("a key identifier has 160 bits and differs from key to key", () => {
  const other = NOBLE_BACKEND.publicKey(new Uint8Array(32).fill(9));
  assert.equal(keyIdentifierOf(PUBLIC_KEY).length, 20);
  assert.ok(!equalBytes(keyIdentifierOf(PUBLIC_KEY), keyIdentifierOf(other)));
});
