/**
 * JSON text as it arrives: strict parsing with bounds, and the source text of numbers.
 *
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
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  // Shorter texts cannot be nested too deeply, which keeps the walk off the usual path.
  if (text.length > MAX_JSON_DEPTH && isDeeper(value, MAX_JSON_DEPTH)) return undefined;
  if (text.includes("\\u") && !hasPairedSurrogates(text)) return undefined;
  return value;
}

/** True for an object that is not an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isDeeper(value: Json, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  const children: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  for (const child of children) {
    if (typeof child === "object" && child !== null && isDeeper(child, limit - 1)) return true;
  }
  return false;
}

/** Such text has no UTF-8 form, so it could not be echoed. The text is known to be JSON. */
function hasPairedSurrogates(text: string): boolean {
  const escapes = /\\(?:u([0-9a-fA-F]{4})|.)/g;
  let pending = -1;
  for (let found = escapes.exec(text); found !== null; found = escapes.exec(text)) {
    const unit = found[1] === undefined ? 0 : Number.parseInt(found[1], 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (pending >= 0 && !(isLow && found.index === pending)) return false;
    if (pending < 0 && isLow) return false;
    const isHigh = unit >= 0xd800 && unit <= 0xdbff;
    pending = isHigh ? escapes.lastIndex : -1;
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

/**
 * Source text of a number that is a member of an object, for numbers that a double does not hold.
 *
 * @param text JSON that was parsed successfully
 * @param element index in the top-level array; undefined when the object is the top level
 * @returns the last member of that name, trimmed; undefined when there is none
 */
export function memberSource(
  text: string,
  name: string,
  element: number | undefined,
): string | undefined {
  const start = element === undefined ? skipBlanks(text, 0) : elementStart(text, element);
  let at = start + 1;
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

function elementStart(text: string, element: number): number {
  let at = skipBlanks(text, skipBlanks(text, 0) + 1);
  for (let index = 0; index < element; index += 1) {
    at = skipBlanks(text, valueEnd(text, at));
    at = skipBlanks(text, at + 1);
  }
  return at;
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

function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** True when a JSON number in any notation (`10`, `1.0`, `1e3`) is a whole number. */
export function isIntegralSource(source: string): boolean {
  const parts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (parts === null) return false;
  const [, whole = "", fraction = "", exponent = "0"] = parts;
  const shift = Number(exponent) - fraction.length;
  if (shift >= 0) return true;
  const digits = whole + fraction;
  const cut = Math.max(0, digits.length + shift);
  return /^0*$/.test(digits.slice(cut));
}
