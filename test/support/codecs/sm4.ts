/** SM4 in cipher block chaining, for data at rest on national chains. Source: sm-suite 8 */
import { equalBytes } from "../../../core/bytes/bytes.ts";
import { invariant } from "../../../core/fault/invariant.ts";
import { rotateLeft } from "../../../core/crypto/sm3.ts";

/** Length of a block and of an initial vector; also of the key, whose further bytes are ignored. */
export const SM4_BLOCK_BYTES = 16;
const ROUNDS = 32;
const WORDS = 4;
const FIELD_SIZE = 256;
/** The field of bytes: x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1. */
const FIELD_POLYNOMIAL = 0x1f5;
/** First row of the cyclic matrix and the constant of the byte substitution. */
const MATRIX_ROW = 0xa7;
const AFFINE_CONSTANT = 0xd3;

function multiply(left: number, right: number): number {
  let product = 0;
  let shifted = left;
  for (let rest = right; rest > 0; rest >>= 1) {
    if (rest & 1) product ^= shifted;
    shifted <<= 1;
    if (shifted >= FIELD_SIZE) shifted ^= FIELD_POLYNOMIAL;
  }
  return product;
}

/** The inverse, which is the power 254; zero for zero. */
function invert(value: number): number {
  let power = 1;
  for (let i = 0; i < FIELD_SIZE - 2; i++) power = multiply(power, value);
  return power;
}

function isOdd(bits: number): boolean {
  let rest = bits;
  for (let shift = 4; shift > 0; shift >>= 1) rest ^= rest >> shift;
  return (rest & 1) === 1;
}

function affine(value: number): number {
  let image = AFFINE_CONSTANT;
  for (let bit = 0; bit < 8; bit++) {
    const row = ((MATRIX_ROW << bit) | (MATRIX_ROW >> (8 - bit))) & 0xff;
    if (isOdd(value & row)) image ^= 1 << bit;
  }
  return image;
}

/** The byte substitution: inversion in the field between two affine maps. */
const SUBSTITUTION = Uint8Array.from({ length: FIELD_SIZE }, (_, value) =>
  affine(invert(affine(value))),
);

const FAMILY_KEY = Int32Array.of(0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc);
/** The constant of each round of the key schedule: its bytes count up in steps of seven. */
const ROUND_CONSTANTS = Int32Array.from({ length: ROUNDS }, (_, round) => {
  let constant = 0;
  for (let i = 0; i < WORDS; i++) constant = (constant << 8) | (((4 * round + i) * 7) & 0xff);
  return constant;
});

function substitute(word: number): number {
  let image = 0;
  for (let shift = 0; shift < 32; shift += 8) {
    image |= (SUBSTITUTION[(word >>> shift) & 0xff] ?? 0) << shift;
  }
  return image;
}

function roundKeys(key: Uint8Array): Int32Array {
  invariant(key.length >= SM4_BLOCK_BYTES, "a key has 16 bytes or more");
  const words = new Int32Array(ROUNDS + WORDS);
  const view = new DataView(key.buffer, key.byteOffset);
  for (let i = 0; i < WORDS; i++) words[i] = view.getInt32(4 * i) ^ (FAMILY_KEY[i] ?? 0);
  for (let i = 0; i < ROUNDS; i++) {
    const mixed = (words[i + 1] ?? 0) ^ (words[i + 2] ?? 0) ^ (words[i + 3] ?? 0);
    const image = substitute(mixed ^ (ROUND_CONSTANTS[i] ?? 0));
    words[i + WORDS] = (words[i] ?? 0) ^ image ^ rotateLeft(image, 13) ^ rotateLeft(image, 23);
  }
  return words.subarray(WORDS);
}

function cryptBlock(block: Uint8Array, keys: Int32Array): Uint8Array {
  const view = new DataView(block.buffer, block.byteOffset);
  let [a, b, c, d] = [view.getInt32(0), view.getInt32(4), view.getInt32(8), view.getInt32(12)];
  for (const key of keys) {
    const image = substitute(b ^ c ^ d ^ key);
    const low = rotateLeft(image, 2) ^ rotateLeft(image, 10);
    const mixed = a ^ image ^ low ^ rotateLeft(image, 18) ^ rotateLeft(image, 24);
    [a, b, c, d] = [b, c, d, mixed];
  }
  const crypted = new Uint8Array(SM4_BLOCK_BYTES);
  const output = new DataView(crypted.buffer);
  [d, c, b, a].forEach((word, i) => {
    output.setInt32(4 * i, word);
  });
  return crypted;
}

function addInto(target: Uint8Array, other: Uint8Array): void {
  for (let i = 0; i < target.length; i++) target[i] = (target[i] ?? 0) ^ (other[i] ?? 0);
}

/** Encrypts with padding of n bytes of value n, 1 to 16 of them. Source: sm-suite 8 */
export function sm4CbcEncrypt(key: Uint8Array, iv: Uint8Array, plain: Uint8Array): Uint8Array {
  const keys = roundKeys(key);
  const padding = SM4_BLOCK_BYTES - (plain.length % SM4_BLOCK_BYTES);
  const output = new Uint8Array(plain.length + padding).fill(padding);
  output.set(plain);
  let previous = iv;
  for (let at = 0; at < output.length; at += SM4_BLOCK_BYTES) {
    const block = output.subarray(at, at + SM4_BLOCK_BYTES);
    addInto(block, previous);
    block.set(cryptBlock(block, keys));
    previous = block;
  }
  return output;
}

/**
 * Decrypts and takes the padding away; undefined when the length or the padding is wrong, as with
 * another key. Source: sm-suite 8
 */
export function sm4CbcDecrypt(
  key: Uint8Array,
  iv: Uint8Array,
  cipher: Uint8Array,
): Uint8Array | undefined {
  if (cipher.length === 0 || cipher.length % SM4_BLOCK_BYTES !== 0) return undefined;
  const keys = roundKeys(key).reverse();
  const output = new Uint8Array(cipher.length);
  let previous = iv;
  for (let at = 0; at < cipher.length; at += SM4_BLOCK_BYTES) {
    const block = cryptBlock(cipher.subarray(at), keys);
    addInto(block, previous);
    output.set(block, at);
    previous = cipher.subarray(at, at + SM4_BLOCK_BYTES);
  }
  const padding = output.at(-1) ?? 0;
  if (padding < 1 || padding > SM4_BLOCK_BYTES) return undefined;
  const plain = output.subarray(0, output.length - padding);
  const tail = output.subarray(plain.length);
  return equalBytes(tail, new Uint8Array(padding).fill(padding)) ? plain : undefined;
}
