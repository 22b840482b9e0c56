/** Calls of tables and their objects by signature, and what their answers say. */
import assert from "node:assert/strict";
import { decodeAbi } from "../../../core/abi/decode.ts";
import { type AbiValue, encodeCall as encodeValues } from "../../../core/abi/encode.ts";
import { type AbiType, parseSignature } from "../../../core/abi/type.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import { SUITE } from "./test-chain.ts";

function typesOf(signature: string): readonly AbiType[] {
  const parsed = parseSignature(signature);
  assert.ok(parsed, signature);
  return parsed.inputs;
}

/** Selector and arguments. */
export function encodeCall(signature: string, ...values: readonly AbiValue[]): Uint8Array {
  return encodeValues(signature, values, SUITE.hash);
}

/** One word as a signed integer. */
export function int256(output: Uint8Array): number {
  assert.equal(output.length, 32, toHex(output));
  return Number(BigInt.asIntN(256, BigInt(`0x${toHex(output)}`)));
}

/** The values of an answer, types as in `(bool,address)`. */
export function answerValues(types: string, output: Uint8Array): readonly AbiValue[] {
  const decoded = decodeAbi(typesOf(`f${types}`), output);
  assert.ok(decoded.ok, toHex(output));
  return decoded.values;
}

/** The text of `Error(string)`; undefined for other output. */
export function errorText(output: Uint8Array): string | undefined {
  if (toHex(output.subarray(0, 4)) !== "08c379a0") return undefined;
  return String(answerValues("(string)", output.subarray(4))[0]);
}
