/**
 * In which form the values of a store lie: without a checksum, as earlier versions wrote them, or
 * sealed. A store is brought into the new form in the order of its keys, and a durable watermark
 * says how far it is: a mark in the values would itself be at the mercy of the disk.
 * Source: decision 30
 */
import { EMPTY_BYTES } from "../../../core/bytes/bytes.ts";
import { byteString, bytesOf } from "../../../core/bytes/byte-string.ts";
import type { Store, StoreKey } from "../../../core/ports/store.ts";

/** Begins the keys that only this room uses: above all others. */
export const OWN_KEYS = "\xff\xff";
/** Where the watermark lies. */
export const WATERMARK_KEY = `${OWN_KEYS}w`;
/** The end of a range of keys, below the store's own. */
export function boundedEnd(end: StoreKey): StoreKey {
  if (end >= OWN_KEYS) return OWN_KEYS;
  return end;
}

/** Begins the key of the sum of a table. */
export const SUM_PREFIX = `${OWN_KEYS}s`;
/** What the watermark holds of a store that is in the new form as a whole. */
export const ALL_SEALED = OWN_KEYS;

/** Kinds of records that are many: they are sealed in the background, all others at once. */
const MANY = ["b", "e", "h", "n", "o", "r", "t"];
/**
 * Bodies of proposals are also written by a handle that does not move the watermark. They lie under
 * the hash of what they hold and never change, so both forms are read until all are sealed.
 */
const EITHER_FORM = "b";

/** Intervals of keys that are sealed before the store is first used. */
export const FEW_INTERVALS: readonly (readonly [StoreKey, StoreKey])[] = ["", ...MANY].map(
  (kind, at) => [kind && next(kind), MANY[at] ?? OWN_KEYS],
);

/** The key above all that begin with this letter. */
function next(kind: string): StoreKey {
  return String.fromCharCode(kind.charCodeAt(0) + 1);
}

/** In which form a value is. */
export type Form = "sealed" | "plain" | "either";

/** Where the watermark stands; a class because it is read again until all is sealed. */
export class StoreFormat {
  readonly #read: () => StoreKey;
  #watermark: StoreKey;

  /** @param read gives the watermark as it lies in the store */
  constructor(read: () => StoreKey) {
    this.#read = read;
    this.#watermark = read();
  }

  /** All below is sealed. */
  get watermark(): StoreKey {
    return this.#watermark;
  }

  /** Whether all is sealed; once it is, that is not examined again. */
  get isComplete(): boolean {
    if (this.#watermark !== ALL_SEALED) this.#watermark = this.#read();
    return this.#watermark === ALL_SEALED;
  }

  /** The form of the value under a key that was read, or will be written, now. */
  formOf(key: StoreKey): Form {
    if (this.isComplete) return "sealed";
    if (key < this.#watermark || !MANY.includes(key.charAt(0))) return "sealed";
    return key.startsWith(EITHER_FORM) ? "either" : "plain";
  }
}

/** A store that nothing was ever written to. */
export async function isEmpty(store: Pick<Store, "range">): Promise<boolean> {
  return (await store.range("", `${OWN_KEYS}\xff`, 1)).length === 0;
}

/** The record of a watermark, before it is sealed. */
export function watermarkRecord(watermark: StoreKey): Uint8Array {
  return watermark === "" ? EMPTY_BYTES : bytesOf(watermark);
}

/** The watermark in a record. */
export function watermarkOf(record: Uint8Array): StoreKey {
  return byteString(record);
}
