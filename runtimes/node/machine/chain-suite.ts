/** The crypto suite of a chain on Node, with the fastest engines that load here. */
import { useHexEngine } from "../../../core/bytes/hex.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import type { CryptoSuite, SuiteName } from "../../../core/crypto/suite.ts";
import type { Log } from "../../../core/ports/log.ts";
import { createWasmSm2 } from "../../shared/platform/sm2-wasm.ts";
import { createWasmSm3 } from "../../shared/platform/wasm-backends.ts";
import { createNodeSuite } from "./backends.ts";
import { NATIVE_HEX } from "./native-hex.ts";

// A caller that works with a chain asks for its suite first, in each thread.
useHexEngine(NATIVE_HEX);

async function createNationalSuite(log?: Log): Promise<CryptoSuite> {
  const [sm3, verifyDigest] = await Promise.all([createWasmSm3(), createWasmSm2()]);
  const engines = { signatures: verifyDigest ? "wasm" : "noble", hash: sm3 ? "wasm" : "reference" };
  log?.write("info", "crypto engines chosen", engines);
  return createSmSuite({ ...(sm3 ? { sm3 } : {}), ...(verifyDigest ? { verifyDigest } : {}) });
}

/** The suite of a name. */
export async function createChainSuite(name: SuiteName, log?: Log): Promise<CryptoSuite> {
  if (name === "national") return createNationalSuite(log);
  return createNodeSuite(log ? { log } : {});
}

/** Suites of a thread by name: each is made once, when a ledger first asks for it. */
export function createSuiteCache(): (name: SuiteName) => Promise<CryptoSuite> {
  const suites = new Map<SuiteName, Promise<CryptoSuite>>();
  return (name) => {
    const suite = suites.get(name) ?? createChainSuite(name);
    suites.set(name, suite);
    return suite;
  };
}
