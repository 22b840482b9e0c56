/**
 * Values of contracts as programs write them, and as the ABI codec takes them: numbers up to 48
 * bits are numbers and larger ones big integers, bytes and addresses hexadecimal text, tuples with
 * names objects.
 */
import type { AbiValue } from "../abi/encode.ts";
import { type AbiComponent, type AbiType, abiTypeText } from "../abi/type.ts";
import { textOfByteString, utf8ByteString } from "../bytes/byte-string.ts";
import { fromHex } from "../bytes/hex.ts";
import { readAddress } from "../bytes/quantity.ts";
import { hexOf } from "./account.ts";
import { UsageFault } from "./client-fault.ts";

/** Integers of at most this many bits are numbers. */
const NUMBER_BITS = 48;

function misfit(type: AbiType, path: string, value: unknown): UsageFault {
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : typeof value;
  return new UsageFault(`${path}: ${abiTypeText(type)} is expected, not ${shown}`);
}

function integer(type: AbiType & { bits: number }, path: string, value: unknown): bigint {
  const whole = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof whole !== "bigint") throw misfit(type, path, value);
  const cut = type.kind === "int" ? BigInt.asIntN : BigInt.asUintN;
  if (cut(type.bits, whole) === whole) return whole;
  throw new UsageFault(`${path}: ${whole} is out of the range of ${abiTypeText(type)}`);
}

function bytes(type: AbiType, path: string, value: unknown): Uint8Array {
  const given = typeof value === "string" && value.startsWith("0x") ? fromHex(value) : value;
  if (!(given instanceof Uint8Array)) throw misfit(type, path, value);
  if (type.kind !== "fixedBytes" || given.length === type.size) return given;
  throw new UsageFault(`${path}: ${given.length} bytes are no ${abiTypeText(type)}`);
}

function items(type: AbiType & { kind: "array" }, path: string, value: unknown): AbiValue[] {
  if (!Array.isArray(value)) throw misfit(type, path, value);
  if (type.length !== undefined && value.length !== type.length) {
    throw new UsageFault(`${path}: ${value.length} items are no ${abiTypeText(type)}`);
  }
  return value.map((item, index) => toAbiValue(type.element, item, `${path}[${index}]`));
}

/** Members by position, or by name. */
function members(
  components: readonly AbiComponent[],
  path: string,
  value: unknown,
): readonly unknown[] {
  if (Array.isArray(value) && value.length === components.length) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageFault(`${path}: ${components.length} members are expected`);
  }
  return components.map(({ name }) => {
    if (name !== "" && name in value) return (value as Record<string, unknown>)[name];
    throw new UsageFault(`${path}: the member ${name || "without a name"} is missing`);
  });
}

/** The value for the codec. @throws UsageFault that names the place */
export function toAbiValue(type: AbiType, value: unknown, path: string): AbiValue {
  switch (type.kind) {
    case "uint":
    case "int":
      return integer(type, path, value);
    case "bool":
      if (typeof value === "boolean") return value;
      throw misfit(type, path, value);
    case "address": {
      const address =
        typeof value === "string" && value.startsWith("0x") ? readAddress(value) : undefined;
      if (address === undefined) throw misfit(type, path, value);
      return address;
    }
    case "string":
      if (typeof value === "string") return utf8ByteString(value);
      throw misfit(type, path, value);
    case "bytes":
    case "fixedBytes":
      return bytes(type, path, value);
    case "array":
      return items(type, path, value);
    case "tuple":
      return toAbiValues(type.components, value, path);
  }
}

/** The members of a tuple for the codec: a list, or an object when all have names. */
export function toAbiValues(
  components: readonly AbiComponent[],
  value: unknown,
  path: string,
): AbiValue[] {
  const given = members(components, path, value);
  return components.map(({ name, type }, index) =>
    toAbiValue(type, given[index], `${path}.${name === "" ? index : name}`),
  );
}

/** A value of the codec for programs. */
export function fromAbiValue(type: AbiType, value: AbiValue): unknown {
  if (typeof value === "bigint") {
    return "bits" in type && type.bits <= NUMBER_BITS ? Number(value) : value;
  }
  if (value instanceof Uint8Array) return hexOf(value);
  if (typeof value === "string") return type.kind === "string" ? textOfByteString(value) : value;
  if (typeof value === "boolean") return value;
  if (type.kind === "tuple") return fromAbiValues(type.components, value);
  return type.kind === "array" ? value.map((item) => fromAbiValue(type.element, item)) : value;
}

/** The members of a tuple: an object when all have names, a list otherwise. */
export function fromAbiValues(
  components: readonly AbiComponent[],
  values: readonly AbiValue[],
): unknown {
  const list = listOfAbiValues(components, values);
  if (components.length === 0 || components.some(({ name }) => name === "")) return list;
  return Object.fromEntries(components.map(({ name }, index) => [name, list[index]]));
}

/** The values one by one. */
export function listOfAbiValues(
  components: readonly AbiComponent[],
  values: readonly AbiValue[],
): unknown[] {
  return components.map(({ type }, index) => fromAbiValue(type, values[index] ?? false));
}
