/** The standard suite: Keccak-256 and recoverable secp256k1 signatures. Source: tx-block-codec 1 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes } from "../bytes/bytes.ts";
import { addressOf } from "../bytes/hex.ts";
import { sm2VerifyDigest } from "./sm2.ts";
import type { CryptoSuite, StandardBackend } from "./suite.ts";

/** Serialised length: r(32) s(32) v(1). Source: tx-block-codec 1 */
const SIGNATURE_BYTES = 65;
/** Order of secp256k1; the national suite bounds r and s by it too. Source: tx-block-codec 2.2 */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The default backend: audited, portable, and the oracle for the faster ones. */
export const NOBLE_BACKEND: StandardBackend = {
  keccak256: (data) => keccak_256(data),
  sign(digest, privateKey) {
    const options = { prehash: false, format: "recovered", lowS: true } as const;
    const signature = secp256k1.sign(digest, privateKey, options);
    return concatBytes(signature.subarray(1), signature.subarray(0, 1));
  },
  recover(digest, signature) {
    if (!isWellFormed(digest, signature)) return undefined;
    try {
      const idFirst = concatBytes(signature.subarray(64), signature.subarray(0, 64));
      const parsed = secp256k1.Signature.fromBytes(idFirst, "recovered");
      if (parsed.hasHighS()) return undefined;
      return parsed.recoverPublicKey(digest).toBytes(false).slice(1);
    } catch {
      // The library throws for r, s out of range and for points that are not on the curve.
      return undefined;
    }
  },
  publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, false).slice(1),
  verifySm2: sm2VerifyDigest,
};

/** Ids 2 and 3 (r above the group order) are not signatures here. Source: tx-block-codec 2.2 */
function isWellFormed(digest: Uint8Array, signature: Uint8Array): boolean {
  return digest.length === 32 && signature.length === SIGNATURE_BYTES && (signature[64] ?? 2) < 2;
}

/**
 * The standard suite over the given primitives; what is not given comes from the default backend.
 * Source: tx-block-codec 1
 */
export function createStandardSuite(backend: Partial<StandardBackend> = {}): CryptoSuite {
  const { keccak256, ...signatures } = { ...NOBLE_BACKEND, ...backend };
  return {
    ...signatures,
    name: "standard",
    signatureBytes: SIGNATURE_BYTES,
    hash: keccak256,
    address: (key) => addressOf(keccak256(key).subarray(12)),
  };
}
