/** A multiset of 256-bit nonces in typed arrays: no heap object per nonce. Source: txpool 2, 5 */
import { invariant } from "../fault/invariant.ts";

/** 32-bit words of a nonce. */
const WORDS = 8;
/** Nonces per chunk of the record store: 128 KiB. */
const CHUNK_BITS = 12;
const CHUNK_SIZE = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_SIZE - 1;
const FIRST_SLOTS = 1_024;

/** The nonce that was examined last, and its words: the program has one thread. */
const LIMBS = new BigUint64Array(4);
const KEY = new Uint32Array(LIMBS.buffer);
let loaded = 0n;

/**
 * Records in chunks, found through an open-addressing table. The owner keeps the id that
 * {@link addNonce} gives, so that removal needs no search among equals. A nonce costs 32 bytes for
 * its record and 13 to 26 for its place in the table.
 */
export interface NonceIndex {
  /** Mixed into every hash: a node that chooses nonces must not choose collisions. */
  readonly seed: number;
  readonly chunks: Uint32Array[];
  /** Pairs: id + 1, or 0 for an empty slot, and the hash. Linear probing, at most 5/8 full. */
  slots: Int32Array;
  /** Head of the list of released records, id + 1, threaded through their first words. */
  free: number;
  /** Records ever used. */
  used: number;
  size: number;
}

/** An empty index. */
export function createNonceIndex(seed: number): NonceIndex {
  const slots = new Int32Array(FIRST_SLOTS * 2);
  return { seed: seed | 0, chunks: [], slots, free: 0, used: 0, size: 0 };
}

function load(nonce: bigint): void {
  if (nonce === loaded) return;
  let rest = nonce;
  for (let i = 0; i < LIMBS.length; i++) {
    // The array keeps the low 64 bits of what it is given.
    LIMBS[i] = rest;
    rest >>= 64n;
  }
  loaded = nonce;
}

function hashWords(words: Uint32Array, start: number, seed: number): number {
  let hash = seed;
  for (let i = 0; i < WORDS; i++) {
    hash = Math.imul(hash ^ (words[start + i] ?? 0), 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return Math.imul(hash, 0x85eb_ca77) ^ (hash >>> 13);
}

function chunkOf(index: NonceIndex, id: number): Uint32Array {
  const chunk = index.chunks[id >>> CHUNK_BITS];
  invariant(chunk !== undefined, "a nonce record has its chunk");
  return chunk;
}

function equalsKey(index: NonceIndex, id: number): boolean {
  const chunk = chunkOf(index, id);
  const start = (id & CHUNK_MASK) * WORDS;
  for (let i = 0; i < WORDS; i++) if (chunk[start + i] !== KEY[i]) return false;
  return true;
}

/** Position of the first slot of a hash; positions count in steps of two. */
function homeOf(slots: Int32Array, hash: number): number {
  return (hash << 1) & (slots.length - 1);
}

function insertSlot(slots: Int32Array, id: number, hash: number): void {
  const mask = slots.length - 1;
  let at = homeOf(slots, hash);
  while (slots[at] !== 0) at = (at + 2) & mask;
  slots[at] = id + 1;
  slots[at + 1] = hash;
}

function growSlots(index: NonceIndex): void {
  const old = index.slots;
  const slots = new Int32Array(old.length * 2);
  for (let at = 0; at < old.length; at += 2) {
    const entry = old[at] ?? 0;
    if (entry !== 0) insertSlot(slots, entry - 1, old[at + 1] ?? 0);
  }
  index.slots = slots;
}

function takeRecord(index: NonceIndex): number {
  if (index.free !== 0) {
    const id = index.free - 1;
    index.free = chunkOf(index, id)[(id & CHUNK_MASK) * WORDS] ?? 0;
    return id;
  }
  const id = index.used++;
  if (id >>> CHUNK_BITS === index.chunks.length) {
    index.chunks.push(new Uint32Array(CHUNK_SIZE * WORDS));
  }
  return id;
}

/** Adds a nonce, equal ones included; gives the id to remove it by. */
export function addNonce(index: NonceIndex, nonce: bigint): number {
  if ((index.size + 1) * 16 > index.slots.length * 5) growSlots(index);
  const id = takeRecord(index);
  load(nonce);
  chunkOf(index, id).set(KEY, (id & CHUNK_MASK) * WORDS);
  insertSlot(index.slots, id, hashWords(KEY, 0, index.seed));
  index.size++;
  return id;
}

/** The id of a nonce, of any one where several are equal; -1 when it is not there. */
export function findNonce(index: NonceIndex, nonce: bigint): number {
  load(nonce);
  const { slots } = index;
  const mask = slots.length - 1;
  const hash = hashWords(KEY, 0, index.seed);
  for (let at = homeOf(slots, hash); ; at = (at + 2) & mask) {
    const entry = slots[at] ?? 0;
    if (entry === 0) return -1;
    if (slots[at + 1] === hash && equalsKey(index, entry - 1)) return entry - 1;
  }
}

/** Moves later entries of the run into the hole, so that no search ends early. */
function closeHole(slots: Int32Array, hole: number): void {
  const mask = slots.length - 1;
  let empty = hole;
  for (let at = (hole + 2) & mask; slots[at] !== 0; at = (at + 2) & mask) {
    const home = homeOf(slots, slots[at + 1] ?? 0);
    // An entry at or behind its home must not move in front of it.
    if (((at - home) & mask) < ((at - empty) & mask)) continue;
    slots[empty] = slots[at] ?? 0;
    slots[empty + 1] = slots[at + 1] ?? 0;
    empty = at;
  }
  slots[empty] = 0;
}

/** Removes the nonce of an id that {@link addNonce} gave and nobody removed yet. */
export function removeNonce(index: NonceIndex, id: number): void {
  const { slots } = index;
  const mask = slots.length - 1;
  const start = (id & CHUNK_MASK) * WORDS;
  let at = homeOf(slots, hashWords(chunkOf(index, id), start, index.seed));
  while (slots[at] !== id + 1) {
    invariant(slots[at] !== 0, "a nonce is removed once");
    at = (at + 2) & mask;
  }
  closeHole(slots, at);
  chunkOf(index, id)[start] = index.free;
  index.free = id + 1;
  index.size--;
  if (index.size === 0) clearNonces(index);
}

/** Forgets everything and gives back what is more than a small index holds. */
export function clearNonces(index: NonceIndex): void {
  index.chunks.length = Math.min(index.chunks.length, 1);
  if (index.slots.length > FIRST_SLOTS * 2) index.slots = new Int32Array(FIRST_SLOTS * 2);
  else if (index.size > 0) index.slots.fill(0);
  index.free = 0;
  index.used = 0;
  index.size = 0;
}
