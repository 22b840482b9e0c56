/** The crypto suite of a chain in a browser or at the edge. Source: sm-suite 1 */
import { createSmSuite } from "../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import type { CryptoSuite, SuiteName } from "../../../core/crypto/suite.ts";
import { createWasmSm2 } from "./sm2-wasm.ts";

/** What names the national suite to an entry; everything else is the standard one. */
export function suiteNameOf(word: unknown): SuiteName {
  return word === "national" ? "national" : "standard";
}

/** The suite of a name; SM2 in WebAssembly where that may be compiled, else the reference. */
export async function createWebSuite(name: SuiteName): Promise<CryptoSuite> {
  if (name === "standard") return createStandardSuite();
  const verifyDigest = await createWasmSm2();
  return createSmSuite(verifyDigest ? { verifyDigest } : {});
}
