/** Hexadecimal text and the branded identifiers made of it. Source: rpc-semantics 3.2 */
import { invariant } from "../fault/invariant.ts";
import type { Address, Hash, NodeId } from "./ids.ts";

const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

/** Value of a hexadecimal digit by char code; -1 for other characters. */
const DIGITS = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Value of the hexadecimal digit at a position of a text; -1 when there is none. */
export function hexDigit(text: string, position: number): number {
  return DIGITS[text.charCodeAt(position)] ?? -1;
}

/** Char code of the digit of four bits. */
const CODES = Uint8Array.from({ length: 16 }, (_, value) => value.toString(16).charCodeAt(0));

/** Hexadecimal digits as a platform makes and reads them fastest. */
export interface HexEngine {
  /** Lower-case digits of the bytes [start, end), no prefix. */
  digits(bytes: Uint8Array, start: number, end: number): string;
  /** The bytes of an even number of digits of either case; undefined when it is something else. */
  bytes(digits: string): Uint8Array | undefined;
}

/** What is shorter costs more on the way to an engine than it saves. */
const ENGINE_FROM_BYTES = 48;
let engine: HexEngine | undefined;

/** Has longer texts made and read by an engine from now on; by the code below without one. */
export function useHexEngine(next: HexEngine | undefined): void {
  engine = next;
}

/** Lower-case digits of the bytes [start, end), no prefix. */
export function toHex(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const last = Math.min(end, bytes.length);
  if (engine && last - start >= ENGINE_FROM_BYTES) return engine.digits(bytes, start, last);
  let text = "";
  let i = start;
  // Four bytes to a piece: half the time and a quarter of the garbage of joining pairs.
  for (; i + 4 <= last; i += 4) text += digitsOfFour(bytes, i);
  for (; i < last; i++) text += PAIRS[bytes[i] ?? 0];
  return text;
}

function digitsOfFour(bytes: Uint8Array, at: number): string {
  const a = bytes[at] ?? 0;
  const b = bytes[at + 1] ?? 0;
  const c = bytes[at + 2] ?? 0;
  const d = bytes[at + 3] ?? 0;
  return String.fromCharCode(
    CODES[a >> 4] ?? 0,
    CODES[a & 15] ?? 0,
    CODES[b >> 4] ?? 0,
    CODES[b & 15] ?? 0,
    CODES[c >> 4] ?? 0,
    CODES[c & 15] ?? 0,
    CODES[d >> 4] ?? 0,
    CODES[d & 15] ?? 0,
  );
}

/** `0x` and lower-case digits: the form of bytes in results; `0x` for no bytes. */
export function toPrefixedHex(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}

/** The bytes of an even number of digits of either case, with or without `0x`; else undefined. */
export function fromHex(text: string): Uint8Array | undefined {
  const start = text.startsWith("0x") ? 2 : 0;
  const digits = text.length - start;
  if (digits % 2 !== 0) return undefined;
  if (engine && digits >= 2 * ENGINE_FROM_BYTES) return engine.bytes(text.slice(start));
  const bytes = new Uint8Array(digits >> 1);
  for (let i = 0, at = start; i < bytes.length; i++, at += 2) {
    const high = hexDigit(text, at);
    const low = hexDigit(text, at + 1);
    if (high < 0 || low < 0) return undefined;
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}

/** The bytes of a text that is known to be hexadecimal: constants and identifiers. */
export function hexBytes(text: string): Uint8Array {
  const bytes = fromHex(text);
  invariant(bytes !== undefined, "the text is hexadecimal");
  return bytes;
}

/** The identifier of 32 bytes. */
export function hashOf(bytes: Uint8Array): Hash {
  invariant(bytes.length === 32, "a hash has 32 bytes");
  return `0x${toHex(bytes)}` as Hash;
}

/** The identifier of 20 bytes. */
export function addressOf(bytes: Uint8Array): Address {
  invariant(bytes.length === 20, "an address has 20 bytes");
  return `0x${toHex(bytes)}` as Address;
}

/** The identifier of a 64-byte public key. */
export function nodeIdOf(publicKey: Uint8Array): NodeId {
  invariant(publicKey.length === 64, "a node ID has 64 bytes");
  return toHex(publicKey) as NodeId;
}

/** Writes the bytes of a hash into a target: many hashes of a block need no arrays then. */
export function putHash(hash: Hash, target: Uint8Array, at: number): void {
  for (let i = at, digit = 2; digit < hash.length; i++, digit += 2) {
    target[i] = (hexDigit(hash, digit) << 4) | hexDigit(hash, digit + 1);
  }
}

/** The bytes of an identifier. */
export function idBytes(id: Hash | Address | NodeId): Uint8Array {
  return hexBytes(id);
}

/** Whether the text is a hash in the form used inside. */
export function isHash(text: unknown): text is Hash {
  return typeof text === "string" && /^0x[0-9a-f]{64}$/.test(text);
}

/** Whether the text is an address in the form used inside. */
export function isAddress(text: unknown): text is Address {
  return typeof text === "string" && /^0x[0-9a-f]{40}$/.test(text);
}

/** Whether the text is a node ID in the form used inside. */
export function isNodeId(text: unknown): text is NodeId {
  return typeof text === "string" && /^[0-9a-f]{128}$/.test(text);
}

/** The address of a number: precompiled contracts, dynamic objects. Source: precompiles 1 */
export function addressOfNumber(value: number): Address {
  return `0x${value.toString(16).padStart(40, "0")}` as Address;
}
