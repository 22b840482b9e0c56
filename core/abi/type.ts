/**
 * Types and function signatures of the contract ABI: parsing, canonical text, sizes.
 * Source: precompiles 0 (Conventions)
 */

/** A named member of a tuple; the name is empty when the text gave none. */
export interface AbiComponent {
  readonly name: string;
  readonly type: AbiType;
}

/** A type of the contract ABI. */
export type AbiType =
  | { readonly kind: "uint" | "int"; readonly bits: number }
  | { readonly kind: "address" | "bool" | "bytes" | "string" }
  | { readonly kind: "fixedBytes"; readonly size: number }
  /** `length` is undefined for `T[]`. */
  | { readonly kind: "array"; readonly element: AbiType; readonly length: number | undefined }
  | { readonly kind: "tuple"; readonly components: readonly AbiComponent[] };

/** A function signature. */
export interface AbiSignature {
  readonly name: string;
  readonly inputs: readonly AbiType[];
  /** The text that selectors are made of: no names, no blanks, sizes written out. */
  readonly text: string;
}

/** Width of every slot of an encoding. */
export const WORD_BYTES = 32;
/** Longest text of a type or signature that is examined, and the deepest nesting. */
const MAX_TEXT = 4_096;
const MAX_DEPTH = 16;
/** Largest N of T[N]: beyond it no call data could hold the values. */
const MAX_ARRAY = 0xffff;

const PLAIN = /^(address|bool|bytes|string)$/;
const INTEGER = /^(u?int)([1-9][0-9]{0,2})?$/;
const FIXED_BYTES = /^bytes([1-9][0-9]?)$/;
const EXTENT = /^\[(0|[1-9][0-9]*)?\]/;
const WORD = /^[a-z0-9]+/;
const NAME = /^\s+([A-Za-z_$][A-Za-z0-9_$]*)/;
const FUNCTION_NAME = /^[A-Za-z_$][A-Za-z0-9_$]*/;

/** Reads a text from front to back; readers give undefined and leave the rest as it is. */
interface Scanner {
  rest: string;
}

function take(scanner: Scanner, pattern: RegExp): RegExpExecArray | undefined {
  const match = pattern.exec(scanner.rest);
  if (!match) return undefined;
  scanner.rest = scanner.rest.slice(match[0].length);
  return match;
}

function takeText(scanner: Scanner, text: string): boolean {
  if (!scanner.rest.startsWith(text)) return false;
  scanner.rest = scanner.rest.slice(text.length);
  return true;
}

function elementaryType(word: string): AbiType | undefined {
  if (PLAIN.test(word)) return { kind: word as "address" | "bool" | "bytes" | "string" };
  const integer = INTEGER.exec(word);
  if (integer) {
    const bits = Number(integer[2] ?? 256);
    if (bits % 8 !== 0 || bits > 256) return undefined;
    return { kind: integer[1] as "uint" | "int", bits };
  }
  const size = Number(FIXED_BYTES.exec(word)?.[1] ?? 0);
  return size >= 1 && size <= WORD_BYTES ? { kind: "fixedBytes", size } : undefined;
}

function readType(scanner: Scanner, depth: number): AbiType | undefined {
  if (depth > MAX_DEPTH) return undefined;
  let type: AbiType | undefined;
  if (takeText(scanner, "tuple(") || takeText(scanner, "(")) {
    const components = readComponents(scanner, depth + 1);
    type = components && { kind: "tuple", components };
  } else type = elementaryType(take(scanner, WORD)?.[0] ?? "");
  for (let extents = 0; type && scanner.rest.startsWith("["); extents++) {
    const extent = take(scanner, EXTENT);
    const length = extent?.[1] === undefined ? undefined : Number(extent[1]);
    if (!extent || (length ?? 0) > MAX_ARRAY || extents > MAX_DEPTH) return undefined;
    type = { kind: "array", element: type, length };
  }
  return type;
}

/** The members up to and with the closing parenthesis. */
function readComponents(scanner: Scanner, depth: number): AbiComponent[] | undefined {
  const components: AbiComponent[] = [];
  take(scanner, /^\s+/);
  if (takeText(scanner, ")")) return components;
  for (;;) {
    take(scanner, /^\s+/);
    const type = readType(scanner, depth);
    if (!type) return undefined;
    components.push({ name: take(scanner, NAME)?.[1] ?? "", type });
    take(scanner, /^\s+/);
    if (takeText(scanner, ")")) return components;
    if (!takeText(scanner, ",")) return undefined;
  }
}

/**
 * The type a text names: `uint256[2][]`, `tuple(string name, int256 n)`; undefined when it is none.
 */
export function parseAbiType(text: string): AbiType | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const scanner: Scanner = { rest: text };
  const type = readType(scanner, 0);
  return scanner.rest === "" ? type : undefined;
}

/** The types that texts name; undefined when one of them is none. */
export function parseAbiTypes(texts: readonly string[]): AbiType[] | undefined {
  const types = texts.map(parseAbiType);
  return types.every((type) => type !== undefined) ? types : undefined;
}

/** The signature a text names: `transfer(string,uint256)`; undefined when it is none. */
export function parseSignature(text: string): AbiSignature | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const scanner: Scanner = { rest: text };
  const name = take(scanner, FUNCTION_NAME)?.[0];
  if (name === undefined || !takeText(scanner, "(")) return undefined;
  const inputs = readComponents(scanner, 0)?.map(({ type }) => type);
  if (!inputs || scanner.rest !== "") return undefined;
  return { name, inputs, text: `${name}(${inputs.map(abiTypeText).join(",")})` };
}

/** The canonical text of a type. */
export function abiTypeText(type: AbiType): string {
  switch (type.kind) {
    case "uint":
    case "int":
      return `${type.kind}${type.bits}`;
    case "fixedBytes":
      return `bytes${type.size}`;
    case "array":
      return `${abiTypeText(type.element)}[${type.length ?? ""}]`;
    case "tuple":
      return `(${type.components.map((component) => abiTypeText(component.type)).join(",")})`;
    default:
      return type.kind;
  }
}

/** Whether values of the type are behind an offset. */
export function isDynamicType(type: AbiType): boolean {
  switch (type.kind) {
    case "bytes":
    case "string":
      return true;
    case "array":
      return type.length === undefined || isDynamicType(type.element);
    case "tuple":
      return type.components.some((component) => isDynamicType(component.type));
    default:
      return false;
  }
}

/** Bytes that a value takes in the head of its enclosing tuple: one word for an offset. */
export function headBytes(type: AbiType): number {
  if (isDynamicType(type)) return WORD_BYTES;
  if (type.kind === "array") return (type.length ?? 0) * headBytes(type.element);
  if (type.kind !== "tuple") return WORD_BYTES;
  return headBytesOf(type.components.map((component) => component.type));
}

/** Bytes of the head of a tuple of these types. */
export function headBytesOf(types: readonly AbiType[]): number {
  let bytes = 0;
  for (const type of types) bytes += headBytes(type);
  return bytes;
}
