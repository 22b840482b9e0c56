/** The hash of table rows up to version 2.4. Source: tx-block-codec 12.4 */
import { sha256 } from "@noble/hashes/sha2.js";
import type { HashFunction } from "./merkle.ts";
import type { CryptoSuite } from "./suite.ts";

/** SHA-256 on a standard chain, the chain hash on a national one. Source: tx-block-codec 12.4 */
export function legacyStateHash(suite: CryptoSuite): HashFunction {
  return suite.name === "standard" ? (data) => sha256(data) : suite.hash;
}
