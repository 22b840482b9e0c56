/**
 * SM2 signatures with the user id that the chain always uses: the reference over noble's curve
 * arithmetic. Source: sm-suite 4
 */
import { weierstrass } from "@noble/curves/abstract/weierstrass.js";
import { createHmacDrbg } from "@noble/curves/utils.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bigintOfBytes, concatBytes, fixedUintBytes } from "../bytes/bytes.ts";
import { hexBytes } from "../bytes/hex.ts";
import { invariant } from "../fault/invariant.ts";
import type { HashFunction } from "./merkle.ts";
import { sm3 } from "./sm3.ts";

const SCALAR_BYTES = 32;
/** Length of r and s together. Source: sm-suite 4 */
export const SM2_SIGNATURE_BYTES = 64;
/** Length of X and Y together. Source: sm-suite 4 */
export const SM2_KEY_BYTES = 64;

/** The parameters of sm2p256v1. Source: sm-suite 4 */
export const SM2_CURVE = {
  p: 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffffn,
  n: 0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123n,
  h: 1n,
  a: 0xfffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffcn,
  b: 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93n,
  Gx: 0x32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7n,
  Gy: 0xbc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0n,
} as const;

const Point = weierstrass(SM2_CURVE);
const ORDER = SM2_CURVE.n;

/** The affine coordinates of 1 G, 3 G, 5 G and so on, for tables of faster engines. */
export function sm2BaseMultiples(count: number): readonly (readonly [bigint, bigint])[] {
  const double = Point.BASE.double();
  let multiple = Point.BASE;
  return Array.from({ length: count }, (): readonly [bigint, bigint] => {
    const { x, y } = multiple.toAffine();
    multiple = multiple.add(double);
    return [x, y];
  });
}

/**
 * What is hashed in front of the key: the id's length in bits, the id `1234567812345678`, the
 * curve and its base point. Source: sm-suite 4
 */
const IDENTITY_START = concatBytes(
  hexBytes("008031323334353637383132333435363738"),
  ...[SM2_CURVE.a, SM2_CURVE.b, SM2_CURVE.Gx, SM2_CURVE.Gy].map((value) =>
    fixedUintBytes(value, SCALAR_BYTES),
  ),
);

/**
 * The digest e that is signed: the message behind the signer's identity, so a key's holder signs
 * another digest than the message's hash. Source: sm-suite 4
 */
export function sm2Digest(
  message: Uint8Array,
  publicKey: Uint8Array,
  hash: HashFunction = sm3,
): Uint8Array {
  return hash(concatBytes(hash(concatBytes(IDENTITY_START, publicKey)), message));
}

function mod(value: bigint): bigint {
  const rest = value % ORDER;
  return rest < 0n ? rest + ORDER : rest;
}

/** The 64 bytes X and Y of a 32-byte private key from 1 to n - 2. Source: sm-suite 4 */
export function sm2PublicKey(privateKey: Uint8Array): Uint8Array {
  const secret = bigintOfBytes(privateKey);
  // n - 1 would make 1 + d zero, and the key could not sign.
  invariant(secret > 0n && secret < ORDER - 1n, "a private key is from 1 to n - 2");
  return Point.BASE.multiply(secret).toBytes(false).slice(1);
}

const drbg = createHmacDrbg<Uint8Array>(SCALAR_BYTES, SCALAR_BYTES, signKeyed);

function signKeyed(key: Uint8Array, message: Uint8Array): Uint8Array {
  return hmac(sha256, key, message);
}

/**
 * The signature r(32) s(32) of a digest e. The nonce follows from key and digest as in RFC 6979,
 * so no entropy is needed and equal calls give equal bytes. Source: sm-suite 4
 */
export function sm2SignDigest(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const secret = bigintOfBytes(privateKey);
  invariant(secret > 0n && secret < ORDER - 1n, "a private key is from 1 to n - 2");
  const e = bigintOfBytes(digest);
  const inverse = Point.Fn.inv(secret + 1n);
  const seed = concatBytes(privateKey, fixedUintBytes(mod(e), SCALAR_BYTES));
  return drbg(seed, (candidate) => {
    const nonce = bigintOfBytes(candidate);
    if (nonce === 0n || nonce >= ORDER) return undefined;
    const r = mod(e + Point.BASE.multiply(nonce).x);
    if (r === 0n || r + nonce === ORDER) return undefined;
    const s = mod(inverse * mod(nonce - r * secret));
    if (s === 0n) return undefined;
    return concatBytes(fixedUintBytes(r, SCALAR_BYTES), fixedUintBytes(s, SCALAR_BYTES));
  });
}

/** Whether r(32) s(32) signs the digest e for the 64-byte key. Source: sm-suite 4 */
export function sm2VerifyDigest(
  digest: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (signature.length !== SM2_SIGNATURE_BYTES || publicKey.length !== SM2_KEY_BYTES) return false;
  const r = bigintOfBytes(signature, 0, SCALAR_BYTES);
  const s = bigintOfBytes(signature, SCALAR_BYTES, SM2_SIGNATURE_BYTES);
  if (r === 0n || s === 0n || r >= ORDER || s >= ORDER) return false;
  const t = mod(r + s);
  if (t === 0n) return false;
  const key = pointOf(publicKey);
  if (key === undefined) return false;
  const sum = Point.BASE.multiplyUnsafe(s).add(key.multiplyUnsafe(t));
  return !sum.is0() && mod(bigintOfBytes(digest) + sum.x) === r;
}

/**
 * The 64 bytes X and Y of a point as certificates carry it, compressed or not; undefined when the
 * bytes are no point of the curve. Source: sm-suite 7
 */
export function sm2KeyOfPoint(point: Uint8Array): Uint8Array | undefined {
  return parsedPoint(point)?.toBytes(false).slice(1);
}

function pointOf(publicKey: Uint8Array): InstanceType<typeof Point> | undefined {
  return parsedPoint(concatBytes(Uint8Array.of(4), publicKey));
}

function parsedPoint(point: Uint8Array): InstanceType<typeof Point> | undefined {
  try {
    return Point.fromBytes(point);
  } catch {
    // The library throws for coordinates that are not on the curve.
    return undefined;
  }
}

/** The signature r(32) s(32) of a message. Source: sm-suite 4 */
export function sm2Sign(message: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return sm2SignDigest(sm2Digest(message, sm2PublicKey(privateKey)), privateKey);
}

/** Whether r(32) s(32) signs the message for the 64-byte key. Source: sm-suite 4 */
export function sm2Verify(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (publicKey.length !== SM2_KEY_BYTES) return false;
  return sm2VerifyDigest(sm2Digest(message, publicKey), signature, publicKey);
}
