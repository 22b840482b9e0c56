/**
 * What the Ethereum precompiled contracts have in common: their shape and their reading of padded
 * input.
 */

/** A precompiled contract of Ethereum. Source: precompiles 17 */
export interface EthereumPrecompile {
  /**
   * Gas for an input; Infinity above 2^53. Charged from version 2.5.0 on, before the contract runs.
   */
  cost(input: Uint8Array): number;
  /**
   * What gas does not pay for, in units of 5 ns: prices were made for native arithmetic, and below
   * 2.5.0 there are none. Asked only when the cost is paid. Source: decision 21
   */
  work(input: Uint8Array): number;
  /** Output, or undefined for a failure (which takes all gas from version 2.6.0 on). Pure. */
  run(input: Uint8Array): Uint8Array | undefined;
}

/** No bytes. */
export const NOTHING = new Uint8Array(0);

/** A price per started word of 32 bytes on top of a base. */
export function wordPrice(base: number, perWord: number): (input: Uint8Array) => number {
  return (input) => base + perWord * Math.ceil(input.length / 32);
}

/** `length` bytes of the input from `offset` on; what is missing reads as zero. */
export function slice(input: Uint8Array, offset: number, length: number): Uint8Array {
  const part = new Uint8Array(length);
  if (offset < input.length) part.set(input.subarray(offset, offset + length));
  return part;
}

/** Digits of a byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Big-endian bytes as a number. */
export function toInteger(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  const digits: string[] = [];
  for (const byte of bytes) digits.push(HEX[byte] as string);
  return BigInt(`0x${digits.join("")}`);
}

/** A number below 256^length as big-endian bytes. */
export function fromInteger(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const text = value.toString(16);
  const digits = text.padStart(text.length + (text.length % 2), "0");
  const first = length - digits.length / 2;
  for (let i = 0; i < digits.length; i += 2) {
    bytes[first + i / 2] = Number.parseInt(digits.slice(i, i + 2), 16);
  }
  return bytes;
}

/** Bytes one after the other. */
export function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
