/** One scenario that must give the same hashes on Node, in Chromium and in workerd. */
import { encodeRlp } from "../../core/bytes/rlp.ts";
import { toPrefixedHex } from "../../core/bytes/hex.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";

/** What the scenario computed, in order. */
export interface ScenarioResult {
  readonly hashes: readonly string[];
}

const PRIVATE_KEY = new Uint8Array(32).fill(7);

/** Encodes, hashes, signs and recovers with core alone. */
export async function runScenario(): Promise<ScenarioResult> {
  const suite = createStandardSuite();
  const encoded = encodeRlp([1n, "chain".length, new Uint8Array(64), [2n ** 255n]]);
  const digest = suite.hash(encoded);
  const signature = suite.sign(digest, PRIVATE_KEY);
  const signer = suite.recover(digest, signature) ?? new Uint8Array(0);
  return { hashes: [toPrefixedHex(digest), toPrefixedHex(signature), suite.address(signer)] };
}
