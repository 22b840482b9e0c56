/** Proofs made for one item at a time. Source: tx-block-codec 8.4 */
import { idBytes } from "../../../core/bytes/hex.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import {
  type HashFunction,
  merkleTree,
  proofIn,
  type ProofLevel,
} from "../../../core/crypto/merkle.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";

/** The proof of one item by itself. @param index below the number of hashes */
export function merkleProof(
  hashes: readonly Uint8Array[],
  index: number,
  hash: HashFunction,
): ProofLevel[] {
  return proofIn(merkleTree(hashes, hash), index);
}

/** The proof that the item at the index belongs to the root, from 2.2.0 on. */
export function itemProof(
  hashes: readonly Hash[],
  index: number,
  suite: CryptoSuite,
): ProofLevel[] {
  return merkleProof(hashes.map(idBytes), index, suite.hash);
}
