/** Arguments as people type them, and the values that they mean. Source: console 4.3 */
import { type AbiType, abiTypeText } from "../../../../core/abi/type.ts";
import { fromBase64 } from "../../../../core/bytes/base64.ts";
import { fromHex, toPrefixedHex } from "../../../../core/bytes/hex.ts";
import { readAddress } from "../../../../core/bytes/quantity.ts";
import type { TypedParameter } from "../../../../core/client/abi-item.ts";
import { oneLine } from "../foreign-text.ts";
import { NestedFault, type NestedText, readNested } from "./nested-text.ts";

/** A text does not mean a value of its type; the message, of one line, names the place. */
export class ArgumentFault extends Error {
  override readonly name = "ArgumentFault";

  constructor(message: string) {
    super(oneLine(message));
  }
}

const WHOLE = /^[+-]?\d+$/;
const HEX = /^([+-]?)(0x[0-9a-fA-F]+)$/;
/** As much of a text as a message shows. */
const SHOWN = 80;

function shown(text: NestedText): string {
  if (typeof text !== "string") return Array.isArray(text) ? "a list" : "an object";
  return text.length > SHOWN ? `${JSON.stringify(text.slice(0, SHOWN))}...` : JSON.stringify(text);
}

function misfit(type: AbiType, text: NestedText, path: string, wanted: string): ArgumentFault {
  return new ArgumentFault(`${path}: ${shown(text)} is no ${abiTypeText(type)}: ${wanted}`);
}

function wholeOf(text: string): bigint | undefined {
  if (WHOLE.test(text)) return BigInt(text.replace(/^\+/, ""));
  const [, sign, digits] = HEX.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return sign === "-" ? -BigInt(digits) : BigInt(digits);
}

function integer(type: AbiType & { readonly bits: number }, text: string, path: string): bigint {
  const value = wholeOf(text);
  if (value === undefined) throw misfit(type, text, path, "decimal digits, or 0x and digits");
  const cut = type.kind === "int" ? BigInt.asIntN : BigInt.asUintN;
  if (cut(type.bits, value) === value) return value;
  const range =
    type.kind === "int"
      ? `-2^${type.bits - 1} to 2^${type.bits - 1} - 1`
      : `0 to 2^${type.bits} - 1`;
  throw misfit(type, text, path, `it goes from ${range}`);
}

function bytes(type: AbiType, text: string, path: string): string {
  const [, scheme = "0x", body = ""] = /^(hex:\/\/|base64:\/\/|0x)?(.*)$/s.exec(text) ?? [];
  const isPlain = !/^(hex:\/\/|base64:\/\/|0x)/.test(text);
  const digits = body.startsWith("0x") ? body : `0x${body}`;
  const isBase64 = scheme === "base64://" && /^[\w+/=]*$/.test(body);
  const value = isBase64 ? fromBase64(body) : fromHex(digits);
  if (value === undefined || isPlain)
    throw misfit(type, text, path, "0x or hex:// and pairs of digits, or base64:// and the text");
  if (type.kind === "fixedBytes" && value.length !== type.size)
    throw misfit(type, text, path, `it has ${type.size} bytes, not ${value.length}`);
  return toPrefixedHex(value);
}

function scalar(type: AbiType, text: string, path: string): unknown {
  switch (type.kind) {
    case "uint":
    case "int":
      return integer(type, text, path);
    case "bool":
      if (text === "true" || text === "false") return text === "true";
      throw misfit(type, text, path, "true or false");
    case "address": {
      const address = /^0x[0-9a-fA-F]{40}$/.test(text) ? readAddress(text) : undefined;
      if (address !== undefined) return address;
      throw misfit(type, text, path, "0x and 40 digits");
    }
    case "bytes":
    case "fixedBytes":
      return bytes(type, text, path);
    default:
      return text;
  }
}

function items(
  type: AbiType & { readonly kind: "array" },
  text: NestedText,
  path: string,
): readonly unknown[] {
  if (!Array.isArray(text)) throw misfit(type, text, path, "a list such as [a,b]");
  if (type.length !== undefined && text.length !== type.length)
    throw misfit(type, text, path, `it has ${type.length} items, not ${text.length}`);
  return text.map((item: NestedText, index) => meantValue(type.element, item, `${path}[${index}]`));
}

function members(
  type: AbiType & { readonly kind: "tuple" },
  text: NestedText,
  path: string,
): readonly unknown[] {
  const { components } = type;
  const names = components.map(({ name }) => name);
  if (typeof text === "string")
    throw misfit(type, text, path, "a list, or an object with the names of the members");
  if ("members" in text) {
    const unknown = [...text.members.keys()].find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw new ArgumentFault(`${path}: there is no member ${unknown}, only ${names.join(", ")}`);
    return components.map(({ name, type: member }) => {
      const given = text.members.get(name);
      if (given === undefined) throw new ArgumentFault(`${path}: the member ${name} is missing`);
      return meantValue(member, given, `${path}.${name}`);
    });
  }
  if (text.length !== components.length)
    throw misfit(type, text, path, `it has ${components.length} members, not ${text.length}`);
  return components.map(({ name, type: member }, index) =>
    meantValue(member, text[index] ?? "", `${path}.${name || index}`),
  );
}

function meantValue(type: AbiType, text: NestedText, path: string): unknown {
  if (type.kind === "array") return items(type, text, path);
  if (type.kind === "tuple") return members(type, text, path);
  if (typeof text !== "string") throw misfit(type, text, path, "one value");
  return scalar(type, text, path);
}

/**
 * The value that a text means: integers in decimal or `0x`, `true` and `false`, addresses, bytes as
 * `0x`, `hex://` or `base64://`, texts as they are; arrays as `[1,2]` or `["a b","c"]`, structures
 * as a list or an object.
 * @param path what messages call it
 * @throws ArgumentFault that names the place and what is wanted there
 * Source: console 4.3
 */
export function argumentValue(type: AbiType, text: string, path: string): unknown {
  if (type.kind !== "array" && type.kind !== "tuple") return scalar(type, text, path);
  try {
    return meantValue(type, readNested(text), path);
  } catch (cause) {
    if (!(cause instanceof NestedFault)) throw cause;
    throw misfit(type, text, path, cause.message);
  }
}

/** What messages call the argument of a parameter: `argument 2 (uint256 amount)`. */
function placeOf({ name, type }: TypedParameter, index: number): string {
  return `argument ${index + 1} (${abiTypeText(type)}${name === "" ? "" : ` ${name}`})`;
}

/** The values of all arguments. @throws ArgumentFault */
export function argumentValues(
  parameters: readonly TypedParameter[],
  texts: readonly string[],
): readonly unknown[] {
  return parameters.map((parameter, index) =>
    argumentValue(parameter.type, texts[index] ?? "", placeOf(parameter, index)),
  );
}
