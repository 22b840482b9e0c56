/**
 * JSON text as it arrives: strict parsing with bounds, and the source text of numbers.
 * Source: rpc-semantics 2.1, 2.6
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Arrays and objects nested deeper than this are not accepted. Source: rpc-semantics 2.6 */
export const MAX_JSON_DEPTH = 1_000;

/**
 * Parses JSON strictly (no comments, no text after the value, no lone surrogates, bounded depth).
 *
 * @returns undefined when the text is not such JSON
 * Source: rpc-semantics 2.6
 */
export function parseJson(text: string): Json | undefined {
  // Shorter texts cannot be nested too deeply, which keeps the walk off the usual path.
  if (text.length > MAX_JSON_DEPTH && scan(text, { depth: MAX_JSON_DEPTH }) === UNBOUNDED)
    return undefined;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  if (text.includes("\\u") && !hasPairedSurrogates(text)) return undefined;
  return value;
}

/** More values than this are in no honest request. */
export const MAX_JSON_VALUES = 200_000;

/**
 * How many values a text holds, brackets and commas taken for values; infinitely many when there
 * are more than {@link MAX_JSON_VALUES}. Nothing is made of them: reading millions of small ones
 * would hold up the whole node.
 */
export function countValues(text: string): number {
  return scan(text, { values: MAX_JSON_VALUES });
}

/** True for an object that is not an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const UNBOUNDED = Number.POSITIVE_INFINITY;

/**
 * Examines brackets and commas only. What is not JSON is found out elsewhere.
 *
 * @returns the values; infinitely many when a bound is passed
 */
function scan(text: string, most: { readonly depth?: number; readonly values?: number }): number {
  const { depth: deepest = UNBOUNDED, values: mostValues = UNBOUNDED } = most;
  let depth = 0;
  let values = 1;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      values += 1;
      if (depth > deepest) return UNBOUNDED;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    else if (code === COMMA) values += 1;
    if (values > mostValues) return UNBOUNDED;
    at += 1;
  }
  return values;
}

/** Such text has no UTF-8 form, so it could not be echoed. The text is known to be JSON. */
function hasPairedSurrogates(text: string): boolean {
  let pending = -1;
  let at = text.indexOf("\\");
  while (at >= 0) {
    const isUnit = text.charCodeAt(at + 1) === LETTER_U;
    const unit = isUnit ? Number.parseInt(text.slice(at + 2, at + 6), 16) : 0;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (pending >= 0 && !(isLow && at === pending)) return false;
    if (pending < 0 && isLow) return false;
    const isHigh = unit >= 0xd800 && unit <= 0xdbff;
    const end = at + (isUnit ? 6 : 2);
    pending = isHigh ? end : -1;
    at = text.indexOf("\\", end);
  }
  return pending < 0;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;
const LETTER_U = 0x75;

/**
 * Source text of a number that is a member of an object, for numbers that a double does not hold.
 *
 * @param text JSON that was parsed successfully
 * @param from where the object stands, or blanks before it
 * @returns the last member of that name, trimmed; undefined when there is none
 */
export function memberSource(text: string, name: string, from = 0): string | undefined {
  let at = skipBlanks(text, from) + 1;
  let source: string | undefined;
  while (at < text.length) {
    at = skipBlanks(text, at);
    const code = text.charCodeAt(at);
    if (code === CLOSE_BRACE) break;
    if (code === COMMA) {
      at += 1;
      continue;
    }
    const keyEnd = valueEnd(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as Json;
    at = skipBlanks(text, keyEnd);
    if (text.charCodeAt(at) === COLON) at += 1;
    const valueStart = skipBlanks(text, at);
    at = valueEnd(text, valueStart);
    // The last member wins, as in JSON.parse.
    if (key === name) source = text.slice(valueStart, at).trim();
  }
  return source;
}

/** Where the elements of a top-level array stand, found in one pass. The text is one, as JSON. */
export function elementStarts(text: string): readonly number[] {
  const starts: number[] = [];
  let at = skipBlanks(text, skipBlanks(text, 0) + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    starts.push(at);
    at = skipBlanks(text, valueEnd(text, at));
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
  }
  return starts;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** Position after the value that starts at `from`. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (code === COMMA || code === COLON)) return at;
    at += 1;
  }
  return at;
}

/** The end of the text when the string does not end. */
function stringEnd(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Digits of the largest number of 64 bits. */
const MAX_DIGITS = 20;
const MIN_INT64 = -(2n ** 63n);
const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * True when a JSON number in any notation (`10`, `1.0`, `1e3`) is a whole number of 64 bits, with
 * or without a sign, by its exact value.
 */
export function isWhole64Source(source: string): boolean {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (parts === null) return false;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return true;
  const length = digits.length + Number(exponent) - fraction.length;
  if (length < 1 || length > MAX_DIGITS || !/^0*$/.test(digits.slice(length))) return false;
  const value = BigInt(sign + digits.slice(0, length).padEnd(length, "0"));
  return value >= MIN_INT64 && value <= MAX_UINT64;
}
