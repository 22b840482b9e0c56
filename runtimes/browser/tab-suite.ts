/** The crypto suite of a chain in a tab, with the fastest engines that load here. */
import { createSmSuite } from "../../core/crypto/national.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import type { CryptoSuite, SuiteName } from "../../core/crypto/suite.ts";
import { createWasmSm2 } from "../shared/platform/sm2-wasm.ts";
import {
  createWasmKeccak,
  createWasmSignatures,
  createWasmSm3,
} from "../shared/platform/wasm-backends.ts";

/** Which engines are worth their download. */
export interface TabSuiteOptions {
  /** secp256k1 in WebAssembly, 170 KiB: for workers that recover signatures all day. */
  readonly recovers: boolean;
}

/** The suite of a name; the reference in the place of what may not be compiled here. */
export async function createTabSuite(
  name: SuiteName,
  { recovers }: TabSuiteOptions,
): Promise<CryptoSuite> {
  if (name === "national") {
    const [sm3, verifyDigest] = await Promise.all([createWasmSm3(), createWasmSm2()]);
    return createSmSuite({ ...(sm3 ? { sm3 } : {}), ...(verifyDigest ? { verifyDigest } : {}) });
  }
  const [keccak256, verifySm2, signatures] = await Promise.all([
    createWasmKeccak(),
    createWasmSm2(),
    recovers ? createWasmSignatures() : undefined,
  ]);
  return createStandardSuite({
    ...signatures,
    ...(keccak256 ? { keccak256 } : {}),
    ...(verifySm2 ? { verifySm2 } : {}),
  });
}
