/**
 * Fast primitives of the standard suite on Node, each giving the same bytes as noble.
 * Source: tx-block-codec 1
 */
import { createRequire } from "node:module";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { Log } from "../../../core/ports/log.ts";
import { createWasmSm2 } from "../../shared/platform/sm2-wasm.ts";
import {
  createWasmKeccak,
  createWasmSignatures,
  isCanonical,
  recoverable,
  type SignatureBackend,
} from "../../shared/platform/wasm-backends.ts";

/** Names of the signature engines, fastest first. */
type SignatureEngine = "native" | "wasm" | "noble";
/** Names of the hash engines, fastest first. */
type HashEngine = "wasm" | "noble";

const V_OFFSET = 64;
const POINT_BYTES = 65;

/** Compact r and s, v, the digest, compressed or not, and where the point is put. */
type RecoverCall = [Uint8Array, number, Uint8Array, boolean, Uint8Array];

/** The functions of the native addon that are used; the package has no types of its own. */
interface NativeAddon {
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(...call: RecoverCall): Uint8Array;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
}

/** libsecp256k1 as a native addon; undefined where it is not installed or has no binary. */
export function createNativeSignatures(): SignatureBackend | undefined {
  let addon: NativeAddon;
  try {
    // The package's own entry falls back to a slow JavaScript engine: load the binding itself.
    addon = createRequire(import.meta.url)("secp256k1/bindings.js") as NativeAddon;
  } catch {
    return undefined;
  }
  // Copies of 64 bytes lie on the heap, arrays of 65 would each be allocated outside.
  const point = new Uint8Array(POINT_BYTES);
  return {
    sign(digest, privateKey) {
      const { signature, recid } = addon.ecdsaSign(digest, privateKey);
      return recoverable(signature, recid);
    },
    recover(digest, signature) {
      if (!isCanonical(digest, signature)) return undefined;
      const v = signature[V_OFFSET] ?? 0;
      try {
        addon.ecdsaRecover(signature.subarray(0, V_OFFSET), v, digest, false, point);
        return point.slice(1);
      } catch {
        return undefined;
      }
    },
    publicKey: (privateKey) => addon.publicKeyCreate(privateKey, false).subarray(1),
  };
}

/** Which engines to use; the fastest that loads when absent. */
interface SuiteChoice {
  readonly signatures?: SignatureEngine;
  readonly hash?: HashEngine;
  /** Told which engines are in use. */
  readonly log?: Log;
}

async function loadSignatures(
  choice: SignatureEngine | undefined,
): Promise<{ engine: SignatureEngine; backend: Partial<SignatureBackend> }> {
  if (choice === undefined || choice === "native") {
    const native = createNativeSignatures();
    if (native) return { engine: "native", backend: native };
  }
  if (choice !== "noble") {
    const wasm = await createWasmSignatures();
    if (wasm) return { engine: "wasm", backend: wasm };
  }
  return { engine: "noble", backend: {} };
}

/** The standard suite with the fastest engines that load here; slower ones replace missing ones. */
export async function createNodeSuite(choice: SuiteChoice = {}): Promise<CryptoSuite> {
  const signatures = await loadSignatures(choice.signatures);
  const keccak256 = choice.hash === "noble" ? undefined : await createWasmKeccak();
  const verifySm2 = choice.signatures === "noble" ? undefined : await createWasmSm2();
  choice.log?.write("info", "crypto engines chosen", {
    signatures: signatures.engine,
    hash: keccak256 ? "wasm" : "noble",
  });
  return createStandardSuite({
    ...signatures.backend,
    ...(keccak256 ? { keccak256 } : {}),
    ...(verifySm2 ? { verifySm2 } : {}),
  });
}
