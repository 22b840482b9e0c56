/**
 * How certificates of either kind of chain are signed: ECDSA with SHA-256 on secp256k1, or SM2 with
 * SM3 under the default user id. Transactions and votes use the chain's suite instead.
 * Source: generator 5; sm-suite 4, 7
 */
import { DER } from "@noble/curves/abstract/weierstrass.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bigintOfBytes, concatBytes, fixedUintBytes } from "../bytes/bytes.ts";
import { hexBytes } from "../bytes/hex.ts";
import { SM2_SIGNATURE_BYTES, sm2KeyOfPoint, sm2PublicKey, sm2Sign, sm2Verify } from "./sm2.ts";
import { NOBLE_BACKEND } from "./standard.ts";
import type { SuiteName } from "./suite.ts";

/** Keys and signatures of certificates. */
interface CertificateCrypto {
  /** The 64-byte public key. @throws for bytes that are no private key */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** The 64 bytes X and Y of a point, compressed or not; undefined when it is not on the curve. */
  publicKeyOfPoint(point: Uint8Array): Uint8Array | undefined;
  /** DER. */
  sign(message: Uint8Array, privateKey: Uint8Array): Uint8Array;
  /** Whether the DER signature is by the 64-byte public key. */
  verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean;
}

const UNCOMPRESSED = Uint8Array.of(4);
const SCALAR_BYTES = SM2_SIGNATURE_BYTES / 2;
/** More than two scalars with their tags and signs need; checked before anything is parsed. */
const MOST_DER_BYTES = 72;

/** By the suite of the chain that the certificates belong to. Source: node-network 1 */
export const CERTIFICATE_CRYPTO: Readonly<Record<SuiteName, CertificateCrypto>> = {
  standard: {
    publicKey: NOBLE_BACKEND.publicKey,
    publicKeyOfPoint(point) {
      try {
        return secp256k1.Point.fromBytes(point).toBytes(false).slice(1);
      } catch {
        return undefined;
      }
    },
    sign: (message, key) => secp256k1.sign(message, key, { format: "der", prehash: true }),
    verify(message, signature, publicKey) {
      const key = concatBytes(UNCOMPRESSED, publicKey);
      // openssl writes a low or a high s.
      const options = { format: "der", prehash: true, lowS: false } as const;
      try {
        return secp256k1.verify(signature, message, key, options);
      } catch {
        // The library throws for text that is no signature and for points off the curve.
        return false;
      }
    },
  },
  national: {
    publicKey: sm2PublicKey,
    publicKeyOfPoint: sm2KeyOfPoint,
    sign(message, privateKey) {
      const signature = sm2Sign(message, privateKey);
      const r = bigintOfBytes(signature, 0, SCALAR_BYTES);
      const s = bigintOfBytes(signature, SCALAR_BYTES, SM2_SIGNATURE_BYTES);
      return hexBytes(DER.hexFromSig({ r, s }));
    },
    verify(message, signature, publicKey) {
      const scalars = scalarsOf(signature);
      return scalars !== undefined && sm2Verify(message, scalars, publicKey);
    },
  },
};

/** r(32) s(32) of a DER signature; undefined when the bytes are none. */
function scalarsOf(signature: Uint8Array): Uint8Array | undefined {
  if (signature.length > MOST_DER_BYTES) return undefined;
  try {
    const { r, s } = DER.toSig(signature);
    return concatBytes(fixedUintBytes(r, SCALAR_BYTES), fixedUintBytes(s, SCALAR_BYTES));
  } catch {
    // The library throws for bytes that are not DER, ours for numbers of more than 32 bytes.
    return undefined;
  }
}

/** Length of a key identifier: the leftmost 160 bits of a hash of the key. */
const KEY_IDENTIFIER_BYTES = 20;

/** The identifier of a 64-byte public key in certificates. Source: generator 5 */
export function keyIdentifierOf(publicKey: Uint8Array): Uint8Array {
  return sha256(publicKey).slice(0, KEY_IDENTIFIER_BYTES);
}
