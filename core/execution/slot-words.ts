/**
 * 256-bit words as eight 32-bit limbs, least significant first, and their decimal text in slot
 * rows.
 * Source: storage 3
 */
import type { ByteString } from "../bytes/byte-string.ts";

/** Limbs of a word. */
export const LIMBS = 8;
/** Digits that always fit a safe integer. */
const SAFE_DIGITS = 15;
const LIMB_RANGE = 0x1_0000_0000;
/** High limbs below this leave the two lowest limbs a safe integer. */
const SAFE_HIGH = 0x20_0000;

/** Zero; shared, never changed. */
export const ZERO_WORD: Uint32Array = new Uint32Array(LIMBS);

/** The decimal text of the word at a position. */
export function decimalOfWord(words: Uint32Array, at = 0): ByteString {
  const high = words[at + 1] ?? 0;
  if (high < SAFE_HIGH && isZero(words, at + 2, at + LIMBS)) {
    return String(high * LIMB_RANGE + (words[at] ?? 0));
  }
  let value = 0n;
  for (let limb = LIMBS - 2; limb >= 0; limb -= 2) {
    const pair = (BigInt(words[at + limb + 1] ?? 0) << 32n) | BigInt(words[at + limb] ?? 0);
    value = (value << 64n) | pair;
  }
  return value.toString(10);
}

/** The word of a decimal text; text that is no number reads as zero, as the reference does. */
export function wordOfDecimal(text: ByteString): Uint32Array {
  if (text === "0" || text === "") return ZERO_WORD;
  const word = new Uint32Array(LIMBS);
  if (text.length <= SAFE_DIGITS) {
    const value = smallDecimal(text);
    if (value === undefined) return ZERO_WORD;
    word[0] = value % LIMB_RANGE;
    word[1] = Math.floor(value / LIMB_RANGE);
    return word;
  }
  if (!/^[0-9]+$/.test(text)) return ZERO_WORD;
  let rest = BigInt(text);
  for (let limb = 0; limb < LIMBS; limb++) {
    word[limb] = Number(rest & 0xffff_ffffn);
    rest >>= 32n;
  }
  return word;
}

/** The number of a text of at most fifteen digits. */
function smallDecimal(text: ByteString): number | undefined {
  let value = 0;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * A map key for the word at a position: a number when it is small, else a string of its sixteen
 * halves.
 */
export function wordKey(words: Uint32Array, at: number): number | string {
  if (isZero(words, at + 1, at + LIMBS)) return words[at] ?? 0;
  return String.fromCharCode(
    (words[at] ?? 0) & 0xffff,
    (words[at] ?? 0) >>> 16,
    (words[at + 1] ?? 0) & 0xffff,
    (words[at + 1] ?? 0) >>> 16,
    (words[at + 2] ?? 0) & 0xffff,
    (words[at + 2] ?? 0) >>> 16,
    (words[at + 3] ?? 0) & 0xffff,
    (words[at + 3] ?? 0) >>> 16,
    (words[at + 4] ?? 0) & 0xffff,
    (words[at + 4] ?? 0) >>> 16,
    (words[at + 5] ?? 0) & 0xffff,
    (words[at + 5] ?? 0) >>> 16,
    (words[at + 6] ?? 0) & 0xffff,
    (words[at + 6] ?? 0) >>> 16,
    (words[at + 7] ?? 0) & 0xffff,
    (words[at + 7] ?? 0) >>> 16,
  );
}

/** Whether a word equals the word at a position. */
export function equalsWord(word: Uint32Array, words: Uint32Array, at: number): boolean {
  for (let limb = 0; limb < LIMBS; limb++) if (word[limb] !== words[at + limb]) return false;
  return true;
}

/** Whether limbs [start, end) are zero. */
export function isZero(words: Uint32Array, start: number, end: number): boolean {
  for (let limb = start; limb < end; limb++) if (words[limb] !== 0) return false;
  return true;
}
