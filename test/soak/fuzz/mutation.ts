/** Messages that somebody might have meant: recorded ones, changed at random. */
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { encodeRlp } from "../../../core/bytes/rlp.ts";
import type { Random } from "../../simulation/random.ts";
import { decodeRlp, type RlpItem } from "../../support/codecs/rlp-tree.ts";

/** Bytes near the limits of lengths and numbers. */
const EDGES = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xf7, 0xf8, 0xff];
/** Headers decide most: so often a change hits one of the first bytes. */
const HEAD_SHARE = 0.5;
const HEAD_BYTES = 40;
/** So often a change keeps the form of RLP. */
const TREE_SHARE = 0.7;
const MOST_CHANGES = 4;
const LONGEST = 300_000;
/** Items of a list that a change examines. */
const MOST_ITEMS = 64;

function place(bytes: Uint8Array, random: Random): number {
  const end = random.chance(HEAD_SHARE) ? Math.min(HEAD_BYTES, bytes.length) : bytes.length;
  return random.below(Math.max(1, end));
}

/** Random bytes, up to a length. */
export function noise(random: Random, most: number): Uint8Array {
  return Uint8Array.from({ length: random.below(most + 1) }, () => random.below(256));
}

type Change = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array;

function withByte(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const changed = bytes.slice();
  if (at < changed.length) changed[at] = value;
  return changed;
}

const BYTE_CHANGES: readonly Change[] = [
  (bytes, random) => withByte(bytes, place(bytes, random), random.below(256)),
  (bytes, random) => withByte(bytes, place(bytes, random), random.pick(EDGES)),
  (bytes, random) => {
    const at = place(bytes, random);
    return withByte(bytes, at, (bytes[at] ?? 0) ^ (1 << random.below(8)));
  },
  (bytes, random) => bytes.slice(0, place(bytes, random)),
  (bytes, random) => {
    const at = place(bytes, random);
    return concatBytes(bytes.subarray(0, at), noise(random, 40), bytes.subarray(at));
  },
  (bytes, random) => {
    const at = place(bytes, random);
    return concatBytes(bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(40)));
  },
  (bytes, random) => {
    const at = place(bytes, random);
    return concatBytes(bytes, bytes.subarray(at));
  },
  (bytes, random, other) =>
    concatBytes(bytes.subarray(0, place(bytes, random)), other.subarray(place(other, random))),
];

/** A number far from what is meant. */
function strangeNumber(random: Random): Uint8Array {
  const size = random.pick([0, 1, 2, 4, 6, 7, 8, 9, 32, 33]);
  const fill = random.pick([0xff, 0x7f, 0x80, 0x01]);
  return new Uint8Array(size).fill(fill);
}

function changedLeaf(leaf: Uint8Array, random: Random): RlpItem {
  switch (random.below(5)) {
    case 0:
      return strangeNumber(random);
    case 1:
      return [leaf];
    case 2:
      return new Uint8Array(0);
    default:
      return leaf.length === 0
        ? strangeNumber(random)
        : random.pick(BYTE_CHANGES)(leaf, random, leaf);
  }
}

/** Changes one item of a tree and keeps the encoding whole. */
function changedItem(item: RlpItem, random: Random): RlpItem {
  if (item instanceof Uint8Array) return changedLeaf(item, random);
  const list = [...item];
  if (list.length === 0) return random.chance(0.5) ? noise(random, 8) : [[]];
  const at = random.below(Math.min(list.length, MOST_ITEMS));
  const chosen = list[at] as RlpItem;
  const other = random.below(list.length);
  switch (random.below(8)) {
    case 0:
      return list.toSpliced(at, 1);
    case 1:
      return list.toSpliced(at, 0, chosen);
    case 2:
      return list.with(at, list[other] as RlpItem).with(other, chosen);
    case 3:
      return [...list, noise(random, 8)];
    default:
      return list.with(at, changedItem(chosen, random));
  }
}

/** One change that keeps the outer form; undefined when the bytes are not RLP. */
function changedTree(bytes: Uint8Array, random: Random): Uint8Array | undefined {
  const tree = decodeRlp(bytes);
  if (tree === undefined || tree instanceof Uint8Array) return undefined;
  return encodeRlp(changedItem(tree, random));
}

/**
 * A message with one to four changes. RLP keeps its form in most cases, so that the change reaches
 * what reads the fields.
 */
export function mutate(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array {
  let changed = bytes;
  const changes = random.chance(0.6) ? 1 : 1 + random.below(MOST_CHANGES);
  for (let left = changes; left > 0; left--) {
    const tree = random.chance(TREE_SHARE) ? changedTree(changed, random) : undefined;
    changed = tree ?? random.pick(BYTE_CHANGES)(changed, random, other);
  }
  return changed.length > LONGEST ? changed.slice(0, LONGEST) : changed;
}
