/**
 * Reading of call data, lenient: what is short or malformed reads as zero.
 * Source: precompiles 0 (Conventions)
 */
import { decodeAbiLeniently } from "../../abi/decode.ts";
import { type AbiValue, SELECTOR_BYTES, selectorOf } from "../../abi/encode.ts";
import type { AbiType } from "../../abi/type.ts";
import type { ByteString } from "../../bytes/byte-string.ts";
import { toHex } from "../../bytes/hex.ts";
import type { Address } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";

const STRING = { kind: "string" } as const;

/** The selector as 8 hexadecimal digits; shorter when the data is. */
export function selectorText(input: Uint8Array): string {
  return toHex(input, 0, Math.min(SELECTOR_BYTES, input.length));
}

/** Methods by the selectors of a suite. */
export function methodsBySelector<Method>(
  suite: CryptoSuite,
  methods: Readonly<Record<string, Method>>,
): ReadonlyMap<string, Method> {
  const entries = Object.entries(methods);
  return new Map(
    entries.map(([signature, method]) => [toHex(selectorOf(signature, suite.hash)), method]),
  );
}

/** Reads string arguments in order; from the first defect on they are empty. */
export function readStrings(input: Uint8Array, count: number): ByteString[] {
  const types = Array.from({ length: count }, () => STRING);
  return decodeAbiLeniently(types, input.subarray(SELECTOR_BYTES)).map(String);
}

/**
 * Reads arguments in order; from the first defect on they have their zero values.
 * Source: precompiles 0 (Conventions)
 */
export function readArguments(input: Uint8Array, types: readonly AbiType[]): AbiValue[] {
  return decodeAbiLeniently(types, input.subarray(SELECTOR_BYTES));
}

const ADDRESS = { kind: "address" } as const;

/** Reads two addresses; what is not there is the zero address. */
export function readAddresses(input: Uint8Array): [Address, Address] {
  const [first, second] = readArguments(input, [ADDRESS, ADDRESS]);
  return [first as Address, second as Address];
}
