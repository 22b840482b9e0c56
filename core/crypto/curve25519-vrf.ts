/**
 * Verifiable random function over ristretto255: everybody can check that a random number belongs
 * to an input and a key. Source: precompiles 16
 */
import { ristretto255, ristretto255_hasher } from "@noble/curves/ed25519.js";
import { keccak_256, sha3_512 } from "@noble/hashes/sha3.js";
import { type ByteString, bytesOf } from "../bytes/byte-string.ts";
import { bigintOfBytes } from "../bytes/bytes.ts";
import { fromHex, toHex } from "../bytes/hex.ts";
import { invariant } from "../fault/invariant.ts";

type Point = InstanceType<typeof ristretto255.Point>;

const { Point } = ristretto255;
const { deriveToCurve } = ristretto255_hasher;
const ORDER = Point.Fn.ORDER;
/** Lower-case digits of 32 bytes: the texts are hashed as they come. */
const ENCODED = /^[0-9a-f]{64}$/;
const COFACTOR = 8n;

/** A proof with what it proves. */
export interface VrfStatement {
  readonly input: ByteString;
  /** 64 lower-case hexadecimal digits of a point. */
  readonly publicKey: ByteString;
  /** gamma, c and s in hexadecimal, with a vertical bar between them. */
  readonly proof: ByteString;
}

/** What a proof takes, and each byte of its texts, in units of 5 ns. Measured. */
const PROOF_WORK = 1_000_000;
const BYTE_WORK = 40;

/** What checking the statement takes at most, in units of 5 ns. */
export function vrfWork({ input, publicKey, proof }: VrfStatement): number {
  return PROOF_WORK + BYTE_WORK * (input.length + publicKey.length + proof.length);
}

/** Whether the text is the encoding of a point, as public keys must be. Source: precompiles 16 */
export function isVrfPublicKey(text: ByteString): boolean {
  return readPoint(text) !== undefined;
}

/**
 * The 32 random bytes that a proof shows; undefined when it does not prove them. Scalars above the
 * order are refused, so that a statement has one proof text only. Source: precompiles 16
 */
export function vrfRandom({ input, publicKey, proof }: VrfStatement): Uint8Array | undefined {
  const [gammaText = "", cText = "", sText = "", ...rest] = proof.split("|");
  const key = readPoint(publicKey);
  const gamma = readPoint(gammaText);
  const c = readScalar(cText);
  const s = readScalar(sText);
  if (rest.length > 0) return undefined;
  if (key === undefined || gamma === undefined || c === undefined || s === undefined) {
    return undefined;
  }
  const head = `${publicKey}|${input}`;
  const base = hashPoint(head);
  const u = key.multiplyUnsafe(c).add(Point.BASE.multiplyUnsafe(s));
  const v = gamma.multiplyUnsafe(c).add(base.multiplyUnsafe(s));
  const challenge = hashScalar(`${head}|${publicKey}${gammaText}${show(u)}${show(v)}`);
  return challenge === c ? keccak_256(gamma.multiplyUnsafe(COFACTOR).toBytes()) : undefined;
}

function readPoint(text: ByteString): Point | undefined {
  const bytes = ENCODED.test(text) ? fromHex(text) : undefined;
  if (bytes === undefined) return undefined;
  try {
    return Point.fromBytes(bytes);
  } catch {
    // The library throws for bytes that encode no point.
    return undefined;
  }
}

function readScalar(text: ByteString): bigint | undefined {
  const bytes = ENCODED.test(text) ? fromHex(text) : undefined;
  const value = bytes && littleEndian(bytes);
  return value !== undefined && value < ORDER ? value : undefined;
}

function hashScalar(text: ByteString): bigint {
  return littleEndian(sha3_512(bytesOf(text))) % ORDER;
}

function hashPoint(text: ByteString): Point {
  invariant(deriveToCurve !== undefined, "the library maps bytes to points");
  return deriveToCurve(sha3_512(bytesOf(text)));
}

function littleEndian(bytes: Uint8Array): bigint {
  return bigintOfBytes(bytes.slice().reverse());
}

function show(point: Point): string {
  return toHex(point.toBytes());
}
