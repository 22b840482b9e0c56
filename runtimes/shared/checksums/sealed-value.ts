/** Values on a disk that is not believed: each ends with a checksum over key and value. */
import type { StoreKey, StoreWrite } from "../../../core/ports/store.ts";

/**
 * CRC-32 over the bytes of a key and of its value.
 *
 * @param before the checksum up to this part of the value, where it does not begin here
 */
export type EntryChecksum = (key: StoreKey, value: Uint8Array, before?: number) => number;

/** Bytes of a checksum behind its value, little-endian. */
export const CHECKSUM_BYTES = 4;

/** A write whose value has its checksum next to it, so that only the store copies the value. */
export interface SealedWrite extends StoreWrite {
  /** Absent for a value that lies without one, and where there is none. */
  readonly seal?: number;
}

/** The write of a value with its checksum. */
export function sealedWrite(
  checksum: EntryChecksum,
  key: StoreKey,
  value: Uint8Array,
): SealedWrite {
  return { key, value, seal: checksum(key, value) };
}

/** The write with the checksum behind the value, for a store that keeps it as it is given. */
export function storedWrite(write: SealedWrite): StoreWrite {
  const { key, value, seal } = write;
  if (value === undefined || seal === undefined) return write;
  return { key, value: putSealed(new Uint8Array(sealedLength(value)), value, seal) };
}

/** The bytes of a value and its checksum. */
export function sealedLength(value: Uint8Array): number {
  return value.length + CHECKSUM_BYTES;
}

/** Puts a value and its checksum into an array of their length. */
export function putSealed(room: Uint8Array, value: Uint8Array, seal: number): Uint8Array {
  room.set(value);
  for (let at = 0; at < CHECKSUM_BYTES; at++) room[value.length + at] = seal >>> (8 * at);
  return room;
}

/** The checksum that a sealed value ends with; 0 when it is too short for one. */
export function sealOf(sealed: Uint8Array): number {
  let sum = 0;
  for (let at = CHECKSUM_BYTES; at > 0; at--)
    sum = sum * 256 + (sealed[sealed.length - CHECKSUM_BYTES - 1 + at] ?? 0);
  return sum;
}

/** Of longer values this much is worked on in one turn. */
export const TURN_BYTES: number = 1024 * 1024;

/** As {@link openValue}, with a pause after each part of a long value. */
export async function openInTurns(
  checksum: EntryChecksum,
  entry: { readonly key: StoreKey; readonly sealed: Uint8Array },
  pause: () => Promise<void>,
): Promise<Uint8Array | undefined> {
  const { key, sealed } = entry;
  if (sealed.length <= TURN_BYTES) return openValue(checksum, key, sealed);
  const value = sealed.subarray(0, sealed.length - CHECKSUM_BYTES);
  let sum: number | undefined;
  for (let at = 0; at < value.length; at += TURN_BYTES) {
    sum = checksum(key, value.subarray(at, at + TURN_BYTES), sum);
    await pause();
  }
  return sum === sealOf(sealed) ? value : undefined;
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
