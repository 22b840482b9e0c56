/**
 * Decoding of ABI values: strictly for tools, leniently as precompiled contracts read their
 * arguments. Source: precompiles 0 (Conventions)
 */
import { byteString } from "../bytes/byte-string.ts";
import { bigintOfBytes, EMPTY_BYTES, isAllZero, numberOfBytes } from "../bytes/bytes.ts";
import { addressOf } from "../bytes/hex.ts";
import { ZERO_ADDRESS } from "../bytes/ids.ts";
import type { AbiValue } from "./encode.ts";
import { type AbiType, headBytes, isDynamicType, WORD_BYTES } from "./type.ts";

/** Why data is not an encoding of the types. */
export type AbiDecodeReason =
  /** A word or run reaches beyond the data. */
  | "tooShort"
  /** A value has bits outside its type. */
  | "outOfRange"
  /** The data refers to itself so often that decoding it all would take too long. */
  | "tooMany";

/** What came of strict decoding. */
export type AbiDecoding =
  | { readonly ok: true; readonly values: AbiValue[] }
  | { readonly ok: false; readonly reason: AbiDecodeReason };

/** The data and how it is read; the first problem stays in `reason`. */
interface Source {
  readonly data: Uint8Array;
  readonly lenient: boolean;
  /** Values that may still be read: overlapping tails must not multiply the work. */
  budget: number;
  reason: AbiDecodeReason | undefined;
}

function fail(source: Source, reason: AbiDecodeReason): undefined {
  source.reason ??= reason;
  return undefined;
}

/** Whether `count` bytes are there; counts one value against the budget. */
function has(source: Source, at: number, count: number): boolean {
  if (source.budget-- <= 0) fail(source, "tooMany");
  else if (at + count > source.data.length) fail(source, "tooShort");
  return source.reason === undefined;
}

/** An offset or length: undefined when it is beyond any data. */
function readSize(source: Source, at: number): number | undefined {
  if (!has(source, at, WORD_BYTES)) return undefined;
  const { data } = source;
  const low = at + WORD_BYTES - 6;
  if (!isAllZero(data.subarray(at, low))) return fail(source, "tooShort");
  return numberOfBytes(data, low, low + 6);
}

/** Reads a value whose place in the head is `at`; offsets count from `base`. */
function readValue(source: Source, type: AbiType, base: number, at: number): AbiValue | undefined {
  if (!isDynamicType(type)) return readInPlace(source, type, at);
  const offset = readSize(source, at);
  return offset === undefined ? undefined : readInPlace(source, type, base + offset);
}

function readInPlace(source: Source, type: AbiType, at: number): AbiValue | undefined {
  switch (type.kind) {
    case "array":
      return readArray(source, type.element, type.length, at);
    case "tuple":
      return readTuple(
        source,
        type.components.map((component) => component.type),
        at,
      );
    case "bytes":
      return readRun(source, at);
    case "string": {
      const run = readRun(source, at);
      return run && byteString(run);
    }
    default:
      return has(source, at, WORD_BYTES) ? readWord(source, type, at) : undefined;
  }
}

/** The declared bytes; padding behind them is neither needed nor examined. */
function readRun(source: Source, at: number): Uint8Array | undefined {
  const length = readSize(source, at);
  if (length === undefined || !has(source, at + WORD_BYTES, length)) return undefined;
  return source.data.slice(at + WORD_BYTES, at + WORD_BYTES + length);
}

function readArray(
  source: Source,
  element: AbiType,
  fixedLength: number | undefined,
  at: number,
): AbiValue[] | undefined {
  const length = fixedLength ?? readSize(source, at);
  if (length === undefined) return undefined;
  const base = fixedLength === undefined ? at + WORD_BYTES : at;
  const step = headBytes(element);
  if (!has(source, base, length * step)) return undefined;
  const items: AbiValue[] = [];
  for (let i = 0; i < length; i++) {
    const item = readValue(source, element, base, base + i * step);
    if (item === undefined || source.budget-- <= 0) return fail(source, "tooMany");
    items.push(item);
  }
  return items;
}

function readTuple(source: Source, types: readonly AbiType[], at: number): AbiValue[] | undefined {
  const values: AbiValue[] = [];
  let position = at;
  for (const type of types) {
    const value = readValue(source, type, at, position);
    if (value === undefined) return undefined;
    values.push(value);
    position += headBytes(type);
  }
  return values;
}

