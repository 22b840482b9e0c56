/** What contracts leave behind, decoded: results, events, reasons of failures. */
import { decodeAbi } from "../abi/decode.ts";
import { type AbiType, isDynamicType } from "../abi/type.ts";
import { EMPTY_BYTES } from "../bytes/bytes.ts";
import { fromHex, toHex } from "../bytes/hex.ts";
import type { HashFunction } from "../crypto/merkle.ts";
import {
  eventTopic,
  itemsOf,
  type JsonItem,
  signatureOf,
  type TypedParameter,
  typedParameters,
} from "./abi-item.ts";
import { fromAbiValue, fromAbiValues, listOfAbiValues } from "./abi-value.ts";
import { UsageFault } from "./client-fault.ts";
import type { Hex, Receipt } from "./rpc-objects.ts";

const SELECTOR_DIGITS = 8;

function bytesIn(text: string): Uint8Array {
  return fromHex(text) ?? EMPTY_BYTES;
}

function decoding(parameters: readonly TypedParameter[], bytes: Uint8Array) {
  const types = parameters.map(({ type }) => type);
  return decodeAbi(types, bytes);
}

/**
 * What a function returned: nothing, a value, or a list of values.
 *
 * @throws UsageFault when the output is not of the types that the ABI names
 */
export function decodeResult(item: JsonItem, output: Hex): unknown {
  const outputs = typedParameters(item.outputs);
  if (outputs.length === 0) return undefined;
  const decoded = decoding(outputs, bytesIn(output));
  if (!decoded.ok) {
    const why = output === "0x" ? "nothing came: is there a contract at the address?" : output;
    throw new UsageFault(`the output of ${signatureOf(item)} does not decode: ${why}`);
  }
  const list = listOfAbiValues(outputs, decoded.values);
  return outputs.length === 1 ? list[0] : list;
}

/** A log as nodes answer it. */
export type RawLog = Receipt["logs"][number];

/** Indexed values of these types are in the log as their hash only. */
function isHashed(type: AbiType): boolean {
  return isDynamicType(type) || type.kind === "array" || type.kind === "tuple";
}

function decodeTopic({ type }: TypedParameter, topic: Hex | undefined): unknown {
  if (topic === undefined || isHashed(type)) return topic;
  const decoded = decodeAbi([type], bytesIn(topic));
  const [value] = decoded.ok ? decoded.values : [];
  return value === undefined ? topic : fromAbiValue(type, value);
}

/** A decoded log. */
export interface DecodedEvent {
  readonly eventName: string;
  /** By name; a list when a parameter has none. */
  readonly args: unknown;
}

function decodeAs(item: JsonItem, log: RawLog): DecodedEvent | undefined {
  const inputs = typedParameters(item.inputs);
  const indexed = inputs.filter((input) => input.indexed);
  const plain = inputs.filter((input) => !input.indexed);
  if (indexed.length !== log.topics.length - 1) return undefined;
  const decoded = decoding(plain, bytesIn(log.data));
  if (!decoded.ok) return undefined;
  const values = inputs.map((input) => {
    if (input.indexed) return decodeTopic(input, log.topics[indexed.indexOf(input) + 1]);
    return fromAbiValue(input.type, decoded.values[plain.indexOf(input)] ?? false);
  });
  const named = inputs.length > 0 && inputs.every(({ name }) => name !== "");
  const args = named ? Object.fromEntries(inputs.map(({ name }, i) => [name, values[i]])) : values;
  return { eventName: item.name ?? "", args };
}

/**
 * The first topic of an event; undefined when it has types that only compilers know: ABIs of
 * libraries name structures and enumerations of the source.
 */
function knownTopic(item: JsonItem, hash: HashFunction): Hex | undefined {
  try {
    return eventTopic(item, hash);
  } catch (cause) {
    if (cause instanceof UsageFault) return undefined;
    throw cause;
  }
}

/** The event that a log is of; undefined when it is none of the ABI. */
export function decodeEvent(
  abi: readonly JsonItem[],
  log: RawLog,
  hash: HashFunction,
): DecodedEvent | undefined {
  for (const item of itemsOf(abi, "event")) {
    if (item.anonymous === true || knownTopic(item, hash) !== log.topics[0]) continue;
    const event = decodeAs(item, log);
    if (event) return event;
  }
  return undefined;
}

/** What the compiler puts into every contract. */
const BUILT_IN: readonly JsonItem[] = [
  { type: "error", name: "Error", inputs: [{ name: "", type: "string" }] },
  { type: "error", name: "Panic", inputs: [{ name: "", type: "uint256" }] },
];
/** As compilers for Keccak-256 write them, on chains of every suite. */
const KECCAK_SELECTORS: Readonly<Record<string, string>> = {
  "08c379a0": "Error",
  "4e487b71": "Panic",
};
/** Codes of `Panic`. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x01n, "assertion failed"],
  [0x11n, "arithmetic overflow"],
  [0x12n, "division by zero"],
  [0x21n, "no value of the enumeration"],
  [0x31n, "pop of an empty array"],
  [0x32n, "index out of bounds"],
  [0x41n, "out of memory"],
  [0x51n, "call of an uninitialised function"],
]);

function reasonText(item: JsonItem, values: unknown): string {
  const list = Array.isArray(values) ? values : Object.values(values as object);
  if (item === BUILT_IN[0]) return String(list[0]);
  if (item === BUILT_IN[1]) return PANICS.get(list[0] as bigint) ?? `panic ${list[0]}`;
  const shown = list.map((value) =>
    typeof value === "object"
      ? JSON.stringify(value, (_, it) => (typeof it === "bigint" ? String(it) : it))
      : String(value),
  );
  return `${item.name ?? ""}(${shown.join(", ")})`;
}

/**
 * Why a contract failed, by its output: the text of a revert or `require`, or an error of the ABI
 * with its arguments. Undefined when the output says nothing.
 */
export function failureReason(
  output: Hex,
  hash: HashFunction,
  abi: readonly JsonItem[] = [],
): string | undefined {
  const bytes = fromHex(output);
  if (bytes === undefined || bytes.length < SELECTOR_DIGITS / 2) return undefined;
  const selector = toHex(bytes, 0, SELECTOR_DIGITS / 2);
  const item = [...BUILT_IN, ...itemsOf(abi, "error")].find(
    (it) =>
      knownTopic(it, hash)?.startsWith(`0x${selector}`) ||
      (BUILT_IN.includes(it) && KECCAK_SELECTORS[selector] === it.name),
  );
  if (item === undefined) return undefined;
  const inputs = typedParameters(item.inputs);
  const decoded = decoding(inputs, bytes.subarray(SELECTOR_DIGITS / 2));
  return decoded.ok ? reasonText(item, fromAbiValues(inputs, decoded.values)) : undefined;
}
