/** What a user typed for a parameter, and the value that it means. */
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import { fromHex, toPrefixedHex } from "../../../core/bytes/hex.ts";
import { readAddress } from "../../../core/bytes/quantity.ts";
import { type AbiType, abiTypeText } from "../../../core/abi/type.ts";

/** What stands in the fields: a text, or the drafts of items or members. */
export type Draft = string | readonly Draft[];

/** A draft does not mean a value of its type. */
export class FieldFault extends Error {
  override readonly name = "FieldFault";
  /** Key of the text. */
  readonly key: string;
  readonly values: Readonly<Record<string, string | number>>;

  constructor(key: string, values: Readonly<Record<string, string | number>> = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/** Arrays of more items have one field, for JSON. */
export const MOST_FIELDS = 64;

/** What the fields hold at first. */
export function emptyDraft(type: AbiType): Draft {
  if (type.kind === "bool") return "false";
  if (type.kind === "tuple") return type.components.map((it) => emptyDraft(it.type));
  if (type.kind !== "array") return "";
  if ((type.length ?? 0) > MOST_FIELDS) return "";
  return Array.from({ length: type.length ?? 0 }, () => emptyDraft(type.element));
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:e(\d{1,2}))?$/i;
/** Commas between thousands; elsewhere they may be meant as decimal points. */
const THOUSANDS = /^-?\d{1,3}(,\d{3})+$/;
const HEX = /^(-?)(0x[0-9a-f]+)$/i;

/** `1_000`, `0xff`, `-5`, `1.5e18`: whole numbers as people write them. */
function readWhole(text: string): bigint | undefined {
  const groups = THOUSANDS.test(text) ? text.replaceAll(",", "") : text;
  const plain = groups.replaceAll(/[_\s]/g, "");
  const [, minus, hex] = HEX.exec(plain) ?? [];
  if (hex !== undefined) return minus ? -BigInt(hex) : BigInt(hex);
  const [, sign, whole, fraction = "", exponent = "0"] = DECIMAL.exec(plain) ?? [];
  if (whole === undefined || fraction.length > Number(exponent)) return undefined;
  const zeros = "0".repeat(Number(exponent) - fraction.length);
  const value = BigInt(whole + fraction + zeros);
  return sign === "-" ? -value : value;
}

function readInteger(type: AbiType & { readonly bits: number }, text: string): bigint {
  const value = readWhole(text);
  if (value === undefined) throw new FieldFault("workbench.field.integer");
  const isSigned = type.kind === "int";
  const [least, most] = isSigned
    ? [-(2n ** BigInt(type.bits - 1)), 2n ** BigInt(type.bits - 1) - 1n]
    : [0n, 2n ** BigInt(type.bits) - 1n];
  if (value >= least && value <= most) return value;
  const range = isSigned
    ? { least: `-2^${type.bits - 1}`, most: `2^${type.bits - 1} - 1` }
    : { least: "0", most: `2^${type.bits} - 1` };
  throw new FieldFault("workbench.field.range", { type: abiTypeText(type), ...range });
}

/** Digits after `0x`, or a text in quotation marks. */
function readBytes(type: AbiType, text: string): string {
  const quoted = /^"(.*)"$/s.exec(text)?.[1];
  const bytes =
    quoted === undefined ? fromHex(text.startsWith("0x") ? text : "?") : utf8Bytes(quoted);
  if (bytes === undefined) throw new FieldFault("workbench.field.bytes");
  if (type.kind !== "fixedBytes") return toPrefixedHex(bytes);
  if (bytes.length === type.size) return toPrefixedHex(bytes);
  // Texts are shorter as a rule; digits are counted.
  if (quoted === undefined || bytes.length > type.size) {
    throw new FieldFault("workbench.field.size", { size: type.size, count: bytes.length });
  }
  return toPrefixedHex(bytes).padEnd(2 + 2 * type.size, "0");
}

/** Items of JSON: texts and whole numbers, lists of them. @throws FieldFault */
function jsonDraft(text: string): readonly Draft[] {
  const draftOf = (value: unknown): Draft => {
    if (Array.isArray(value)) return value.map(draftOf);
    if (typeof value === "string" || typeof value === "boolean") return String(value);
    // A number that JSON could not hold was rounded by it: it must be a text.
    if (Number.isSafeInteger(value)) return String(value);
    throw new FieldFault("workbench.field.json");
  };
  try {
    const draft = draftOf(JSON.parse(text));
    if (typeof draft !== "string") return draft;
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof FieldFault)) throw cause;
  }
  throw new FieldFault("workbench.field.json");
}

/** Reads one text. @throws FieldFault */
function readText(type: AbiType, text: string): unknown {
  switch (type.kind) {
    case "uint":
    case "int":
      return readInteger(type, text.trim());
    case "bool":
      return text === "true";
    case "address": {
      const trimmed = text.trim();
      const address = trimmed.startsWith("0x") ? readAddress(trimmed) : undefined;
      if (address === undefined) throw new FieldFault("workbench.field.address");
      return address;
    }
    case "bytes":
    case "fixedBytes":
      return readBytes(type, text.trim());
    default:
      return text;
  }
}

/** Faults of fields by their path: `0`, `1.2`, the positions from the outermost on. */
export type FieldFaults = ReadonlyMap<string, FieldFault>;

/**
 * The value of a draft for the client; what is wrong goes into `faults` by path.
 */
export function readDraft(
  type: AbiType,
  draft: Draft,
  path: string,
  faults: Map<string, FieldFault>,
): unknown {
  try {
    if (typeof draft === "string" && type.kind !== "array") return readText(type, draft);
    if (typeof draft === "string") return readDraft(type, jsonDraft(draft), path, faults);
    const types =
      type.kind === "tuple"
        ? type.components.map((it) => it.type)
        : draft.map(() => (type.kind === "array" ? type.element : type));
    return draft.map((it, i) => readDraft(types[i] ?? type, it, `${path}.${i}`, faults));
  } catch (cause) {
    if (!(cause instanceof FieldFault)) throw cause;
    faults.set(path, cause);
    return undefined;
  }
}

const HINTS: Readonly<Partial<Record<AbiType["kind"], string>>> = {
  uint: "workbench.hint.integer",
  int: "workbench.hint.integer",
  address: "workbench.hint.address",
  bytes: "workbench.hint.bytes",
  fixedBytes: "workbench.hint.bytes",
  array: "workbench.hint.json",
};

/** Key of the words that help with a type. */
export function hintOf({ kind }: AbiType): string | undefined {
  return HINTS[kind];
}
