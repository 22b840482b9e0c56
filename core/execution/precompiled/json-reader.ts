/**
 * JSON as the reference's library reads it: comments are skipped, what follows the first value is
 * not examined, digits may have zeros in front. Texts are byte strings. Source: precompiles 6
 */
import { byteString, type ByteString, utf8Bytes } from "../../bytes/byte-string.ts";
import { PrecompiledFault } from "./contract.ts";
import { realText } from "./json-real.ts";

/** A value: a text, numbers in their text form; null; an array, which nobody reads; an object. */
export type JsonNode = ByteString | null | readonly [] | ReadonlyMap<ByteString, JsonNode>;

/** Deepest nesting; beyond it the library throws instead of answering. */
const MAX_DEPTH = 1_000;

interface Reader {
  readonly text: ByteString;
  at: number;
  depth: number;
}

/**
 * The value at the start of the text; undefined when the text is malformed.
 *
 * @throws PrecompiledFault for values nested too deeply
 */
export function readJson(text: ByteString): JsonNode | undefined {
  return readValue({ text, at: 0, depth: 0 });
}

/**
 * Members of an object, none of `null`.
 *
 * @throws PrecompiledFault for any other value
 */
export function membersOf(node: JsonNode): ReadonlyMap<ByteString, JsonNode> {
  if (node instanceof Map) return node;
  if (node === null) return new Map();
  throw new PrecompiledFault("other", "the value has no members");
}

/**
 * The value as text, `null` as empty text.
 *
 * @throws PrecompiledFault for arrays and objects
 */
export function textOf(node: JsonNode): ByteString {
  if (typeof node === "string") return node;
  if (node === null) return "";
  throw new PrecompiledFault("other", "the value has no text");
}

function readValue(reader: Reader): JsonNode | undefined {
  if (++reader.depth > MAX_DEPTH) throw new PrecompiledFault("other", "nested too deeply");
  const node = skipSpace(reader) ? readPresent(reader) : undefined;
  reader.depth--;
  return node;
}

function readPresent(reader: Reader): JsonNode | undefined {
  const first = reader.text.charAt(reader.at);
  if (first === "{") return readObject(reader);
  if (first === "[") return readArray(reader);
  if (first === '"') return readString(reader);
  if (/[-0-9]/.test(first)) return readNumber(reader);
  if (take(reader, "null")) return null;
  return ["true", "false"].find((word) => take(reader, word));
}

function skipBlanks(reader: Reader): void {
  const { text } = reader;
  while (reader.at < text.length && " \t\r\n".includes(text.charAt(reader.at))) reader.at++;
}

/** Skips blanks and comments; false for a comment that does not end or is none. */
function skipSpace(reader: Reader): boolean {
  const { text } = reader;
  for (;;) {
    skipBlanks(reader);
    if (text.startsWith("/*", reader.at)) {
      const end = text.indexOf("*/", reader.at + 2);
      if (end < 0) return false;
      reader.at = end + 2;
    } else if (text.startsWith("//", reader.at)) {
      while (reader.at < text.length && !"\r\n".includes(text.charAt(reader.at))) reader.at++;
    } else return true;
  }
}

/** Skips space and takes a token when it comes next. */
function takeToken(reader: Reader, token: string): boolean {
  return skipSpace(reader) && take(reader, token);
}

function take(reader: Reader, token: string): boolean {
  if (!reader.text.startsWith(token, reader.at)) return false;
  reader.at += token.length;
  return true;
}

/** No comment may stand before the colon, and a comma may follow a last name without letters. */
function readObject(reader: Reader): JsonNode | undefined {
  reader.at++;
  const members = new Map<ByteString, JsonNode>();
  let name: ByteString | undefined = "";
  for (;;) {
    if (!skipSpace(reader)) return undefined;
    if (name === "" && take(reader, "}")) return members;
    name = readString(reader);
    skipBlanks(reader);
    if (name === undefined || !take(reader, ":")) return undefined;
    const value = readValue(reader);
    if (value === undefined) return undefined;
    members.set(name, value);
    if (takeToken(reader, "}")) return members;
    if (!takeToken(reader, ",")) return undefined;
  }
}

/** An empty list may hold blanks, but no comment. */
function readArray(reader: Reader): readonly [] | undefined {
  reader.at++;
  skipBlanks(reader);
  if (take(reader, "]")) return [];
  for (;;) {
    if (readValue(reader) === undefined) return undefined;
    if (takeToken(reader, "]")) return [];
    if (!takeToken(reader, ",")) return undefined;
  }
}

const NUMBER = /-?[0-9]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?/y;
const INTEGER = /^-?[0-9]*$/;
/** Each digit has one place in it: a megabyte of digits must not be divided in all ways. */
const REAL = /^-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 64n - 1n;
/** An integer with more digits, zeros in front aside, is read as a real number. */
const MAX_DIGITS = 20;

function readNumber(reader: Reader): ByteString | undefined {
  NUMBER.lastIndex = reader.at;
  const text = NUMBER.exec(reader.text)?.[0] ?? "";
  reader.at += text.length;
  const digits = text.replace(/^-?0*/, "");
  if (INTEGER.test(text) && digits.length <= MAX_DIGITS) {
    const value = BigInt(digits === "" ? 0 : digits) * (text.startsWith("-") ? -1n : 1n);
    if (value >= MIN_INTEGER && value <= MAX_INTEGER) return value.toString();
  }
  const real = REAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(real) ? realText(real) : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "/": "/",
  "\\": "\\",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const PLAIN = /[^"\\]*/y;

function readString(reader: Reader): ByteString | undefined {
  if (!take(reader, '"')) return undefined;
  const parts: ByteString[] = [];
  for (;;) {
    PLAIN.lastIndex = reader.at;
    const plain = PLAIN.exec(reader.text)?.[0] ?? "";
    reader.at += plain.length;
    parts.push(plain);
    if (take(reader, '"')) return parts.join("");
    const escaped = take(reader, "\\") ? readEscape(reader) : undefined;
    if (escaped === undefined) return undefined;
    parts.push(escaped);
  }
}

function readEscape(reader: Reader): ByteString | undefined {
  const letter = reader.text.charAt(reader.at++);
  if (letter !== "u") return ESCAPES[letter];
  const unit = readUnit(reader);
  if (unit === undefined) return undefined;
  if (unit >= 0xd800 && unit <= 0xdbff) {
    const low = take(reader, "\\u") ? readUnit(reader) : undefined;
    if (low === undefined) return undefined;
    const point = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
    return byteString(utf8Bytes(String.fromCodePoint(point)));
  }
  return threeByteForm(unit);
}

/** UTF-8 of a unit; a lone second half of a pair gets the three bytes of its number. */
function threeByteForm(unit: number): ByteString {
  if (unit < 0xdc00 || unit > 0xdfff) return byteString(utf8Bytes(String.fromCharCode(unit)));
  return String.fromCharCode(
    0xe0 | (unit >> 12),
    0x80 | ((unit >> 6) & 0x3f),
    0x80 | (unit & 0x3f),
  );
}

function readUnit(reader: Reader): number | undefined {
  const digits = reader.text.slice(reader.at, reader.at + 4);
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) return undefined;
  reader.at += 4;
  return Number.parseInt(digits, 16);
}
