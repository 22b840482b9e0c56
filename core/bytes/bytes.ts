/** Operations on raw bytes: joining, comparing, and unsigned integers in big-endian form. */
import { invariant } from "../fault/invariant.ts";

/** No bytes. Shared: nobody may grow or change it, and there is nothing in it to change. */
export const EMPTY_BYTES = new Uint8Array(0);

/** All parts, one after the other, in a new array. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts);
}

/** The same of a list of any length: some hundred thousand arguments overflow the stack. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Whether both hold the same bytes. Not constant-time: for public data. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

/** Order by bytes: negative, zero or positive; a proper prefix comes first. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Whether every byte is zero; true for no bytes. */
export function isAllZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** Up to this many bytes fit a JavaScript number exactly. */
const EXACT_NUMBER_BYTES = 6;

/** The unsigned big-endian integer in bytes [start, end). */
export function bigintOfBytes(bytes: Uint8Array, start = 0, end = bytes.length): bigint {
  let position = start;
  let value = 0n;
  // Leading chunk first, so that the rest comes in steps of six bytes.
  const lead = (end - start) % EXACT_NUMBER_BYTES;
  if (lead > 0) {
    value = BigInt(numberOfBytes(bytes, position, position + lead));
    position += lead;
  }
  for (; position < end; position += EXACT_NUMBER_BYTES) {
    const chunk = BigInt(numberOfBytes(bytes, position, position + EXACT_NUMBER_BYTES));
    value = value === 0n ? chunk : (value << 48n) | chunk;
  }
  return value;
}

/** The unsigned big-endian integer in bytes [start, end), at most six of them. */
export function numberOfBytes(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let value = 0;
  for (let i = start; i < end; i++) value = value * 256 + (bytes[i] ?? 0);
  return value;
}

/** How many bytes the integer needs without leading zeros; 0 for zero. */
export function uintLength(value: bigint | number): number {
  if (value < 256) return value > 0 ? 1 : 0;
  if (typeof value === "number") {
    let length = 0;
    for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) length++;
    return length;
  }
  return (value.toString(16).length + 1) >> 1;
}

/** The integer in big-endian form without leading zeros; no bytes for zero. */
export function uintBytes(value: bigint | number): Uint8Array {
  return fixedUintBytes(value, uintLength(value));
}

/** The integer in exactly `length` big-endian bytes; it must fit and not be negative. */
export function fixedUintBytes(value: bigint | number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  writeUint(bytes, length, value);
  return bytes;
}

/** Writes the integer so that its last byte is before `end`, and nothing before its first byte. */
export function writeUint(target: Uint8Array, end: number, value: bigint | number): void {
  invariant(value >= 0, "unsigned integers are not negative");
  let position = end;
  if (typeof value === "number") {
    position = writeSafe(target, position, value);
  } else {
    let rest = value;
    while (rest > 0xffff_ffffn) {
      const low = Number(rest & 0xffff_ffffn);
      for (let shift = 0; shift < 32; shift += 8) target[--position] = low >>> shift;
      rest >>= 32n;
    }
    position = writeSafe(target, position, Number(rest));
  }
  invariant(position >= 0, "the integer fits its field");
}

function writeSafe(target: Uint8Array, end: number, value: number): number {
  let position = end;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) target[--position] = rest % 256;
  return position;
}
