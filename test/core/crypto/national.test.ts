/** Behaviour of the national suite. */
// rules: sm-suite 2, 3, 4, 8, 10.1, 10.2
import assert from "node:assert/strict";
import { createCipheriv, createHash } from "node:crypto";
import fc from "fast-check";
import { test } from "vitest";
import { bigintOfBytes, concatBytes, fixedUintBytes } from "../../../core/bytes/bytes.ts";
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import { hexBytes, toHex } from "../../../core/bytes/hex.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import {
  SM2_CURVE,
  sm2Digest,
  sm2PublicKey,
  sm2Sign,
  sm2Verify,
  sm2VerifyDigest,
} from "../../../core/crypto/sm2.ts";
import { sm3 } from "../../../core/crypto/sm3.ts";
import { sm4CbcDecrypt, sm4CbcEncrypt } from "../../support/codecs/sm4.ts";
import { cases } from "../../support/runner/cases.ts";

const suite = createSmSuite();
const KEY = hexBytes("82dcd33c98a23d5d06f9331554e14ab4044a1d71b169b7a38b61c214f0690f80");
const PUBLIC_KEY = hexBytes(
  "58660e34c3d5f97e9e9731ba01a9b8c8d9229e77d6b98530d87a78c7ede5980d" +
    "5eb150a3cba40ec91b56df58dd9b43ceccf49f79355b3adf6c371aa91b1a098c",
);
const MESSAGE = utf8Bytes("1234567890");
const SIGNATURE = hexBytes(
  "49889ee5e24e9fac262e04e82aab58aa0a2d29368e0a105913b20e96d0df6e1d" +
    "887b8200d1d23052eae96419e21675cc579c759335226a16726f9d480f06b83f",
);
const DIGEST = sm3(MESSAGE);
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("SM3 gives the digests of the platform's library at every length up to four blocks", () => {
  for (let length = 0; length <= 256; length++) {
    // A view that does not start at its buffer's start, as RLP items are.
    const data = Uint8Array.from({ length: length + 3 }, (_, i) => (i * 37) & 0xff).subarray(3);
    assert.equal(toHex(sm3(data)), createHash("sm3").update(data).digest("hex"), `${length}`);
  }
});

test("the published signature verifies with the default user id and not without", () => {
  assert.equal(toHex(sm2PublicKey(KEY)), toHex(PUBLIC_KEY));
  assert.ok(sm2Verify(MESSAGE, SIGNATURE, PUBLIC_KEY));
  assert.ok(!sm2VerifyDigest(sm3(MESSAGE), SIGNATURE, PUBLIC_KEY));
  assert.ok(!sm2Verify(utf8Bytes("1234567891"), SIGNATURE, PUBLIC_KEY));
});

test("a signature is r, s and the key; it recovers to that key and is deterministic", () => {
  const keys = fc.bigInt({ min: 1n, max: SM2_CURVE.n - 2n });
  fc.assert(
    fc.property(bytes32, keys, (digest, secret) => {
      const key = fixedUintBytes(secret, 32);
      const signature = suite.sign(digest, key);
      assert.equal(signature.length, 128);
      assert.deepEqual(signature, suite.sign(digest, key));
      assert.deepEqual(suite.recover(digest, signature), suite.publicKey(key));
      assert.deepEqual(signature.slice(64), suite.publicKey(key));
    }),
    { numRuns: 5 },
  );
});

test("every nonce is another one: neither messages nor keys share one", () => {
  const other = fixedUintBytes(7n, 32);
  const signatures = [
    sm2Sign(MESSAGE, KEY),
    sm2Sign(DIGEST, KEY),
    sm2Sign(MESSAGE, other),
    sm2Sign(DIGEST, other),
  ];
  assert.equal(new Set(signatures.map((bytes) => toHex(bytes, 0, 32))).size, 4);
});

test("a private key of 0, n - 1 or above makes no signature", () => {
  for (const secret of [0n, SM2_CURVE.n - 1n, SM2_CURVE.n]) {
    assert.throws(() => suite.publicKey(fixedUintBytes(secret, 32)), /private key/);
    assert.throws(() => sm2Sign(DIGEST, fixedUintBytes(secret, 32)), /private key/);
  }
});

