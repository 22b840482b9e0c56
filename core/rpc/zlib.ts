/**
 * The compressed form of batch receipts: zlib with fixed Huffman codes, in base64. Both are made in
 * steps, between which others have a turn. Source: rpc-semantics 13
 */
import { byteString } from "../bytes/byte-string.ts";
import { joinBytes } from "../bytes/bytes.ts";
import type { Pace } from "../limits/pace.ts";

/** Bytes of one step: fractions of a millisecond, some milliseconds where nothing is compiled. */
export const STEP_BYTES = 3 * 1024;

/** Matches shorter than this cost more than their bytes. */
const MIN_MATCH = 3;
const MAX_MATCH = 258;
/** How far back a match may lie. */
const WINDOW_BYTES = 32_768;
const HASH_BITS = 15;

/**
 * Base and extra bits of the length codes 257 to 285 and of the distance codes 0 to 29, as RFC 1951
 * 3.2.5 has them.
 */
const LENGTH_CODES = codeTable({ first: 3, perStep: 4, count: 28 });
const DISTANCE_CODES = codeTable({ first: 1, perStep: 2, count: 30 });

interface Code {
  readonly base: number;
  readonly extraBits: number;
}

/** Codes whose extra bits grow by one every `perStep` codes after the first two steps. */
function codeTable(shape: { first: number; perStep: number; count: number }): readonly Code[] {
  const codes: Code[] = [];
  let base = shape.first;
  for (let index = 0; index < shape.count; index += 1) {
    const extraBits = Math.max(0, Math.floor(index / shape.perStep) - 1);
    codes.push({ base, extraBits });
    base += 1 << extraBits;
  }
  return codes;
}

/** Huffman codes are written most significant bit first. */
function reversed(code: number, bits: number): number {
  let turned = 0;
  for (let bit = 0; bit < bits; bit += 1) turned |= ((code >> bit) & 1) << (bits - 1 - bit);
  return turned;
}

const SYMBOLS = 288;
/** Literals, lengths and the end in the fixed code, as they are written. Source: RFC 1951 3.2.6 */
const SYMBOL_BITS = Uint8Array.from({ length: SYMBOLS }, (_, symbol) => {
  if (symbol < 144 || symbol >= 280) return 8;
  return symbol < 256 ? 9 : 7;
});
const SYMBOL_CODES = Uint16Array.from({ length: SYMBOLS }, (_, symbol) => {
  const bits = SYMBOL_BITS[symbol] ?? 0;
  if (symbol < 144) return reversed(0x30 + symbol, bits);
  if (symbol < 256) return reversed(0x190 + symbol - 144, bits);
  return reversed(symbol < 280 ? symbol - 256 : 0xc0 + symbol - 280, bits);
});
const END_SYMBOL = 256;
const FIRST_LENGTH_SYMBOL = 257;
const LONGEST_SYMBOL = 285;
const DISTANCE_BITS = 5;

const PART_BYTES = 64 * 1024;

/** Writes bits, least significant first. */
class BitWriter {
  readonly #full: Uint8Array[] = [];
  #part = new Uint8Array(PART_BYTES);
  #used = 0;
  #pending = 0;
  #pendingBits = 0;

  byte(value: number): void {
    if (this.#used === PART_BYTES) {
      this.#full.push(this.#part);
      this.#part = new Uint8Array(PART_BYTES);
      this.#used = 0;
    }
    this.#part[this.#used++] = value;
  }

