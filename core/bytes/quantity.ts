/**
 * JSON-RPC quantities and the lenient readers of parameter strings. Source: rpc-semantics 3.1, 3.2
 */
import { addressOf, fromHex } from "./hex.ts";
import { ZERO_HASH, type Address, type Hash } from "./ids.ts";

/** `0x` and lower-case digits without leading zeros; `0x0` for zero. Source: rpc-semantics 3.2 */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

const HEX_NUMBER = /^0x[0-9a-fA-F]*$/;
const DECIMAL_NUMBER = /^[0-9]*$/;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT256 = 2n ** 256n - 1n;

/**
 * No text of a number or hash is longer: more digits than any accepted number may have with a
 * generous run of leading zeros.
 */
const MAX_NUMBER_CHARS = 4_096;

function readNumber(text: string, max: bigint): bigint | undefined {
  if (text.length > MAX_NUMBER_CHARS) return undefined;
  let value: bigint;
  if (HEX_NUMBER.test(text)) value = text.length === 2 ? 0n : BigInt(text);
  else if (DECIMAL_NUMBER.test(text)) value = BigInt(text === "" ? "0" : text);
  else return undefined;
  return value <= max ? value : undefined;
}

/**
 * A block number, index or count: `0x` and digits, or decimal ones; `0x` and the empty text are 0.
 *
 * @returns undefined for other texts and above 2^63 - 1; numbers that JavaScript cannot hold
 *   exactly read as `Number.MAX_SAFE_INTEGER`, which no chain reaches
 * Source: rpc-semantics 3.1
 */
export function readBlockNumber(text: string): number | undefined {
  const value = readNumber(text, MAX_INT64);
  if (value === undefined) return undefined;
  return value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(value);
}

/** A number of at most 256 bits in the same grammar. Source: rpc-semantics 3.1 */
export function readU256(text: string): bigint | undefined {
  return readNumber(text, MAX_UINT256);
}

/**
 * A hash parameter: the last 64 digits after `0x`; decimal digits are a number; what is too short
 * or anything else is the zero hash, which finds nothing.
 *
 * @returns undefined when a digit after `0x` is not hexadecimal, and for more than 4,096 characters
 * Source: rpc-semantics 3.1
 */
export function readHash(text: string): Hash | undefined {
  if (text.length > MAX_NUMBER_CHARS) return undefined;
  if (text.startsWith("0x")) {
    if (!HEX_NUMBER.test(text)) return undefined;
    if (text.length < 66) return ZERO_HASH;
    return `0x${text.slice(-64).toLowerCase()}` as Hash;
  }
  if (text === "" || !DECIMAL_NUMBER.test(text)) return ZERO_HASH;
  const value = readNumber(text, MAX_UINT256);
  if (value === undefined) return ZERO_HASH;
  return `0x${value.toString(16).padStart(64, "0")}` as Hash;
}

/**
 * An address parameter: exactly 20 bytes of either case, `0x` optional. Source: rpc-semantics 3.1
 */
export function readAddress(text: string): Address | undefined {
  const bytes = text.length <= 42 ? readHexBytes(text) : undefined;
  return bytes?.length === 20 ? addressOf(bytes) : undefined;
}

/** `0x` is optional; of an odd count the first digit is a byte alone. Source: rpc-semantics 3.1 */
export function readHexBytes(text: string): Uint8Array | undefined {
  if (text.length % 2 === 0) return fromHex(text);
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  return fromHex(`0${digits}`);
}
