/** Words as slot rows hold them, in decimal text, and as map keys. Source: storage 3 */
import type { ByteString } from "../bytes/byte-string.ts";
import {
  isSmall,
  LIMBS,
  setBigInt,
  setNumber,
  toBigInt,
  toNumber,
  type Words,
} from "./evm/words.ts";

/** Digits that always fit a safe integer. */
const SAFE_DIGITS = 15;

/** Zero; shared, never changed. */
export const ZERO_WORD: Words = new Uint32Array(LIMBS);

/** The decimal text of the word at a position. */
export function decimalOfWord(words: Words, at = 0): ByteString {
  const small = toNumber(words, at);
  return String(small < Infinity ? small : toBigInt(words, at));
}

/** The word of a decimal text; text that is no number reads as zero, as the reference does. */
export function wordOfDecimal(text: ByteString): Words {
  if (text === "0") return ZERO_WORD;
  const word = new Uint32Array(LIMBS);
  if (text.length <= SAFE_DIGITS) setNumber(word, 0, smallDecimal(text));
  else if (/^[0-9]+$/.test(text)) setBigInt(word, 0, BigInt(text));
  return word;
}

/** The number of a text of at most fifteen digits, or zero: each slot that is read has one. */
function smallDecimal(text: ByteString): number {
  let value = 0;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return 0;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * A map key for the word at a position: a number when it is small, else a string of its sixteen
 * halves.
 */
export function wordKey(words: Words, at: number): number | string {
  if (isSmall(words, at)) return words[at] ?? 0;
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
export function equalsWord(word: Words, words: Words, at: number): boolean {
  for (let limb = 0; limb < LIMBS; limb++) if (word[limb] !== words[at + limb]) return false;
  return true;
}
