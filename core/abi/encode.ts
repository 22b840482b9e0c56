/**
 * Encoding of ABI values, calls and revert texts. Source: precompiles 0 (Conventions); execution 6
 */
import { bytesOf, isByteString } from "../bytes/byte-string.ts";
import { concatBytes, writeUint } from "../bytes/bytes.ts";
import { idBytes, isAddress } from "../bytes/hex.ts";
import type { Address } from "../bytes/ids.ts";
import type { HashFunction } from "../crypto/merkle.ts";
import { invariant } from "../fault/invariant.ts";
import {
  type AbiType,
  headBytes,
  headBytesOf,
  isDynamicType,
  parseSignature,
  WORD_BYTES,
} from "./type.ts";

/**
 * A value: integers are bigints, `bool` a boolean, `address` an identifier, `bytes` and `bytesN`
 * bytes, `string` a *byte string* (see core/bytes/byte-string.ts), arrays and tuples lists.
 */
export type AbiValue = bigint | boolean | Address | string | Uint8Array | readonly AbiValue[];

/** Whether the value can be encoded as the type. */
export function fitsAbiType(type: AbiType, value: AbiValue): boolean {
  switch (type.kind) {
    case "uint":
      return typeof value === "bigint" && value >= 0n && value < 1n << BigInt(type.bits);
    case "int":
      return typeof value === "bigint" && BigInt.asIntN(type.bits, value) === value;
    case "bool":
      return typeof value === "boolean";
    case "address":
      return isAddress(value);
    case "string":
      return typeof value === "string" && isByteString(value);
    case "bytes":
      return value instanceof Uint8Array;
    case "fixedBytes":
      return value instanceof Uint8Array && value.length === type.size;
    case "array":
      return (
        Array.isArray(value) &&
        (type.length === undefined || value.length === type.length) &&
        value.every((item) => fitsAbiType(type.element, item))
      );
    case "tuple":
      return (
        Array.isArray(value) &&
        value.length === type.components.length &&
        type.components.every((component, i) => fitsAbiType(component.type, value[i]))
      );
  }
}

function padded(bytes: number): number {
  return Math.ceil(bytes / WORD_BYTES) * WORD_BYTES;
}

/** The member types of a list value: one for each item. */
function memberTypes(type: AbiType, count: number): readonly AbiType[] {
  if (type.kind === "tuple") return type.components.map((component) => component.type);
  invariant(type.kind === "array", "only arrays and tuples have members");
  return Array.from({ length: count }, () => type.element);
}

function membersOf(value: AbiValue): readonly AbiValue[] {
  invariant(Array.isArray(value), "an array or tuple value is a list");
  return value as readonly AbiValue[];
}

/** Bytes behind the offset of a dynamic value; 0 for others, which are in the head alone. */
function tailBytes(type: AbiType, value: AbiValue): number {
  if (!isDynamicType(type)) return 0;
  if (value instanceof Uint8Array || typeof value === "string") {
    return WORD_BYTES + padded(value.length);
  }
  const members = membersOf(value);
  const count = type.kind === "array" && type.length === undefined ? WORD_BYTES : 0;
  return count + tupleBytes(memberTypes(type, members.length), members);
}

function tupleBytes(types: readonly AbiType[], values: readonly AbiValue[]): number {
  let bytes = headBytesOf(types);
  for (const [i, type] of types.entries()) bytes += tailBytes(type, values[i] ?? false);
  return bytes;
}

/** Where things are written; `tail` is the first free byte behind everything written so far. */
interface Target {
  readonly bytes: Uint8Array;
  tail: number;
}

function writeWord(target: Target, at: number, value: bigint | number): void {
  writeUint(target.bytes, at + WORD_BYTES, value);
}

/** Writes head and tails of a tuple that starts at `base`; the tails start where the head ends. */
function writeTuple(
  target: Target,
  base: number,
  types: readonly AbiType[],
  values: readonly AbiValue[],
): void {
  let at = base;
  target.tail = base + headBytesOf(types);
  for (const [i, type] of types.entries()) {
    const value = values[i] ?? false;
    if (isDynamicType(type)) {
      writeWord(target, at, target.tail - base);
      writeTail(target, type, value);
    } else writeStatic(target, at, type, value);
    at += headBytes(type);
  }
}

function writeTail(target: Target, type: AbiType, value: AbiValue): void {
  const start = target.tail;
  if (value instanceof Uint8Array || typeof value === "string") {
    writeWord(target, start, value.length);
    target.tail = start + WORD_BYTES + padded(value.length);
    writeRun(target.bytes, start + WORD_BYTES, value);
    return;
  }
  const members = membersOf(value);
  const types = memberTypes(type, members.length);
  const counted = type.kind === "array" && type.length === undefined;
  if (counted) writeWord(target, start, members.length);
  writeTuple(target, counted ? start + WORD_BYTES : start, types, members);
}

/** In place: a text may be long. */
function writeRun(bytes: Uint8Array, at: number, value: Uint8Array | string): void {
  if (value instanceof Uint8Array) bytes.set(value, at);
  else for (let i = 0; i < value.length; i++) bytes[at + i] = value.charCodeAt(i);
}

function writeStatic(target: Target, at: number, type: AbiType, value: AbiValue): void {
  if (typeof value === "bigint") writeWord(target, at, BigInt.asUintN(256, value));
  else if (typeof value === "boolean") writeWord(target, at, value ? 1 : 0);
  else if (value instanceof Uint8Array) target.bytes.set(value, at);
  else if (typeof value === "string") {
    target.bytes.set(idBytes(value as Address), at + WORD_BYTES - 20);
  } else {
    let position = at;
    for (const [i, member] of memberTypes(type, value.length).entries()) {
      writeStatic(target, position, member, value[i] ?? false);
      position += headBytes(member);
    }
  }
}

/**
 * The encoding of values as one tuple, as in call data behind the selector and in results.
 *
 * @throws InvariantFault when a value does not fit its type; ask {@link fitsAbiType} first for
 *   values from outside
 */
export function encodeAbi(types: readonly AbiType[], values: readonly AbiValue[]): Uint8Array {
  invariant(types.length === values.length, "there is one value for each type");
  for (const [i, type] of types.entries()) {
    invariant(fitsAbiType(type, values[i] ?? []), "the value fits its ABI type");
  }
  const body = { bytes: new Uint8Array(tupleBytes(types, values)), tail: 0 };
  writeTuple(body, 0, types, values);
  return body.bytes;
}

/** Bytes of a function selector. */
export const SELECTOR_BYTES = 4;

/** The first four bytes of the hash of a canonical signature text. Source: precompiles 0 */
export function selectorOf(signatureText: string, hash: HashFunction): Uint8Array {
  return hash(bytesOf(signatureText)).slice(0, SELECTOR_BYTES);
}

/**
 * Call data: selector and arguments.
 *
 * @param signature a signature text, `set(string)`
 * @throws InvariantFault when the text is no signature or a value does not fit
 */
export function encodeCall(
  signature: string,
  values: readonly AbiValue[],
  hash: HashFunction,
): Uint8Array {
  const parsed = parseSignature(signature);
  invariant(parsed !== undefined, "the text is a function signature");
  return concatBytes(selectorOf(parsed.text, hash), encodeAbi(parsed.inputs, values));
}

/** Output of a revert with a text: a call of `Error(string)`. Source: execution 6 */
export function encodeRevert(text: string, hash: HashFunction): Uint8Array {
  return encodeCall("Error(string)", [text], hash);
}
