/**
 * Entries of a store packed into one value: u32 length of the key, u32 length of the value, key,
 * value, one after the other. In a page they are in order of their keys; in the journal, in order
 * of writing.
 */
import { byteString } from "../../../core/bytes/byte-string.ts";
import type { StoreKey } from "../../../core/ports/store.ts";

/** A value; undefined says that the key was removed. */
export type Entry = readonly [key: StoreKey, value: Uint8Array | undefined];

const HEAD_BYTES = 8;
/** Stands for the length of the value of a key that was removed. */
const REMOVED = 0xffff_ffff;

/** What an entry takes. */
export function packedLength(key: StoreKey, value: Uint8Array | undefined): number {
  return HEAD_BYTES + key.length + (value?.length ?? 0);
}

/** The entries in one array of exactly their size. */
export function packEntries(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const [key, value] of entries) length += packedLength(key, value);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [key, value] of entries) {
    view.setUint32(at, key.length, true);
    view.setUint32(at + 4, value === undefined ? REMOVED : value.length, true);
    at += HEAD_BYTES;
    for (let index = 0; index < key.length; index++) bytes[at + index] = key.charCodeAt(index);
    at += key.length;
    if (value === undefined) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

/** Packed entries that are examined in place. */
export class Packed {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #places: Uint32Array;

  /** @throws RangeError when the bytes are no entries */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const places: number[] = [];
    let at = 0;
    for (; at < bytes.length; at += this.#lengthAt(at)) places.push(at);
    if (at !== bytes.length) throw new RangeError("the last entry is cut off");
    this.#places = Uint32Array.from(places);
  }

  /** How many entries there are. */
  get count(): number {
    return this.#places.length;
  }

  #lengthAt(at: number): number {
    const length = this.#view.getUint32(at + 4, true);
    return HEAD_BYTES + this.#view.getUint32(at, true) + (length === REMOVED ? 0 : length);
  }

  #place(index: number): number {
    return this.#places[index] ?? 0;
  }

  /** The key of an entry. */
  key(index: number): StoreKey {
    const at = this.#place(index);
    const start = at + HEAD_BYTES;
    return byteString(this.bytes, start, start + this.#view.getUint32(at, true));
  }

  /** The value of an entry, a view; undefined when the key was removed. */
  value(index: number): Uint8Array | undefined {
    const at = this.#place(index);
    const length = this.#view.getUint32(at + 4, true);
    if (length === REMOVED) return undefined;
    const start = at + HEAD_BYTES + this.#view.getUint32(at, true);
    return this.bytes.subarray(start, start + length);
  }

  /** Below zero when the key of the entry comes before `key`. */
  #compare(index: number, key: StoreKey): number {
    const at = this.#place(index);
    const length = this.#view.getUint32(at, true);
    const start = at + HEAD_BYTES;
    const shared = Math.min(length, key.length);
    for (let offset = 0; offset < shared; offset++) {
      const difference = (this.bytes[start + offset] ?? 0) - key.charCodeAt(offset);
      if (difference !== 0) return difference;
    }
    return length - key.length;
  }

  /** Of sorted entries: the first that is not below `key`. */
  lowerBound(key: StoreKey): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Of sorted entries: the one of that key. */
  find(key: StoreKey): Entry | undefined {
    const index = this.lowerBound(key);
    const isThere = index < this.count && this.#compare(index, key) === 0;
    return isThere ? [key, this.value(index)] : undefined;
  }

  /** Entries from an index on. */
  *from(index: number): Generator<Entry> {
    for (let next = index; next < this.count; next++) yield [this.key(next), this.value(next)];
  }
}
