/**
 * What the Ethereum precompiled contracts have in common: their shape and their reading of padded
 * input.
 */
import { toHex } from "../../../bytes/hex.ts";

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

/** Big-endian bytes, however many, as a number. */
export function toInteger(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
}