  write(value: number, bits: number): void {
    this.#pending |= value << this.#pendingBits;
    this.#pendingBits += bits;
    while (this.#pendingBits >= 8) {
      this.byte(this.#pending & 0xff);
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
    }
  }

  symbol(symbol: number): void {
    this.write(SYMBOL_CODES[symbol] ?? 0, SYMBOL_BITS[symbol] ?? 0);
  }

  flush(): void {
    if (this.#pendingBits > 0) this.write(0, 8 - this.#pendingBits);
  }

  bytes(): Uint8Array {
    return joinBytes([...this.#full, this.#part.subarray(0, this.#used)]);
  }
}

function codeOf(codes: readonly Code[], value: number): number {
  let index = codes.length - 1;
  while ((codes[index]?.base ?? 0) > value) index -= 1;
  return index;
}

function writeMatch(out: BitWriter, length: number, distance: number): void {
  if (length === MAX_MATCH) {
    out.symbol(LONGEST_SYMBOL);
  } else {
    const index = codeOf(LENGTH_CODES, length);
    const { base, extraBits } = LENGTH_CODES[index] ?? { base: 0, extraBits: 0 };
    out.symbol(FIRST_LENGTH_SYMBOL + index);
    out.write(length - base, extraBits);
  }
  const index = codeOf(DISTANCE_CODES, distance);
  const { base, extraBits } = DISTANCE_CODES[index] ?? { base: 0, extraBits: 0 };
  out.write(reversed(index, DISTANCE_BITS), DISTANCE_BITS);
  out.write(distance - base, extraBits);
}

function matchLength(data: Uint8Array, earlier: number, at: number): number {
  const limit = Math.min(MAX_MATCH, data.length - at);
  let length = 0;
  while (length < limit && data[earlier + length] === data[at + length]) length += 1;
  return length;
}

function hashAt(data: Uint8Array, at: number): number {
  const three = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
  return Math.imul(three, 0x9e3779b1) >>> (32 - HASH_BITS);
}

/**
 * Writes a literal, or a match at the last place with the same three bytes.
 *
 * @param lastSeen places by hash
 * @returns how many bytes that is
 */
function writeNext(out: BitWriter, data: Uint8Array, at: number, lastSeen: Int32Array): number {
  const slot = hashAt(data, at);
  const earlier = lastSeen[slot] ?? -1;
  const isNear = earlier >= 0 && at - earlier <= WINDOW_BYTES;
  const length = isNear ? matchLength(data, earlier, at) : 0;
  lastSeen[slot] = at;
  if (length < MIN_MATCH) {
    out.symbol(data[at] ?? 0);
    return 1;
  }
  writeMatch(out, length, at - earlier);
  for (let inside = at + 1; inside < at + length; inside += 1) {
    lastSeen[hashAt(data, inside)] = inside;
  }
  return length;
}

const ADLER_MODULUS = 65_521;

/** The checksum of all bytes so far, 1 before the first. Source: RFC 1950 8 */
function adler32(before: number, data: Uint8Array): number {
  let low = before & 0xffff;
  let high = before >>> 16;
  for (const byte of data) {
    low = (low + byte) % ADLER_MODULUS;
    high = (high + low) % ADLER_MODULUS;
  }
  return high * 65_536 + low;
}

/**
 * The zlib form of the data: one final block in the fixed code.
 *
 * @param pace asked after each {@link STEP_BYTES}
 * Source: RFC 1950; RFC 1951
 */
export async function zlibCompress(data: Uint8Array, pace?: Pace): Promise<Uint8Array> {
  const out = new BitWriter();
  // 32 KiB window, fastest algorithm; the pair is a multiple of 31.
  out.write(0x78, 8);
  out.write(0x01, 8);
  out.write(0b011, 3);
  const lastSeen = new Int32Array(1 << HASH_BITS).fill(-1);
  let sum = 1;
  let at = 0;
  for (let start = 0; start < data.length; start += STEP_BYTES) {
    if (start > 0) await pace?.();
    const step = data.subarray(start, start + STEP_BYTES);
    // A match may go beyond the step.
    while (at < start + step.length) at += writeNext(out, data, at, lastSeen);
    sum = adler32(sum, step);
  }
  out.symbol(END_SYMBOL);
  out.flush();
  for (const shift of [24, 16, 8, 0]) out.byte((sum >>> shift) & 0xff);
  return out.bytes();
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_CODES = Uint8Array.from(BASE64, (digit) => digit.charCodeAt(0));
const PADDING = "=".charCodeAt(0);

function base64Step(data: Uint8Array): string {
  const codes = new Uint8Array(4 * Math.ceil(data.length / 3));
  let end = 0;
  for (let at = 0; at < data.length; at += 3) {
    const rest = data.length - at;
    const three = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
    codes[end++] = BASE64_CODES[three >> 18] ?? 0;
    codes[end++] = BASE64_CODES[(three >> 12) & 63] ?? 0;
    codes[end++] = rest > 1 ? (BASE64_CODES[(three >> 6) & 63] ?? 0) : PADDING;
    codes[end++] = rest > 2 ? (BASE64_CODES[three & 63] ?? 0) : PADDING;
  }
  return byteString(codes);
}

/**
 * Base64 with padding.
 *
 * @param pace asked after each {@link STEP_BYTES}
 * Source: RFC 4648 4
 */
export async function toBase64(data: Uint8Array, pace?: Pace): Promise<string> {
  const steps: string[] = [];
  for (let at = 0; at < data.length; at += STEP_BYTES) {
    if (at > 0) await pace?.();
    // Three bytes are four digits: only the last step is padded.
    steps.push(base64Step(data.subarray(at, at + STEP_BYTES)));
  }
  return steps.join("");
}
