/** Values on a disk that is not believed: each ends with a checksum over key and value. */
import type { StoreKey } from "../../../core/ports/store.ts";

/** CRC-32 over the bytes of a key and of its value. */
export type EntryChecksum = (key: StoreKey, value: Uint8Array) => number;

/** Bytes of a checksum behind its value, little-endian. */
const CHECKSUM_BYTES = 4;

/** The value with its checksum behind it. */
export function sealValue(checksum: EntryChecksum, key: StoreKey, value: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(value.length + CHECKSUM_BYTES);
  sealed.set(value);
  const sum = checksum(key, value);
  for (let at = 0; at < CHECKSUM_BYTES; at++) sealed[value.length + at] = sum >>> (8 * at);
  return sealed;
}

/** The checksum that a sealed value ends with; 0 when it is too short for one. */
export function sealOf(sealed: Uint8Array): number {
  let sum = 0;
  for (let at = CHECKSUM_BYTES; at > 0; at--)
    sum = sum * 256 + (sealed[sealed.length - CHECKSUM_BYTES - 1 + at] ?? 0);
  return sum;
}

/** The value without its checksum; undefined when that is not the checksum of key and value. */
export function openValue(
  checksum: EntryChecksum,
  key: StoreKey,
  sealed: Uint8Array,
): Uint8Array | undefined {
  if (sealed.length < CHECKSUM_BYTES) return undefined;
  const value = sealed.subarray(0, sealed.length - CHECKSUM_BYTES);
  return checksum(key, value) === sealOf(sealed) ? value : undefined;
}
