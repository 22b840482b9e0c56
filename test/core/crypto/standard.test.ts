/** Behaviour of the standard suite. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { concatBytes, fixedUintBytes, bigintOfBytes } from "../../../core/bytes/bytes.ts";
import { hexBytes, toHex } from "../../../core/bytes/hex.ts";
import {
  createStandardSuite,
  NOBLE_BACKEND,
  SECP256K1_ORDER,
} from "../../../core/crypto/standard.ts";

const suite = createStandardSuite();
const KEY = hexBytes("11".repeat(32));
const DIGEST = hexBytes("05c99e74127bdb019ec8fd5244cc5ceeb869cabd4af503ddd82c7bc18586310a");

test("the hash is Keccak-256 with the original padding", () => {
  assert.equal(
    toHex(suite.hash(new Uint8Array(0))),
    "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
  );
});

test("a signature is r, s and a recovery id of 0 or 1, deterministic", () => {
  const signature = suite.sign(DIGEST, KEY);
  assert.equal(
    toHex(signature),
    "0a3544a240cf8a8d80b2bd50a89ef3800e74a43e0ce54139098e7a8f891239b6" +
      "3a3604778e1756b39e0e58c25cce7ff7d3cf7c3076d1f624000d7a6bad0322d2" +
      "01",
  );
});

test("a key's address is the end of the hash of its 64 bytes", () => {
  assert.equal(suite.address(suite.publicKey(KEY)), "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a");
});

test("any signature recovers to the key that made it", () => {
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(bytes32, fc.bigInt({ min: 1n, max: SECP256K1_ORDER - 1n }), (digest, secret) => {
      const key = fixedUintBytes(secret, 32);
      const recovered = suite.recover(digest, suite.sign(digest, key));
      assert.deepEqual(recovered, suite.publicKey(key));
    }),
    { numRuns: 20 },
  );
});

test("a signature with s above half the order is refused", () => {
  const signature = suite.sign(DIGEST, KEY);
  const s = bigintOfBytes(signature, 32, 64);
  const flipped = Uint8Array.of((signature[64] ?? 0) ^ 1);
  const mirrored = fixedUintBytes(SECP256K1_ORDER - s, 32);
  const high = concatBytes(signature.subarray(0, 32), mirrored, flipped);
  assert.equal(suite.recover(DIGEST, high), undefined);
});

const MALFORMED = [
  { what: "recovery id 2", edit: (bytes: Uint8Array) => bytes.with(64, 2) },
  { what: "recovery id 27", edit: (bytes: Uint8Array) => bytes.with(64, 27) },
  { what: "r of zero", edit: (bytes: Uint8Array) => bytes.slice().fill(0, 0, 32) },
  { what: "s of zero", edit: (bytes: Uint8Array) => bytes.slice().fill(0, 32, 64) },
  { what: "r above the order", edit: (bytes: Uint8Array) => bytes.slice().fill(255, 0, 32) },
  { what: "64 bytes", edit: (bytes: Uint8Array) => bytes.slice(0, 64) },
  { what: "66 bytes", edit: (bytes: Uint8Array) => concatBytes(bytes, Uint8Array.of(0)) },
] as const;
for (const row of MALFORMED) {
  test(`a signature with ${row.what} recovers to nothing`, () => {
    assert.equal(suite.recover(DIGEST, row.edit(suite.sign(DIGEST, KEY))), undefined);
  });
}

test("a backend replaces only the primitives it gives", () => {
  const seen: number[] = [];
  const counted = createStandardSuite({
    keccak256(data) {
      seen.push(data.length);
      return NOBLE_BACKEND.keccak256(data);
    },
  });
  counted.address(counted.publicKey(KEY));
  assert.deepEqual(seen, [64]);
});
