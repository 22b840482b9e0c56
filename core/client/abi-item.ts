/** Functions, events and errors of a JSON ABI: found by name, with the types of the codec. */
import { encodeAbi, selectorOf } from "../abi/encode.ts";
import { type AbiComponent, type AbiType, abiTypeText, parseAbiType } from "../abi/type.ts";
import { concatBytes } from "../bytes/bytes.ts";
import { utf8Bytes } from "../bytes/byte-string.ts";
import type { HashFunction } from "../crypto/merkle.ts";
import { hexOf } from "./account.ts";
import { toAbiValues } from "./abi-value.ts";
import { UsageFault } from "./client-fault.ts";
import type { Hex } from "./rpc-objects.ts";

/** A parameter as JSON has it. */
export interface JsonParameter {
  readonly name?: string | undefined;
  readonly type: string;
  readonly indexed?: boolean | undefined;
  readonly components?: readonly JsonParameter[] | undefined;
}

/** An entry of a JSON ABI, of any kind. */
export interface JsonItem {
  readonly type: string;
  readonly name?: string | undefined;
  readonly inputs?: readonly JsonParameter[] | undefined;
  readonly outputs?: readonly JsonParameter[] | undefined;
  readonly anonymous?: boolean | undefined;
}

/** A parameter with its type. */
export interface TypedParameter extends AbiComponent {
  readonly indexed: boolean;
}

function typeText({ type, components }: JsonParameter): string {
  if (!type.startsWith("tuple")) return type;
  const inner = (components ?? []).map((it) => `${typeText(it)}${it.name ? ` ${it.name}` : ""}`);
  return `(${inner.join(",")})${type.slice("tuple".length)}`;
}

function typeOf(parameter: JsonParameter): AbiType {
  const type = parseAbiType(typeText(parameter));
  if (type === undefined) throw new UsageFault(`${parameter.type} is no type of the ABI`);
  return type;
}

/** The parameters with the types of the codec. @throws UsageFault for an unknown type */
export function typedParameters(
  parameters: readonly JsonParameter[] | undefined,
): readonly TypedParameter[] {
  return (parameters ?? []).map((parameter) => ({
    name: parameter.name ?? "",
    type: typeOf(parameter),
    indexed: parameter.indexed === true,
  }));
}

/** `transfer(address,uint256)`: what selectors and topics are made of. */
export function signatureOf(item: JsonItem): string {
  const types = typedParameters(item.inputs).map(({ type }) => abiTypeText(type));
  return `${item.name ?? ""}(${types.join(",")})`;
}

/** The entries of a kind and, where one is given, of a name. */
export function itemsOf(
  abi: readonly JsonItem[],
  kind: "function" | "event" | "error" | "constructor",
  name?: string,
): readonly JsonItem[] {
  return abi.filter((item) => item.type === kind && (name === undefined || item.name === name));
}

/** Call data, or arguments behind creation code. */
function encodeArguments(item: JsonItem, args: readonly unknown[], path: string): Uint8Array {
  const inputs = typedParameters(item.inputs);
  const types = inputs.map(({ type }) => type);
  return encodeAbi(types, toAbiValues(inputs, args, path));
}

/** A call that is encoded. */
export interface EncodedCall {
  /** The function that was chosen among those of one name. */
  readonly item: JsonItem;
  readonly data: Hex;
}

/**
 * Encodes a call; among functions of one name the first that the arguments fit.
 *
 * @throws UsageFault when there is no such function, or none takes the arguments
 */
export function encodeFunction(
  abi: readonly JsonItem[],
  name: string,
  args: readonly unknown[],
  hash: HashFunction,
): EncodedCall {
  let fault = new UsageFault(`the ABI has no function ${name}`);
  for (const item of itemsOf(abi, "function", name)) {
    const count = item.inputs?.length ?? 0;
    if (count !== args.length) {
      fault = new UsageFault(`${signatureOf(item)} takes ${count} arguments, not ${args.length}`);
      continue;
    }
    try {
      const encoded = encodeArguments(item, args, name);
      return { item, data: hexOf(concatBytes(selectorOf(signatureOf(item), hash), encoded)) };
    } catch (cause) {
      if (!(cause instanceof UsageFault)) throw cause;
      fault = cause;
    }
  }
  throw fault;
}

/** Creation code with the arguments of the constructor. @throws UsageFault */
export function encodeCreation(
  abi: readonly JsonItem[],
  code: Uint8Array,
  args: readonly unknown[],
): Hex {
  const [item = { type: "constructor" }] = itemsOf(abi, "constructor");
  const count = item.inputs?.length ?? 0;
  if (count !== args.length) {
    throw new UsageFault(`the constructor takes ${count} arguments, not ${args.length}`);
  }
  return hexOf(concatBytes(code, encodeArguments(item, args, "constructor")));
}

/** First topic of an event. */
export function eventTopic(item: JsonItem, hash: HashFunction): Hex {
  return hexOf(hash(utf8Bytes(signatureOf(item))));
}
