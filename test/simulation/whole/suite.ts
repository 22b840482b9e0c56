/** The crypto suite of a schedule: signatures that name their keys, over a cheaper hash. */
import { addressOf } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import {
  namedBy,
  namedSignatures,
  privateKeyOf,
} from "../../../runtimes/shared/theatre/stage/suite.ts";

const DIGEST_BYTES = 32;

function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = (value >>> 16) & 255;
  bytes[at + 2] = (value >>> 8) & 255;
  bytes[at + 3] = value & 255;
}

/** 128 bits of mixing, spread over 32 bytes; good enough to distinguish contents. */
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

function derive(number: number): Uint8Array {
  const key = new Uint8Array(2 * DIGEST_BYTES);
  const half = privateKeyOf(number);
  key.set(cheapHash(half));
  half[DIGEST_BYTES - 1] = 1;
  key.set(cheapHash(half), DIGEST_BYTES);
  return key;
}

const SIGNATURES = namedSignatures(cheapHash, derive);

/**
 * The suite of a schedule.
 *
 * @param trusting believes the name in a signature (a mutation)
 */
export function createCheapSuite(trusting = false): CryptoSuite {
  const believed = (signature: Uint8Array) =>
    SIGNATURES.publicKey(privateKeyOf(namedBy(signature)));
  return {
    name: "standard",
    hash: cheapHash,
    ...SIGNATURES,
    ...(trusting ? { recover: (_, signature) => believed(signature) } : {}),
    address: (publicKey) => addressOf(cheapHash(publicKey).subarray(12)),
    verifySm2: () => false,
  };
}
