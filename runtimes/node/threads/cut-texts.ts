/**
 * Long strings of a JSON body, cut out of its text before that is parsed: neither the text nor the
 * values hold them then. A mark stands in the place of each.
 */
import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { fromHex } from "../../../core/bytes/hex.ts";
import { MAX_JSON_VALUES } from "../../../core/rpc/json.ts";
import type { FarText, FarTexts } from "../../../core/rpc/long-params.ts";

/** Shorter strings stay. */
const CUT_BYTES = 4 * 1024;
/** More strings than this are in no body that is examined, names of members among them. */
const MOST_STRINGS = 2 * MAX_JSON_VALUES;
/** This many digits become bytes at a time. */
const HEX_CHARS = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const FIRST_PLAIN = 0x20;

/** Bytes in pieces, each full but the last. */
export class PieceBytes {
  readonly length: number;
  readonly #pieces: readonly Buffer[];
  readonly #size: number;

  constructor(pieces: readonly ArrayBuffer[], bytes: number) {
    this.length = bytes;
    this.#pieces = pieces.map((piece) => Buffer.from(piece));
    this.#size = pieces[0]?.byteLength ?? 1;
  }

  at(index: number): number {
    return this.#pieces[Math.floor(index / this.#size)]?.[index % this.#size] ?? 0;
  }

  /** Place of the first such byte; -1 when there is none. */
  indexOf(byte: number, from: number): number {
    for (const [part, start] of this.parts(from, this.length)) {
      const found = part.indexOf(byte);
      if (found >= 0) return start + found;
    }
    return -1;
  }

  /** A copy. */
  slice(start: number, end: number): Buffer {
    const copy = Buffer.allocUnsafeSlow(end - start);
    for (const [part, at] of this.parts(start, end)) part.copy(copy, at - start);
    return copy;
  }

  /** What lies between two places, and where each part begins. */
  *parts(start: number, end: number): Generator<readonly [Buffer, number]> {
    for (let at = start; at < end; ) {
      const offset = at % this.#size;
      const most = Math.min(this.#size, offset + end - at);
      const part = this.#pieces[Math.floor(at / this.#size)]?.subarray(offset, most);
      if (!part) return;
      yield [part, at];
      at += part.length;
    }
  }
}

/** A string in its body, without the quotes; it holds no escape. */
class CutText implements FarText {
  readonly #bytes: PieceBytes;
  readonly #start: number;
  readonly length: number;

  constructor(bytes: PieceBytes, [start, end]: readonly [number, number]) {
    this.#bytes = bytes;
    this.#start = start;
    this.length = end - start;
  }

  text(most: number = this.length): string {
    const end = this.#start + Math.min(most, this.length);
    return this.#bytes.slice(this.#start, end).toString("utf8");
  }

  hexBytes(): Uint8Array | undefined {
    const hasPrefix = this.text(2) === "0x";
    let at = hasPrefix ? 2 : 0;
    const read = new Uint8Array(Math.ceil((this.length - at) / 2));
    let done = 0;
    // With an odd count the first digit is a byte of its own.
    for (let chars = (this.length - at) % 2 || HEX_CHARS; at < this.length; chars = HEX_CHARS) {
      const some = this.#ascii(at, Math.min(this.length, at + chars));
      const part = fromHex(some.length === 1 ? `0${some}` : some);
      if (part?.length !== Math.ceil(some.length / 2)) return undefined;
      read.set(part, done);
      done += part.length;
      at += some.length;
    }
    return read;
  }

  json(): Uint8Array {
    // The quotes stand around it.
    const whole = this.#bytes.slice(this.#start - 1, this.#start + this.length + 1);
    return isUtf8(whole) ? whole : new TextEncoder().encode(whole.toString("utf8"));
  }

  #ascii(start: number, end: number): string {
    return this.#bytes.slice(this.#start + start, this.#start + end).toString("latin1");
  }
}

/** A body's text with marks in it, and what they stand for. */
export interface CutBody {
  readonly text: string;
  readonly texts: FarTexts;
}

/**
 * Cuts the long strings out of a body that is JSON, or is found not to be without them.
 * @returns undefined for one of more values than are examined: nothing is made of it
 */
export function cutTexts(bytes: PieceBytes): CutBody | undefined {
  // Nobody can write it into a body beforehand.
  const mark = randomUUID();
  const parts: Buffer[] = [];
  const cut = new Map<string, FarText>();
  let taken = 0;
  let values = 1;
  let open = bytes.indexOf(QUOTE, 0);
  for (let strings = 0, from = 0; ; strings++) {
    const end = open < 0 ? bytes.length : open;
    values += valuesBetween(bytes, from, end, MAX_JSON_VALUES - values);
    if (values > MAX_JSON_VALUES) return undefined;
    if (open < 0 || strings === MOST_STRINGS) break;
    const close = closingQuote(bytes, open);
    if (close < 0) break;
    if (close - open > CUT_BYTES && isPlain(bytes, open + 1, close)) {
      const name = `${mark}:${cut.size}`;
      parts.push(bytes.slice(taken, open), Buffer.from(`"${name}"`));
      cut.set(name, new CutText(bytes, [open + 1, close]));
      taken = close + 1;
    }
    from = close + 1;
    open = bytes.indexOf(QUOTE, from);
  }
  const rest = bytes.slice(taken, bytes.length);
  // A byte order mark is kept, so that it is refused as JSON refuses it.
  const text = (parts.length > 0 ? Buffer.concat([...parts, rest]) : rest).toString("utf8");
  return { text, texts: { of: (value) => cut.get(value) } };
}

/** Values that begin between two places outside of strings; no more are counted than are asked. */
function valuesBetween(bytes: PieceBytes, start: number, end: number, most: number): number {
  let values = 0;
  for (let at = start; at < end && values <= most; at++) {
    const byte = bytes.at(at);
    if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) values += 1;
  }
  return values;
}

function closingQuote(bytes: PieceBytes, open: number): number {
  let close = bytes.indexOf(QUOTE, open + 1);
  while (close >= 0) {
    let before = close - 1;
    while (bytes.at(before) === BACKSLASH) before--;
    if ((close - before) % 2 === 1) return close;
    close = bytes.indexOf(QUOTE, close + 1);
  }
  return -1;
}

/** True where each byte stands for itself in JSON. */
function isPlain(bytes: PieceBytes, start: number, end: number): boolean {
  for (const [part] of bytes.parts(start, end))
    for (let i = 0; i < part.length; i++) {
      const byte = part[i] ?? 0;
      if (byte < FIRST_PLAIN || byte === BACKSLASH) return false;
    }
  return true;
}

/** Whether all of them are UTF-8. */
export function arePiecesUtf8(bytes: PieceBytes): boolean {
  let carried = Buffer.alloc(0);
  for (const [part] of bytes.parts(0, bytes.length)) {
    const whole = carried.length > 0 ? Buffer.concat([carried, part]) : part;
    const end = whole.length - unfinished(whole);
    if (!isUtf8(whole.subarray(0, end))) return false;
    carried = Buffer.from(whole.subarray(end));
  }
  return carried.length === 0;
}

/** Bytes at the end that begin a character. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? back : 0;
  }
  return 0;
}
