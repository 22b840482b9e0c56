/**
 * Signatures of certificates: ECDSA over secp256k1 with SHA-256, in DER. Transactions and votes use
 * the chain's suite instead. Source: generator 5
 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";

/** Length of a key identifier: the leftmost 160 bits of a hash of the key. */
const KEY_IDENTIFIER_BYTES = 20;

/** The DER signature of a message by a 32-byte private key. */
export function signSha256(message: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return secp256k1.sign(message, privateKey, { format: "der", prehash: true });
}

/**
 * Whether the DER signature of the message is by the 64-byte public key. A high s is accepted:
 * openssl writes either.
 */
export function verifySha256(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  const key = new Uint8Array(65);
  key[0] = 4;
  key.set(publicKey, 1);
  try {
    return secp256k1.verify(signature, message, key, { format: "der", prehash: true, lowS: false });
  } catch {
    // The library throws for text that is no signature and for points that are not on the curve.
    return false;
  }
}

/**
 * The 64 bytes X and Y of a point as certificates carry it, compressed or not; undefined when the
 * bytes are no point of the curve. Source: node-network 1
 */
export function publicKeyOfPoint(point: Uint8Array): Uint8Array | undefined {
  try {
    return secp256k1.Point.fromBytes(point).toBytes(false).slice(1);
  } catch {
    return undefined;
  }
}

/** The identifier of a 64-byte public key in certificates. Source: generator 5 */
export function keyIdentifierOf(publicKey: Uint8Array): Uint8Array {
  return sha256(publicKey).slice(0, KEY_IDENTIFIER_BYTES);
}
