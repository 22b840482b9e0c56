/**
 * 256-bit words as eight 32-bit limbs, least significant first, inside a stack array. A binary
 * operation takes its first operand at `at` (the top of the stack) and its second one below, where
 * the result goes.
 */

import type { Address } from "../../bytes/ids.ts";

/** Limbs of a word. */
export const LIMBS = 8;
const ADDRESS_LIMBS = 5;
const TWO_32 = 0x100000000;

/** A stack or other row of words. */
export type Words = Uint32Array;

/** ADD. */
export function add(w: Words, at: number): void {
  let carry = 0;
  for (let i = at; i < at + 8; i++) {
    const a = w[i] as number;
    const b = w[i - 8] as number;
    const sum = (a + b + carry) | 0;
    carry = ((a & b) | ((a | b) & ~sum)) >>> 31;
    w[i - 8] = sum;
  }
}

/** Adds a 32-bit number to the word at `at`. */
export function addSmall(w: Words, at: number, value: number): void {
  const low = w[at] as number;
  const sum = (low + (value >>> 0)) >>> 0;
  w[at] = sum;
  if (sum >= low) return;
  for (let i = at + 1; i < at + 8; i++) {
    const next = ((w[i] as number) + 1) >>> 0;
    w[i] = next;
    if (next !== 0) return;
  }
}

/** SUB. */
export function sub(w: Words, at: number): void {
  let borrow = 0;
  for (let i = at; i < at + 8; i++) {
    const a = w[i] as number;
    const b = w[i - 8] as number;
    const difference = (a - b - borrow) | 0;
    borrow = ((~a & b) | ((~a | b) & difference)) >>> 31;
    w[i - 8] = difference;
  }
}

/** Whether the word at `a` is below the word at `b`, unsigned. */
export function isBelow(w: Words, a: number, b: number): boolean {
  for (let i = 7; i > 0; i--) {
    const x = w[a + i] as number;
    const y = w[b + i] as number;
    if (x !== y) return x < y;
  }
  return (w[a] as number) < (w[b] as number);
}

/** Whether the word at `a` is below the word at `b` as two's complement numbers. */
export function isBelowSigned(w: Words, a: number, b: number): boolean {
  const x = (w[a + 7] as number) | 0;
  const y = (w[b + 7] as number) | 0;
  return x === y ? isBelow(w, a, b) : x < y;
}

/** Whether two words are equal. */
export function isEqual(w: Words, a: number, b: number): boolean {
  for (let i = 0; i < 8; i++) if (w[a + i] !== w[b + i]) return false;
  return true;
}

/** Whether the word at `at` is zero. */
export function isZero(w: Words, at: number): boolean {
  if (w[at] !== 0) return false;
  return (
    ((w[at + 1] as number) |
      (w[at + 2] as number) |
      (w[at + 3] as number) |
      (w[at + 4] as number) |
      (w[at + 5] as number) |
      (w[at + 6] as number) |
      (w[at + 7] as number)) ===
    0
  );
}

/** Whether the word at `at` fits 32 bits. */
export function isSmall(w: Words, at: number): boolean {
  return (
    ((w[at + 1] as number) |
      (w[at + 2] as number) |
      (w[at + 3] as number) |
      (w[at + 4] as number) |
      (w[at + 5] as number) |
      (w[at + 6] as number) |
      (w[at + 7] as number)) ===
    0
  );
}

/** Writes a number of at most 32 bits. */
export function setSmall(w: Words, at: number, value: number): void {
  w[at] = value;
  w[at + 1] = 0;
  w[at + 2] = 0;
  w[at + 3] = 0;
  w[at + 4] = 0;
  w[at + 5] = 0;
  w[at + 6] = 0;
  w[at + 7] = 0;
}

/** Writes a number of at most 53 bits. */
export function setNumber(w: Words, at: number, value: number): void {
  setSmall(w, at, value % TWO_32);
  w[at + 1] = Math.floor(value / TWO_32);
}

/** The word as a number when it is below 2^53, else Infinity. */
export function toNumber(w: Words, at: number): number {
  const high =
    (w[at + 2] as number) |
    (w[at + 3] as number) |
    (w[at + 4] as number) |
    (w[at + 5] as number) |
    (w[at + 6] as number) |
    (w[at + 7] as number);
  const middle = w[at + 1] as number;
  if (high !== 0 || middle >= 0x200000) return Number.POSITIVE_INFINITY;
  return middle * TWO_32 + (w[at] as number);
}