const ORDER = fixedUintBytes(SM2_CURVE.n, 32);
const REFUSED = [
  { what: "r of zero", edit: (bytes: Uint8Array) => bytes.slice().fill(0, 0, 32) },
  { what: "s of zero", edit: (bytes: Uint8Array) => bytes.slice().fill(0, 32, 64) },
  { what: "r + s of n", edit: mirroredHalf },
  { what: "r of n", edit: (bytes: Uint8Array) => concatBytes(ORDER, bytes.subarray(32)) },
  { what: "s above n", edit: (bytes: Uint8Array) => bytes.slice().fill(255, 32, 64) },
  { what: "a key of zero", edit: (bytes: Uint8Array) => bytes.slice().fill(0, 64) },
  {
    what: "a key off the curve",
    edit: (bytes: Uint8Array) => bytes.with(127, (bytes[127] ?? 0) ^ 1),
  },
  { what: "another key", edit: otherKey },
  { what: "65 bytes", edit: (bytes: Uint8Array) => bytes.slice(0, 65) },
  { what: "129 bytes", edit: (bytes: Uint8Array) => concatBytes(bytes, Uint8Array.of(0)) },
] as const;

function mirroredHalf(bytes: Uint8Array): Uint8Array {
  const s = fixedUintBytes(SM2_CURVE.n - bigintOfBytes(bytes, 0, 32), 32);
  return concatBytes(bytes.subarray(0, 32), s, bytes.subarray(64));
}

function otherKey(bytes: Uint8Array): Uint8Array {
  return concatBytes(bytes.subarray(0, 64), suite.publicKey(fixedUintBytes(7n, 32)));
}

for (const { what, edit } of REFUSED) {
  test(`a signature with ${what} recovers to nothing`, () => {
    assert.equal(suite.recover(DIGEST, edit(suite.sign(DIGEST, KEY))), undefined);
  });
}

test("what recovers is a copy that later changes of the signature leave alone", () => {
  const signature = suite.sign(DIGEST, KEY);
  const key = suite.recover(DIGEST, signature);
  signature.fill(0);
  assert.deepEqual(key, PUBLIC_KEY);
});

test("an address is the end of the SM3 of the key", () => {
  const key = hexBytes("77afa2e920597092d3374993bcc98e82911b5302337d3e4cc5d457c3dee3f96d");
  assert.equal(suite.address(suite.publicKey(key)), "0xb925aa05369c23ab1b46d9f4faca08126536ae85");
});

test("a backend replaces only the primitives it gives", () => {
  const seen: number[] = [];
  const counted = createSmSuite({
    sm3(data) {
      seen.push(data.length);
      return sm3(data);
    },
  });
  assert.deepEqual(counted.recover(DIGEST, suite.sign(DIGEST, KEY)), PUBLIC_KEY);
  assert.deepEqual(seen, [210, 64]);
  assert.equal(toHex(sm2Digest(DIGEST, PUBLIC_KEY, counted.hash)).length, 64);
});

test("SM4-CBC is the platform's, and decrypts to what was encrypted", () => {
  const text = fc.uint8Array({ maxLength: 70 });
  const bytes16 = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(bytes16, bytes16, text, (key, iv, plain) => {
      const cipher = createCipheriv("sm4-cbc", key, iv);
      const expected = cipher.update(plain, undefined, "hex") + cipher.final("hex");
      const encrypted = sm4CbcEncrypt(key, iv, plain);
      assert.equal(toHex(encrypted), expected);
      assert.deepEqual(sm4CbcDecrypt(key, iv, encrypted), plain);
    }),
    { numRuns: cases(100) },
  );
});

test("SM4-CBC reads 16 bytes of a longer key, and refuses what it did not write", () => {
  const [key, iv] = [hexBytes("0123456789abcdeffedcba9876543210"), new Uint8Array(16)];
  const cipher = sm4CbcEncrypt(key, iv, MESSAGE);
  assert.deepEqual(sm4CbcEncrypt(concatBytes(key, KEY), iv, MESSAGE), cipher);
  assert.equal(sm4CbcDecrypt(key, iv, cipher.subarray(1)), undefined);
  assert.equal(sm4CbcDecrypt(key, iv, new Uint8Array(0)), undefined);
  assert.equal(sm4CbcDecrypt(key, iv.with(15, 1), cipher), undefined);
  assert.throws(() => sm4CbcEncrypt(key.subarray(1), iv, MESSAGE), /16 bytes/);
});
