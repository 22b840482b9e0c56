/**
 * The compressed form of batch receipts: zlib with fixed Huffman codes, in base64.
 *
 * Source: rpc-semantics 13
 */

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

/** Writes bits, least significant first. */
class BitWriter {
  readonly bytes: number[] = [];
  private pending = 0;
  private pendingBits = 0;

  write(value: number, bits: number): void {
    this.pending |= value << this.pendingBits;
    this.pendingBits += bits;
    while (this.pendingBits >= 8) {
      this.bytes.push(this.pending & 0xff);
      this.pending >>>= 8;
      this.pendingBits -= 8;
    }
  }

  /** Huffman codes are written most significant bit first. */
  writeCode(code: number, bits: number): void {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit += 1) reversed |= ((code >> bit) & 1) << (bits - 1 - bit);
    this.write(reversed, bits);
  }

  flush(): void {
    if (this.pendingBits > 0) this.write(0, 8 - this.pendingBits);
  }
}

/** A literal, length or end symbol of the fixed code. Source: RFC 1951 3.2.6 */
function writeSymbol(out: BitWriter, symbol: number): void {
  if (symbol < 144) out.writeCode(0x30 + symbol, 8);
  else if (symbol < 256) out.writeCode(0x190 + symbol - 144, 9);
  else if (symbol < 280) out.writeCode(symbol - 256, 7);
  else out.writeCode(0xc0 + symbol - 280, 8);
}

function codeOf(codes: readonly Code[], value: number): number {
  let index = codes.length - 1;
  while ((codes[index]?.base ?? 0) > value) index -= 1;
  return index;
}

function writeMatch(out: BitWriter, length: number, distance: number): void {
  if (length === MAX_MATCH) {
    writeSymbol(out, 285);
  } else {
    const index = codeOf(LENGTH_CODES, length);
    const { base, extraBits } = LENGTH_CODES[index] ?? { base: 0, extraBits: 0 };
    writeSymbol(out, 257 + index);
    out.write(length - base, extraBits);
  }
  const index = codeOf(DISTANCE_CODES, distance);
  const { base, extraBits } = DISTANCE_CODES[index] ?? { base: 0, extraBits: 0 };
  out.writeCode(index, 5);
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
 * One final block in the fixed code; matches are looked for at the last place with the same three
 * bytes.
 */
function deflate(data: Uint8Array, out: BitWriter): void {
  const lastSeen = new Int32Array(1 << HASH_BITS).fill(-1);
  out.write(0b011, 3);
  let at = 0;
  while (at < data.length) {
    const slot = hashAt(data, at);
    const earlier = lastSeen[slot] ?? -1;
    const isNear = earlier >= 0 && at - earlier <= WINDOW_BYTES;
    const length = isNear ? matchLength(data, earlier, at) : 0;
    lastSeen[slot] = at;
    if (length < MIN_MATCH) {
      writeSymbol(out, data[at] ?? 0);
      at += 1;
      continue;
    }
    writeMatch(out, length, at - earlier);
    for (let inside = 1; inside < length; inside += 1)
      lastSeen[hashAt(data, at + inside)] = at + inside;
    at += length;
  }
  writeSymbol(out, 256);
  out.flush();
}

const ADLER_MODULUS = 65_521;

function adler32(data: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of data) {
    low = (low + byte) % ADLER_MODULUS;
    high = (high + low) % ADLER_MODULUS;
  }
  return high * 65_536 + low;
}

/** The zlib form of the data. Source: RFC 1950, RFC 1951 */
export function zlibCompress(data: Uint8Array): Uint8Array {
  const out = new BitWriter();
  // 32 KiB window, fastest algorithm; the pair is a multiple of 31.
  out.write(0x78, 8);
  out.write(0x01, 8);
  deflate(data, out);
  const sum = adler32(data);
  for (const shift of [24, 16, 8, 0]) out.bytes.push((sum >>> shift) & 0xff);
  return Uint8Array.from(out.bytes);
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 with padding. Source: RFC 4648 4 */
export function toBase64(data: Uint8Array): string {
  let text = "";
  for (let at = 0; at < data.length; at += 3) {
    const rest = data.length - at;
    const three = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
    text += BASE64.charAt(three >> 18) + BASE64.charAt((three >> 12) & 63);
    text += rest > 1 ? BASE64.charAt((three >> 6) & 63) : "=";
    text += rest > 2 ? BASE64.charAt(three & 63) : "=";
  }
  return text;
}