/** The word as a bigint. */
export function toBigInt(w: Words, at: number): bigint {
  let value = 0n;
  for (let i = at + 7; i > at; i -= 2) {
    const pair = (BigInt(w[i] as number) << 32n) | BigInt(w[i - 1] as number);
    value = (value << 64n) | pair;
  }
  return value;
}

/** Writes the low 256 bits of a bigint of at least 0. */
export function setBigInt(w: Words, at: number, value: bigint): void {
  if (value <= 0xffffffffn) return setSmall(w, at, Number(value));
  let rest = value;
  for (let i = 0; i < 8; i++) {
    w[at + i] = Number(rest & 0xffffffffn);
    rest >>= 32n;
  }
}

/** Writes at most 32 bytes, big-endian, as the low bytes of a word. */
export function setBytes(w: Words, at: number, bytes: Uint8Array): void {
  setSmall(w, at, 0);
  const last = bytes.length - 1;
  for (let i = 0; i <= last; i++) {
    const limb = at + (i >> 2);
    w[limb] = (w[limb] as number) | ((bytes[last - i] as number) << (8 * (i & 3)));
  }
}

/** The 32 bytes of a word, big-endian. */
export function toBytes(w: Words, at: number): Uint8Array {
  const bytes = new Uint8Array(32);
  for (let i = 0; i < 8; i++) {
    const limb = w[at + 7 - i] as number;
    bytes[4 * i] = limb >>> 24;
    bytes[4 * i + 1] = limb >>> 16;
    bytes[4 * i + 2] = limb >>> 8;
    bytes[4 * i + 3] = limb;
  }
  return bytes;
}

/** Writes an address as a word. */
export function setAddress(w: Words, at: number, address: Address): void {
  setSmall(w, at, 0);
  for (let limb = 0; limb < ADDRESS_LIMBS; limb++) {
    const end = address.length - 8 * limb;
    w[at + limb] = Number.parseInt(address.slice(end - 8, end), 16);
  }
}

/** The low 20 bytes of a word as an address. */
export function toAddress(w: Words, at: number): Address {
  let text = "0x";
  for (let limb = ADDRESS_LIMBS - 1; limb >= 0; limb--) {
    text += (w[at + limb] as number).toString(16).padStart(8, "0");
  }
  return text as Address;
}

/** SIGNEXTEND: the word below is a number of `byte + 1` bytes, `byte` at the top. */
export function signExtend(w: Words, at: number): void {
  if (!isSmall(w, at) || (w[at] as number) > 30) return;
  const byte = w[at] as number;
  const limb = at - 8 + (byte >> 2);
  const shift = 24 - 8 * (byte & 3);
  const extended = ((w[limb] as number) << shift) >> shift;
  w[limb] = extended;
  const fill = extended < 0 ? 0xffffffff : 0;
  for (let i = limb + 1; i < at; i++) w[i] = fill;
}

/** BYTE: byte number `top` of the word below, counted from the most significant one. */
export function byteOf(w: Words, at: number): void {
  const index = w[at] as number;
  const inRange = isSmall(w, at) && index < 32;
  const place = 31 - index;
  const limb = inRange ? (w[at - 8 + (place >> 2)] as number) : 0;
  setSmall(w, at - 8, (limb >>> (8 * (place & 3))) & 0xff);
}

/** SHL: shifts the word below by the number at the top. */
export function shiftLeft(w: Words, at: number): void {
  const to = at - 8;
  const bits = w[at] as number;
  if (bits > 255 || !isSmall(w, at)) return setSmall(w, to, 0);
  const skip = bits >> 5;
  const up = bits & 31;
  for (let i = 7; i >= 0; i--) {
    const high = i >= skip ? (w[to + i - skip] as number) : 0;
    const low = i > skip ? (w[to + i - skip - 1] as number) : 0;
    w[to + i] = up === 0 ? high : (high << up) | (low >>> (32 - up));
  }
}

/** SHR, or SAR with `fill` the sign's limb. */
export function shiftRight(w: Words, at: number, fill: number): void {
  const to = at - 8;
  const bits = w[at] as number;
  if (bits > 255 || !isSmall(w, at)) {
    for (let i = 0; i < 8; i++) w[to + i] = fill;
    return;
  }
  const skip = bits >> 5;
  const down = bits & 31;
  for (let i = 0; i < 8; i++) {
    const low = i + skip < 8 ? (w[to + i + skip] as number) : fill;
    const high = i + skip < 7 ? (w[to + i + skip + 1] as number) : fill;
    w[to + i] = down === 0 ? low : (low >>> down) | (high << (32 - down));
  }
}
