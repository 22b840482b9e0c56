/**
 * A crypto suite without curves: fast, deterministic, and sound as long as nobody signs with a key
 * that is not his own. A signature names its key and carries a tag of digest and key.
 */
import { addressOf } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";

const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
/** Where a signature names its key, and where its tag begins. */
const KEY_AT = 33;
const TAG_AT = 37;
const TAG_END = 64;

/** The private key of a number. */
export function privateKeyOf(number: number): Uint8Array {
  const key = new Uint8Array(DIGEST_BYTES).fill(7);
  writeNumber(key, 0, number);
  return key;
}

function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = (value >>> 16) & 255;
  bytes[at + 2] = (value >>> 8) & 255;
  bytes[at + 3] = value & 255;
}

function readNumber(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

/** 128 bits of mixing, spread over 32 bytes; good enough to tell contents apart. */
export function cheapHash(data: Uint8Array): Uint8Array {
  let [a, b, c, d] = [1_779_033_703, 3_144_134_277, 1_013_904_242, 2_773_480_762 ^ data.length];
  for (let at = 0; at < data.length; at += 4) {
    const word =
      (data[at] ?? 0) |
      ((data[at + 1] ?? 0) << 8) |
      ((data[at + 2] ?? 0) << 16) |
      ((data[at + 3] ?? 0) << 24);
    a = b ^ Math.imul(a ^ word, 597_399_067);
    b = c ^ Math.imul(b ^ word, 2_869_860_233);
    c = d ^ Math.imul(c ^ word, 951_274_213);
    d = a ^ Math.imul(d ^ word, 2_716_044_179);
  }
  const digest = new Uint8Array(DIGEST_BYTES);
  for (let at = 0; at < DIGEST_BYTES; at += 4) {
    a = Math.imul(b ^ (a >>> 18), 597_399_067);
    b = Math.imul(c ^ (b >>> 22), 2_869_860_233);
    c = Math.imul(d ^ (c >>> 17), 951_274_213);
    d = Math.imul(a ^ (d >>> 19), 2_716_044_179);
    writeNumber(digest, at, a ^ b ^ c ^ d);
  }
  return digest;
}

const publicKeys = new Map<number, Uint8Array>();

function publicKeyOf(number: number): Uint8Array {
  let key = publicKeys.get(number);
  if (!key) {
    key = new Uint8Array(2 * DIGEST_BYTES);
    const half = privateKeyOf(number);
    key.set(cheapHash(half));
    half[DIGEST_BYTES - 1] = 1;
    key.set(cheapHash(half), DIGEST_BYTES);
    publicKeys.set(number, key);
  }
  return key;
}

const tagged = new Uint8Array(DIGEST_BYTES + 4);

function tagOf(digest: Uint8Array, number: number): Uint8Array {
  tagged.set(digest);
  writeNumber(tagged, DIGEST_BYTES, number);
  return cheapHash(tagged);
}

function signatureWith(number: number, tag: Uint8Array): Uint8Array {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  // Neither half may be zero or above half the order of the group: see isScalar of the codec.
  signature.set(tag.subarray(0, DIGEST_BYTES));
  signature[0] = 1;
  writeNumber(signature, KEY_AT, number);
  signature.set(tag.subarray(0, TAG_END - TAG_AT), TAG_AT);
  signature[DIGEST_BYTES] = 1;
  return signature;
}

/** A signature that names a key without having it: valid only where nobody looks. */
export function forgedSignature(number: number): Uint8Array {
  return signatureWith(number, new Uint8Array(DIGEST_BYTES).fill(9));
}

/**
 * The suite of a schedule.
 *
 * @param trusting believes the name in a signature (a mutation)
 */
export function createCheapSuite(trusting = false): CryptoSuite {
  return {
    name: "standard",
    signatureBytes: SIGNATURE_BYTES,
    hash: cheapHash,
    sign: (digest, privateKey) => {
      const number = readNumber(privateKey, 0);
      return signatureWith(number, tagOf(digest, number));
    },
    recover: (digest, signature) => {
      const number = readNumber(signature, KEY_AT);
      if (trusting) return publicKeyOf(number);
      const tag = tagOf(digest, number);
      for (let at = TAG_AT; at < TAG_END; at++)
        if (signature[at] !== tag[at - TAG_AT]) return undefined;
      return publicKeyOf(number);
    },
    publicKey: (privateKey) => publicKeyOf(readNumber(privateKey, 0)),
    address: (publicKey) => addressOf(cheapHash(publicKey).subarray(12)),
    verifySm2: () => false,
  };
}
