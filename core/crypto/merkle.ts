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

function levelAbove(level: readonly Uint8Array[], hash: HashFunction): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let start = 0; start < level.length; start += WIDTH) {
    above.push(hash(concatBytes(...level.slice(start, start + WIDTH))));
  }
  return above;
}

/** Writes an item's hash into a target. */
type PutHash = (index: number, target: Uint8Array, at: number) => void;

const HASH_BYTES = 32;
/** Most bytes of an index as RLP: no block has this many items. */
const INDEX_BYTES = 5;
/** Indices above do not fit into this many bytes. */
const MOST_LEAVES = 2 ** 32;

/** Writes an index as RLP; the position after it. */
function putIndex(index: number, target: Uint8Array, at: number): number {
  if (index < 0x80) {
    target[at] = index === 0 ? 0x80 : index;
    return at + 1;
  }
  const count = index < 0x100 ? 1 : index < 0x1_0000 ? 2 : index < 0x100_0000 ? 3 : 4;
  target[at] = 0x80 + count;
  for (let i = count, rest = index; i > 0; i--, rest >>>= 8) target[at + i] = rest & 0xff;
  return at + 1 + count;
}

/**
 * The root over items whose hashes are put where they are wanted: the leaves of a large block need
 * no arrays of their own. Source: tx-block-codec 8.1, 8.2
 */
export function merkleRootOf(count: number, put: PutHash, hash: HashFunction): Uint8Array {
  const room = new Uint8Array(WIDTH * (INDEX_BYTES + HASH_BYTES));
  let level: Uint8Array[] = [];
  for (let start = 0; start < count; start += WIDTH) {
    let at = 0;
    for (let index = start; index < Math.min(start + WIDTH, count); index++) {
      at = putIndex(index, room, at);
      put(index, room, at);
      at += HASH_BYTES;
    }
    level.push(hash(room.subarray(0, at)));
  }
  // A leaf alone is hashed once, not as a level of its own.
  if (count <= 1) return level[0] ?? hash(new Uint8Array(0));
  while (level.length > 1) level = levelAbove(level, hash);
  return hash(level[0] ?? new Uint8Array(0));
}

/** The root over the items' hashes; the hash of nothing for none. Source: tx-block-codec 8.2 */
export function merkleRoot(hashes: readonly Uint8Array[], hash: HashFunction): Uint8Array {
  const put: PutHash = (index, target, at) => target.set(hashes[index] ?? [], at);
  return merkleRootOf(hashes.length, put, hash);
}

/** All levels over the hashes of items, leaves first: what many proofs of one block share. */
export type MerkleTree = readonly (readonly Uint8Array[])[];

/** The tree over the items' hashes, in order. Source: tx-block-codec 8.2 */
export function merkleTree(hashes: readonly Uint8Array[], hash: HashFunction): MerkleTree {
  let level = hashes.map((itemHash, index) => merkleLeaf(index, itemHash));
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

/** Whether a neighbour of a leaf begins with its own index, and is as long as that makes it. */
function isLeafAt(node: Uint8Array, index: number): boolean {
  const start = new Uint8Array(INDEX_BYTES);
  const length = putIndex(index, start, 0);
  return (
    node.length === length + HASH_BYTES &&
    equalBytes(node.subarray(0, length), start.subarray(0, length))
  );
}

/**
 * Whether a proof is cut as {@link proofIn} cuts it. The hash of a level does not tell where one
 * node ends and the next begins: `82 01 01 ...` is the leaf 257, and after two bytes that a
 * Byzantine node counts to its neighbours the leaf 1. Source: tx-block-codec 8.1, 8.4
 */
function isCutFor(index: number, proof: readonly ProofLevel[]): boolean {
  let position = index;
  for (const [height, { left, right }] of proof.slice(0, -1).entries()) {
    const place = position % WIDTH;
    if (left.length !== place || place + 1 + right.length > WIDTH) return false;
    const isNode = (node: Uint8Array, at: number) =>
      height === 0 ? isLeafAt(node, at) : node.length === HASH_BYTES;
    if (!left.every((node, i) => isNode(node, position - place + i))) return false;
    if (!right.every((node, i) => isNode(node, position + 1 + i))) return false;
    position = (position - place) / WIDTH;
  }
  const last = proof.at(-1);
  return position === 0 && last?.left.length === 0 && last.right.length === 0;
}

/** Whether the proof shows the claim, and no other. Source: tx-block-codec 8.4 */
export function verifyProof(
  claim: MerkleClaim,
  proof: readonly ProofLevel[],
  hash: HashFunction,
): boolean {
  const { index, itemHash } = claim;
  const isIndex = Number.isInteger(index) && index >= 0 && index < MOST_LEAVES;
  // Without a level the "root" would be the leaf itself.
  if (!isIndex || itemHash.length !== HASH_BYTES || !isCutFor(index, proof)) return false;
  return equalBytes(foldProof(merkleLeaf(claim.index, claim.itemHash), proof, hash), claim.root);
}
