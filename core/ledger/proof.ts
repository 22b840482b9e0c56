/** Merkle proofs of the transactions and receipts of a stored block. Source: tx-block-codec 8.4 */
import type { Hash } from "../bytes/ids.ts";
import type { ProofLevel } from "../crypto/merkle.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { itemProof, MERKLE_FROM } from "../model/roots.ts";
import type { Version } from "../model/version.ts";

/** What proofs depend on. */
export interface ProofRules {
  readonly suite: CryptoSuite;
  readonly version: Version;
}

/**
 * The proof of the item at an index.
 *
 * @returns empty for an index outside of the block, and below 2.2.0, where there are no proofs
 */
export function proofOf(
  hashes: readonly Hash[],
  index: number,
  rules: ProofRules,
): readonly ProofLevel[] {
  const isInside = Number.isInteger(index) && index >= 0 && index < hashes.length;
  return isInside && rules.version >= MERKLE_FROM ? itemProof(hashes, index, rules.suite) : [];
}
