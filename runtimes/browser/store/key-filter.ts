/** A Bloom filter over keys: tells most segments that do not hold a key without looking at them. */
import type { StoreKey } from "../../../core/ports/store.ts";

/** About one key in a hundred passes that is not there. */
const BITS_PER_KEY = 10;
const PROBES = 6;

/** The two numbers that the probes of a key come from. */
export interface KeyHash {
  readonly first: number;
  readonly second: number;
}

/** Hashes a key once for all filters. */
export function keyHash(key: StoreKey): KeyHash {
  let first = 0x811c_9dc5;
  let second = 0x9e37_79b9;
  for (let index = 0; index < key.length; index++) {
    const unit = key.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x0100_0193);
    second = Math.imul((second ^ unit) + (second >>> 15), 0x85eb_ca6b);
  }
  first ^= first >>> 15;
  second ^= second >>> 13;
  return { first: first >>> 0, second: (second | 1) >>> 0 };
}

/** An empty filter for this many keys. */
export function createFilter(keys: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Math.max(8, Math.ceil((keys * BITS_PER_KEY) / 8)));
}

function probe(filter: Uint8Array, { first, second }: KeyHash, index: number): number {
  return ((first + Math.imul(index, second)) >>> 0) % (filter.length * 8);
}

/** Puts a key in. */
export function addToFilter(filter: Uint8Array, hash: KeyHash): void {
  for (let index = 0; index < PROBES; index++) {
    const bit = probe(filter, hash, index);
    filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }
}

/** False: the key was never put in. */
export function mayHold(filter: Uint8Array, hash: KeyHash): boolean {
  for (let index = 0; index < PROBES; index++) {
    const bit = probe(filter, hash, index);
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
