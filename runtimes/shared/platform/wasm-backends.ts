/**
 * Primitives of the suites in WebAssembly, each giving the same bytes as the reference: for Node,
 * browsers, and whatever may compile WebAssembly. Source: tx-block-codec 1
 */
import type * as LibauthSecp256k1 from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { createKeccak, createSM3 } from "hash-wasm";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import type { NationalBackend, StandardBackend } from "../../../core/crypto/suite.ts";

/** The part of the backend that signs and recovers. */
export type SignatureBackend = Omit<StandardBackend, "keccak256" | "verifySm2">;

/** Half of the curve's order, big-endian: the greatest s that counts as low. */
const HALF_ORDER = 0x7fffffff_ffffffff_ffffffff_ffffffff_5d576e73_57a4501d_dfe92f46_681b20a0n;
const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
const S_OFFSET = 32;
const V_OFFSET = 64;
const HALF_ORDER_BYTES = Uint8Array.from({ length: 32 }, (_, at) =>
  Number((HALF_ORDER >> BigInt(8 * (31 - at))) & 0xffn),
);

function isLow(signature: Uint8Array): boolean {
  for (let at = 0; at < HALF_ORDER_BYTES.length; at++) {
    const difference = (signature[S_OFFSET + at] ?? 0) - (HALF_ORDER_BYTES[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/** True for 65 bytes r s v with s in the lower half and v 0 or 1; the engine checks the rest. */
export function isCanonical(digest: Uint8Array, signature: Uint8Array): boolean {
  if (digest.length !== DIGEST_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  return (signature[V_OFFSET] ?? 2) <= 1 && isLow(signature);
}

/** 65 bytes r s v. */
export function recoverable(compact: Uint8Array, recoveryId: number): Uint8Array {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  signature.set(compact);
  signature[V_OFFSET] = recoveryId;
  return signature;
}

/** libsecp256k1 as WebAssembly; undefined where it cannot be compiled. */
export async function createWasmSignatures(): Promise<SignatureBackend | undefined> {
  let engine: Awaited<ReturnType<typeof LibauthSecp256k1.instantiateSecp256k1>>;
  try {
    // The package's own entry carries its whole library along, and does not survive bundling.
    const { instantiateSecp256k1 } = await import("@bitauth/libauth/build/lib/crypto/secp256k1.js");
    engine = await instantiateSecp256k1();
  } catch {
    return undefined;
  }
  const noble = createStandardSuite();
  return {
    sign(digest, privateKey) {
      const signed = engine.signMessageHashRecoverableCompact(privateKey, digest);
      // The engine explains a refusal in words; noble throws for the same arguments.
      if (typeof signed === "string") return noble.sign(digest, privateKey);
      return recoverable(signed.signature, signed.recoveryId);
    },
    recover(digest, signature) {
      if (!isCanonical(digest, signature)) return undefined;
      const v = signature[V_OFFSET] === 1 ? 1 : 0;
      const compact = signature.subarray(0, V_OFFSET);
      const point = engine.recoverPublicKeyUncompressed(compact, v, digest);
      return typeof point === "string" ? undefined : point.subarray(1);
    },
    publicKey(privateKey) {
      const point = engine.derivePublicKeyUncompressed(privateKey);
      return typeof point === "string" ? noble.publicKey(privateKey) : point.subarray(1);
    },
  };
}

/** Keccak-256 as WebAssembly; undefined where it cannot be compiled. */
export async function createWasmKeccak(): Promise<StandardBackend["keccak256"] | undefined> {
  try {
    const hasher = await createKeccak(256);
    return (data) => hasher.init().update(data).digest("binary");
  } catch {
    return undefined;
  }
}

/** SM3 as WebAssembly; undefined where it cannot be compiled. */
export async function createWasmSm3(): Promise<NationalBackend["sm3"] | undefined> {
  try {
    const hasher = await createSM3();
    return (data) => hasher.init().update(data).digest("binary");
  } catch {
    return undefined;
  }
}
