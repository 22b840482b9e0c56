/**
 * How certificates of either kind of chain are signed: ECDSA with SHA-256 on secp256k1, or SM2 with
 * SM3. Source: generator 5; sm-suite 7
 */
import { publicKeyOfPoint, signSha256, verifySha256 } from "./ecdsa-sha256.ts";
import { sm2KeyOfPoint, sm2PublicKey } from "./sm2.ts";
import { signSm3, verifySm3 } from "./sm2-with-sm3.ts";
import { NOBLE_BACKEND } from "./standard.ts";
import type { SuiteName } from "./suite.ts";

/** Keys and signatures of certificates. */
export interface CertificateCrypto {
  /** The 64-byte public key. @throws for bytes that are no private key */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** The 64 bytes X and Y of a point, compressed or not; undefined when it is not on the curve. */
  publicKeyOfPoint(point: Uint8Array): Uint8Array | undefined;
  /** DER. */
  sign(message: Uint8Array, privateKey: Uint8Array): Uint8Array;
  /** Whether the DER signature is by the 64-byte public key. */
  verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean;
}

/** By the suite of the chain that the certificates belong to. */
export const CERTIFICATE_CRYPTO: Readonly<Record<SuiteName, CertificateCrypto>> = {
  standard: {
    publicKey: NOBLE_BACKEND.publicKey,
    publicKeyOfPoint,
    sign: signSha256,
    verify: verifySha256,
  },
  national: {
    publicKey: sm2PublicKey,
    publicKeyOfPoint: sm2KeyOfPoint,
    sign: signSm3,
    verify: verifySm3,
  },
};