/** The reader of a word that is there. */
function readWord(source: Source, type: AbiType, at: number): AbiValue | undefined {
  const { data, lenient } = source;
  const end = at + WORD_BYTES;
  if (type.kind === "fixedBytes") {
    const rest = data.subarray(at + type.size, end);
    return lenient || isAllZero(rest) ? data.slice(at, at + type.size) : fail(source, "outOfRange");
  }
  if (type.kind === "address") {
    const high = data.subarray(at, end - 20);
    if (!lenient && !isAllZero(high)) return fail(source, "outOfRange");
    return addressOf(data.subarray(end - 20, end));
  }
  const word = bigintOfBytes(data, at, end);
  if (type.kind === "bool") {
    return lenient || word <= 1n ? word !== 0n : fail(source, "outOfRange");
  }
  if (type.kind !== "uint" && type.kind !== "int") return fail(source, "outOfRange");
  if (lenient) return type.kind === "int" ? lenientInt(word) : word;
  const value = type.kind === "int" ? BigInt.asIntN(256, word) : word;
  const narrow =
    type.kind === "int" ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
  return narrow === value ? value : fail(source, "outOfRange");
}

/** Largest word that reads as a positive int256. Source: precompiles 0 (Conventions) */
const LENIENT_INT_MAX = 0x9n * 2n ** 252n - 1n;

function lenientInt(word: bigint): bigint {
  return word > LENIENT_INT_MAX ? word - 2n ** 256n : word;
}

/** Values read per byte of data at most: real encodings have one per 32 bytes. */
const BUDGET_BASE = 1_024;

function sourceOf(data: Uint8Array, lenient: boolean): Source {
  return { data, lenient, budget: BUDGET_BASE + data.length, reason: undefined };
}

/**
 * The values that the data encodes. Offsets may point anywhere in the data, bytes behind the last
 * value are ignored, padding is not examined; everything else must be exact.
 */
export function decodeAbi(types: readonly AbiType[], data: Uint8Array): AbiDecoding {
  const source = sourceOf(data, false);
  const values = readTuple(source, types, 0);
  if (values) return { ok: true, values };
  return { ok: false, reason: source.reason ?? "tooShort" };
}

/**
 * The arguments as a precompiled contract sees them: never an error. Reading stops at the first
 * argument that is not there, and it and all later ones have their zero value. Source: precompiles
 * 0 (Conventions)
 */
export function decodeAbiLeniently(types: readonly AbiType[], data: Uint8Array): AbiValue[] {
  const source = sourceOf(data, true);
  let position = 0;
  return types.map((type) => {
    const value = source.reason ? undefined : readArgument(source, type, position);
    position += headBytes(type);
    return value ?? zeroValue(type);
  });
}

function readArgument(source: Source, type: AbiType, at: number): AbiValue | undefined {
  if (type.kind !== "string" && type.kind !== "bytes") return readValue(source, type, 0, at);
  const run = readWrappingRun(source, at);
  return type.kind === "bytes" ? run : run && byteString(run);
}

/** Offsets and lengths count modulo this. Source: precompiles 0 (Conventions) */
const WRAP = 1n << 64n;

/**
 * The bytes of an argument whose place in the head is `at`. Where the sum of offset or length
 * wraps, nothing is read and decoding goes on. Source: precompiles 0 (Conventions)
 */
function readWrappingRun(source: Source, at: number): Uint8Array | undefined {
  if (!has(source, at, WORD_BYTES)) return undefined;
  const { data } = source;
  const last = BigInt(WORD_BYTES - 1);
  const lengthEnd = readWrapping(data, at) + last;
  if (lengthEnd >= WRAP) return EMPTY_BYTES;
  if (lengthEnd >= data.length) return fail(source, "tooShort");
  const from = Number(lengthEnd) + 1;
  const end = lengthEnd + readWrapping(data, from - WORD_BYTES);
  if (end >= WRAP) return EMPTY_BYTES;
  if (end >= data.length) return fail(source, "tooShort");
  return data.slice(from, Number(end) + 1);
}

/** The low 64 bits of a word that is there. */
function readWrapping(data: Uint8Array, at: number): bigint {
  return new DataView(data.buffer, data.byteOffset + at, WORD_BYTES).getBigUint64(WORD_BYTES - 8);
}

/** The value of an argument that is missing. Source: precompiles 0 (Conventions) */
export function zeroValue(type: AbiType): AbiValue {
  switch (type.kind) {
    case "uint":
    case "int":
      return 0n;
    case "bool":
      return false;
    case "address":
      return ZERO_ADDRESS;
    case "string":
      return "";
    case "bytes":
      return EMPTY_BYTES;
    case "fixedBytes":
      return new Uint8Array(type.size);
    case "array":
      return Array.from({ length: type.length ?? 0 }, () => zeroValue(type.element));
    case "tuple":
      return type.components.map((component) => zeroValue(component.type));
  }
}
