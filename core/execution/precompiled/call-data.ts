/**
 * Lenient reading of call data: what is short or malformed reads as zero.
 * Source: precompiles, conventions
 */
import { byteString, type ByteString } from "../../bytes/byte-string.ts";
import { numberOfBytes } from "../../bytes/bytes.ts";
import { toHex } from "../../bytes/hex.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { selectorOf } from "./contract.ts";

const SELECTOR = 4;
const WORD = 32;
/** An offset or length that needs more bytes than this lies outside of any call data. */
const EXACT_BYTES = 6;

/** The selector as 8 hexadecimal digits; shorter when the data is. */
export function selectorText(input: Uint8Array): string {
  return toHex(input, 0, Math.min(SELECTOR, input.length));
}

/** Methods by the selectors of a suite. */
export function methodsBySelector<Method>(
  suite: CryptoSuite,
  methods: Readonly<Record<string, Method>>,
): ReadonlyMap<string, Method> {
  const entries = Object.entries(methods);
  return new Map(
    entries.map(([signature, method]) => [toHex(selectorOf(suite, signature)), method]),
  );
}

/** Reads string arguments in order; after the first defect every further one is empty. */
export function readStrings(input: Uint8Array, count: number): ByteString[] {
  const found: ByteString[] = [];
  for (let index = 0; index < count; index++) {
    const text: ByteString | undefined =
      found.length === index ? readString(input, index) : undefined;
    if (text === undefined) break;
    found.push(text);
  }
  while (found.length < count) found.push("");
  return found;
}

function readString(input: Uint8Array, index: number): ByteString | undefined {
  const offset = readSize(input, SELECTOR + index * WORD);
  if (offset === undefined) return undefined;
  const start = SELECTOR + offset;
  const length = readSize(input, start);
  if (length === undefined || start + WORD + length > input.length) return undefined;
  return byteString(input, start + WORD, start + WORD + length);
}

/** A word that must be a size within the data. */
function readSize(input: Uint8Array, at: number): number | undefined {
  if (at + WORD > input.length) return undefined;
  for (let index = at; index < at + WORD - EXACT_BYTES; index++)
    if (input[index] !== 0) return undefined;
  const size = numberOfBytes(input, at + WORD - EXACT_BYTES, at + WORD);
  return size <= input.length ? size : undefined;
}
