/**
 * The width-16 Merkle tree of transactions and receipts: roots, proofs and their verification.
 * Source: tx-block-codec 8
 */
import { concatBytes, equalBytes } from "../bytes/bytes.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { invariant } from "../fault/invariant.ts";

/** The chain hash. */
export type HashFunction = (data: Uint8Array) => Uint8Array;

/** How many neighbours are hashed together. Source: tx-block-codec 8.2 */
const WIDTH = 16;

/** One level of a proof: the siblings before and after. Source: tx-block-codec 8.4 */
export interface ProofLevel {
  readonly left: readonly Uint8Array[];
  readonly right: readonly Uint8Array[];
}

/** The leaf of an item: RLP of its index, then its hash. Source: tx-block-codec 8.1 */
export function merkleLeaf(index: number, itemHash: Uint8Array): Uint8Array {
  return concatBytes(encodeRlp(index), itemHash);
}

function leavesOf(hashes: readonly Uint8Array[]): Uint8Array[] {
  return hashes.map((itemHash, index) => merkleLeaf(index, itemHash));
}

function levelAbove(level: readonly Uint8Array[], hash: HashFunction): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let start = 0; start < level.length; start += WIDTH) {
    above.push(hash(concatBytes(...level.slice(start, start + WIDTH))));
  }
  return above;
}

/**
 * The root over the items' hashes, in order; the hash of nothing when there is none.
 *
 * Source: tx-block-codec 8.2
 */
export function merkleRoot(hashes: readonly Uint8Array[], hash: HashFunction): Uint8Array {
  let level = leavesOf(hashes);
  while (level.length > 1) level = levelAbove(level, hash);
  return hash(level[0] ?? new Uint8Array(0));
}

/** All levels over the hashes of items, leaves first: what many proofs of one block share. */
export type MerkleTree = readonly (readonly Uint8Array[])[];

/** The tree over the items' hashes, in order. Source: tx-block-codec 8.2 */
export function merkleTree(hashes: readonly Uint8Array[], hash: HashFunction): MerkleTree {
  let level = leavesOf(hashes);
  const tree = [level];
  while (level.length > 1) {
    level = levelAbove(level, hash);
    tree.push(level);
  }
  return tree;
}

/**
 * The proof of one item of a tree: a level per step up and a last one that is empty.
 *
 * @param index below the number of leaves
 * Source: tx-block-codec 8.4
 */
export function proofIn(tree: MerkleTree, index: number): ProofLevel[] {
  const count = tree[0]?.length ?? 0;
  invariant(Number.isInteger(index) && index >= 0 && index < count, "the leaf exists");
  const proof: ProofLevel[] = [];
  let position = index;
  for (const level of tree.slice(0, -1)) {
    const start = position - (position % WIDTH);
    const left = level.slice(start, position);
    const right = level.slice(position + 1, start + WIDTH);
    proof.push({ left, right });
    position = start / WIDTH;
  }
  proof.push({ left: [], right: [] });
  return proof;
}

/** The proof of one item by itself. @param index below the number of hashes */
export function merkleProof(
  hashes: readonly Uint8Array[],
  index: number,
  hash: HashFunction,
): ProofLevel[] {
  return proofIn(merkleTree(hashes, hash), index);
}

/** The root that a proof leads to from a leaf. Source: tx-block-codec 8.4 */
export function foldProof(
  leaf: Uint8Array,
  proof: readonly ProofLevel[],
  hash: HashFunction,
): Uint8Array {
  let current = leaf;
  for (const { left, right } of proof) current = hash(concatBytes(...left, current, ...right));
  return current;
}

/** What a proof claims: this item is at this index below this root. */
export interface MerkleClaim {
  readonly index: number;
  /** Transaction hash, or hash of the receipt's encoding. */
  readonly itemHash: Uint8Array;
  readonly root: Uint8Array;
}

/** Whether the proof shows the claim. Source: tx-block-codec 8.4 */
export function verifyProof(
  claim: MerkleClaim,
  proof: readonly ProofLevel[],
  hash: HashFunction,
): boolean {
  // Without a level the "root" would be the leaf itself.
  if (proof.length === 0) return false;
  return equalBytes(foldProof(merkleLeaf(claim.index, claim.itemHash), proof, hash), claim.root);
}
