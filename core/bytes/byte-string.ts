/**
 * Byte strings: JavaScript strings in which each character is one byte; UTF-8 and decimal text.
 * Source: ARCHITECTURE "Conventions" (Byte strings)
 */

/** A string in which each character is one byte (char code 0 to 255). */
export type ByteString = string;

/** How many arguments `String.fromCharCode` is given at once: well below the engines' limits. */
const CHUNK = 4_096;

/** The bytes [start, end) as a byte string. */
export function byteString(bytes: Uint8Array, start = 0, end = bytes.length): ByteString {
  if (end - start <= CHUNK) return charsOf(bytes, start, end);
  let text = "";
  for (let from = start; from < end; from += CHUNK) {
    text += charsOf(bytes, from, Math.min(from + CHUNK, end));
  }
  return text;
}

function charsOf(bytes: Uint8Array, start: number, end: number): string {
  const part = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
  return Reflect.apply(String.fromCharCode, undefined, part);
}

/** The bytes of a byte string; of any other string, the low eight bits of each character. */
export function bytesOf(text: ByteString): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Whether each character of the text is one byte. */
export function isByteString(text: string): text is ByteString {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return false;
  return true;
}

/** Replaces what is not valid: unpaired surrogates when encoding, malformed bytes when decoding. */
const REPLACEMENT = 0xfffd;

/** The UTF-8 form of a text as a byte string. */
export function utf8ByteString(text: string): ByteString {
  if (isAscii(text)) return text;
  return byteString(utf8Bytes(text));
}

/** The text whose UTF-8 form the byte string is; each malformed sequence reads as U+FFFD. */
export function textOfByteString(bytes: ByteString): string {
  return isAscii(bytes) ? bytes : utf8Text(bytesOf(bytes));
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** The UTF-8 form of a text. */
export function utf8Bytes(text: string): Uint8Array {
  // Three bytes per UTF-16 unit is the upper bound: a surrogate pair takes four for two units.
  const buffer = new Uint8Array(text.length * 3);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let point = text.codePointAt(i) ?? REPLACEMENT;
    if (point > 0xffff) i++;
    else if (point >= 0xd800 && point <= 0xdfff) point = REPLACEMENT;
    length = writePoint(buffer, length, point);
  }
  return buffer.slice(0, length);
}

function writePoint(buffer: Uint8Array, start: number, point: number): number {
  let position = start;
  if (point < 0x80) {
    buffer[position++] = point;
    return position;
  }
  const continuations = point < 0x800 ? 1 : point < 0x1_0000 ? 2 : 3;
  const lead = [0, 0xc0, 0xe0, 0xf0][continuations] ?? 0;
  buffer[position++] = lead | (point >> (6 * continuations));
  for (let left = continuations - 1; left >= 0; left--) {
    buffer[position++] = 0x80 | ((point >> (6 * left)) & 0x3f);
  }
  return position;
}

/** The text of UTF-8 bytes; each maximal malformed sequence reads as U+FFFD, as browsers do. */
export function utf8Text(bytes: Uint8Array): string {
  let text = "";
  const units: number[] = [];
  for (let position = 0; position < bytes.length; ) {
    const { point, next } = readPoint(bytes, position);
    position = next;
    if (point > 0xffff) {
      units.push(0xd800 + ((point - 0x1_0000) >> 10), 0xdc00 + ((point - 0x1_0000) & 0x3ff));
    } else units.push(point);
    if (units.length >= CHUNK) text += String.fromCharCode(...units.splice(0));
  }
  return text + String.fromCharCode(...units);
}

/** Whether the bytes are well-formed UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  for (let position = 0; position < bytes.length; ) {
    const read = readPoint(bytes, position);
    if (read.malformed) return false;
    position = read.next;
  }
  return true;
}

interface PointRead {
  readonly point: number;
  readonly next: number;
  readonly malformed: boolean;
}

function readPoint(bytes: Uint8Array, position: number): PointRead {
  const lead = bytes[position] ?? 0;
  let next = position + 1;
  if (lead < 0x80) return { point: lead, next, malformed: false };
  const continuations = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
  if (continuations === 0) return { point: REPLACEMENT, next, malformed: true };
  let point = lead & (0x3f >> continuations);
  for (let i = 0; i < continuations; i++) {
    const byte = bytes[next] ?? 0;
    const [low, high] = i === 0 ? secondByteRange(lead) : [0x80, 0xbf];
    if (byte < low || byte > high) return { point: REPLACEMENT, next, malformed: true };
    point = (point << 6) | (byte & 0x3f);
    next++;
  }
  return { point, next, malformed: false };
}

/** What may follow a lead byte: excludes overlong forms, surrogates and points above U+10FFFF. */
function secondByteRange(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  if (lead === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}

const DECIMAL = /^[0-9]+$/;

/**
 * The unsigned integer of decimal digits; leading zeros are allowed; undefined for anything else.
 */
export function parseDecimal(text: string): bigint | undefined {
  return DECIMAL.test(text) ? BigInt(text) : undefined;
}

/** Digits that decide a number modulo 2^256: 10^256 is a multiple of 2^256. */
const DIGITS_MODULO_256_BITS = 256;

/**
 * The unsigned integer of decimal digits modulo 2^256; undefined for anything else. Takes time in
 * proportion to the text, which the whole number would not.
 */
export function parseDecimalModulo256(text: string): bigint | undefined {
  if (!DECIMAL.test(text)) return undefined;
  return BigInt.asUintN(256, BigInt(text.slice(-DIGITS_MODULO_256_BITS)));
}

/** Decimal text of an integer. */
export function decimalText(value: bigint | number): ByteString {
  return value.toString(10);
}
