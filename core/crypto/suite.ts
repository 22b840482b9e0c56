/** The crypto suite of a chain: standard or national. Source: tx-block-codec 1 */
import type { Address } from "../bytes/ids.ts";

/** Hash and signatures of a chain: synchronous and deterministic (RFC 6979 signing). */
export interface CryptoSuite {
  readonly name: "standard" | "national";
  /** Length of a serialised signature: 65 (secp256k1) or 128 (SM2). */
  readonly signatureBytes: number;
  /** The chain hash, 32 bytes. */
  hash(data: Uint8Array): Uint8Array;
  /** Signs a 32-byte digest with a 32-byte private key; low s on secp256k1. */
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
  /** The 64-byte public key that signed the digest; undefined for no signature, or a high s. */
  recover(digest: Uint8Array, signature: Uint8Array): Uint8Array | undefined;
  /** The 64-byte public key of a private key. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Last 20 bytes of the hash of a 64-byte public key. */
  address(publicKey: Uint8Array): Address;
  /** Verification of SM2, which contracts of every chain may ask for. Source: precompiles 16 */
  readonly verifySm2: NationalBackend["verifyDigest"];
}

/** Which suite a chain has; it never changes after genesis. Source: sm-suite 1 */
export type SuiteName = CryptoSuite["name"];

/**
 * The primitives a runtime may replace by faster ones that give the same bytes; noble is the
 * default and the oracle.
 */
export interface StandardBackend {
  keccak256(data: Uint8Array): Uint8Array;
  /** 65 bytes r s v, v 0 or 1, low s. */
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
  /** As {@link CryptoSuite.recover}. */
  recover(digest: Uint8Array, signature: Uint8Array): Uint8Array | undefined;
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** As {@link CryptoSuite.verifySm2}. */
  readonly verifySm2: NationalBackend["verifyDigest"];
}

/**
 * The primitives of the national suite that a runtime may replace by faster ones that give the same
 * bytes. Digests here are SM2's own, made from the signer's identity and the message.
 * Source: sm-suite 4
 */
export interface NationalBackend {
  sm3(data: Uint8Array): Uint8Array;
  /** 64 bytes r s. */
  signDigest(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
  /** Whether 64 bytes r s are the 64-byte key's signature of the digest. */
  verifyDigest(digest: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean;
  publicKey(privateKey: Uint8Array): Uint8Array;
}
