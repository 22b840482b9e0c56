/** The fast verification of SM2 against the reference. */
// rules: sm-suite 4
import assert from "node:assert/strict";
import fc from "fast-check";
import { beforeAll, test } from "vitest";
import { weierstrass } from "@noble/curves/abstract/weierstrass.js";
import { concatBytes, fixedUintBytes } from "../../../core/bytes/bytes.ts";
import {
  SM2_CURVE,
  sm2PublicKey,
  sm2SignDigest,
  sm2VerifyDigest,
} from "../../../core/crypto/sm2.ts";
import type { NationalBackend } from "../../../core/crypto/suite.ts";
import { sm2FieldModule } from "../../../runtimes/shared/platform/sm2-field-wasm.ts";
import { createWasmSm2 } from "../../../runtimes/shared/platform/sm2-wasm.ts";
import { cases } from "../../support/runner/cases.ts";

const { n: ORDER, p: PRIME } = SM2_CURVE;
const BASE = weierstrass(SM2_CURVE).BASE;
const word = (value: bigint): Uint8Array => fixedUintBytes(value, 32);

let verify: NationalBackend["verifyDigest"];
beforeAll(async () => {
  const engine = await createWasmSm2();
  assert.ok(engine);
  verify = engine;
});

test("it accepts what the reference signs and refuses every other digest, r, s and key", () => {
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const secrets = fc.bigInt({ min: 1n, max: ORDER - 2n });
  fc.assert(
    fc.property(bytes32, secrets, fc.nat({ max: 255 }), (digest, secret, bit) => {
      const signature = sm2SignDigest(digest, word(secret));
      const key = sm2PublicKey(word(secret));
      const flip = (bytes: Uint8Array, at: number) =>
        bytes.with(at >> 3, (bytes[at >> 3] ?? 0) ^ (1 << (at & 7)));
      assert.ok(verify(digest, signature, key));
      assert.ok(!verify(flip(digest, bit), signature, key));
      assert.ok(!verify(digest, flip(signature, bit), key));
      assert.ok(!verify(digest, flip(signature, 256 + bit), key));
      assert.ok(!verify(digest, signature, flip(key, 256 + bit)));
    }),
    { numRuns: cases(150) },
  );
});

/** Scalars whose windows begin, end and carry in every way, and those next to the order. */
const SCALARS = [1n, 2n, 3n, 15n, 16n, 17n, 127n, 128n, 129n, 2n ** 255n, 2n ** 224n - 1n];
const EDGES = [...SCALARS, ORDER - 1n, ORDER - 2n, ORDER - 127n];

/** R = s G + t P gives the only r and digest for which s is right; undefined at infinity. */
function forged(s: bigint, t: bigint, secret: bigint) {
  const r = (t - s + ORDER) % ORDER;
  const sum = (s + t * secret) % ORDER;
  if (r === 0n || sum === 0n) return undefined;
  const { x } = BASE.multiplyUnsafe(sum).toAffine();
  const digest = word((((r - x) % ORDER) + ORDER) % ORDER);
  return { digest, signature: concatBytes(word(r), word(s)) };
}

for (const secret of [1n, 2n, 3n, 15n, ORDER - 2n]) {
  test(`scalars at the edges with the key ${secret > 99n ? "n - 2" : secret} verify`, () => {
    const key = sm2PublicKey(word(secret));
    let checked = 0;
    for (const s of EDGES) {
      for (const t of EDGES) {
        const made = forged(s, t, secret);
        if (made === undefined) continue;
        assert.ok(verify(made.digest, made.signature, key), `s ${s} t ${t}`);
        assert.ok(!verify(word(1n), made.signature, key), `s ${s} t ${t}`);
        checked++;
      }
    }
    assert.ok(checked > 150, `${checked}`);
  });
}

test("a sum at infinity, where s G is the opposite of t P, is refused", () => {
  for (const s of [1n, 5n, 127n, ORDER - 3n]) {
    const signature = concatBytes(word((ORDER - 2n * s + ORDER) % ORDER), word(s));
    assert.ok(!verify(word(0n), signature, sm2PublicKey(word(1n))));
  }
});

test("it refuses lengths, ranges and points as the reference does", () => {
  const digest = word(99n);
  const [key, signature] = [sm2PublicKey(word(7n)), sm2SignDigest(digest, word(7n))];
  const s = signature.subarray(32);
  const cases = [
    [signature.subarray(1), key],
    [signature, key.subarray(1)],
    [concatBytes(word(0n), s), key],
    [concatBytes(word(ORDER), s), key],
    [concatBytes(signature.subarray(0, 32), word(0n)), key],
    [concatBytes(signature.subarray(0, 32), word(ORDER)), key],
    [concatBytes(word(ORDER - 5n), word(5n)), key],
    [signature, new Uint8Array(64)],
    [signature, concatBytes(word(PRIME), key.subarray(32))],
    [signature, concatBytes(key.subarray(0, 32), word(1n))],
  ] as const;
  for (const [changed, by] of cases) {
    assert.equal(verify(digest, changed, by), false);
    assert.equal(sm2VerifyDigest(digest, changed, by), false);
  }
  assert.ok(verify(digest, signature, key));
});

test("the module is small enough to be compiled anywhere", () => {
  assert.ok(sm2FieldModule().length <= 4_096);
});
