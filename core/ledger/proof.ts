/** Merkle proofs of the transactions and receipts of a stored block. Source: tx-block-codec 8.4 */
import { idBytes } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";
import { type MerkleTree, merkleTree, proofIn, type ProofLevel } from "../crypto/merkle.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { MERKLE_FROM } from "../model/roots.ts";
import type { Version } from "../model/version.ts";

/** What proofs depend on. */
export interface ProofRules {
  readonly suite: CryptoSuite;
  readonly version: Version;
}

/** What the proofs of a block's items share; undefined below 2.2.0, where there are no proofs. */
export function treeOf(hashes: readonly Hash[], rules: ProofRules): MerkleTree | undefined {
  if (rules.version < MERKLE_FROM) return undefined;
  return merkleTree(hashes.map(idBytes), rules.suite.hash);
}

/** The proof of the item at an index; empty without a tree and for an index outside of it. */
export function proofOf(tree: MerkleTree | undefined, index: number): readonly ProofLevel[] {
  const count = tree?.[0]?.length ?? 0;
  const isInside = Number.isInteger(index) && index >= 0 && index < count;
  return tree && isInside ? proofIn(tree, index) : [];
}
