/** Functions, events and constructors of an ABI as people see them. */
import { type JsonItem, type JsonParameter, signatureOf } from "./abi-item.ts";

/** An entry of a JSON ABI with what compilers of all ages say about changing state. */
export interface AbiItem extends JsonItem {
  /** From compiler 0.4.16 on. */
  readonly stateMutability?: string | undefined;
  /** Of older ones. */
  readonly constant?: boolean | undefined;
  readonly payable?: boolean | undefined;
}

/** A JSON ABI. */
export type AbiList = readonly AbiItem[];

/** Whether the function only reads. */
export function isReadOnly({ stateMutability, constant }: AbiItem): boolean {
  if (stateMutability === undefined) return constant === true;
  return stateMutability === "view" || stateMutability === "pure";
}

/** Whether the function sees a value that is sent along. */
export function isPayable({ stateMutability, payable }: AbiItem): boolean {
  return stateMutability === undefined ? payable === true : stateMutability === "payable";
}

/** The functions of an ABI: those that change state first, in the order of the source. */
export function functionsOf(abi: AbiList): readonly AbiItem[] {
  const all = abi.filter(({ type }) => type === "function");
  return [...all.filter((it) => !isReadOnly(it)), ...all.filter(isReadOnly)];
}

/** The constructor; one without parameters when the ABI has none. */
export function constructorOf(abi: AbiList): AbiItem {
  return abi.find(({ type }) => type === "constructor") ?? { type: "constructor", inputs: [] };
}

/** `transfer(address,uint256)`; the name alone when a type is not known. */
export function signatureText(item: AbiItem): string {
  try {
    return signatureOf(item);
  } catch {
    return item.name ?? item.type;
  }
}

function isParameter(value: unknown): value is JsonParameter {
  if (typeof value !== "object" || value === null) return false;
  const { type, components } = value as Partial<JsonParameter>;
  if (typeof type !== "string") return false;
  return components === undefined || (Array.isArray(components) && components.every(isParameter));
}

function isItem(value: unknown): value is AbiItem {
  if (typeof value !== "object" || value === null) return false;
  const { type, inputs, outputs } = value as Partial<AbiItem>;
  const lists = [inputs, outputs].filter((list) => list !== undefined);
  return (
    typeof type === "string" &&
    lists.every((list) => Array.isArray(list) && list.every(isParameter))
  );
}

/**
 * Reads a JSON ABI: the list itself, or an object of a compiler or a tool that holds it as `abi`.
 * Undefined when the text is neither.
 */
export function readAbi(text: string): AbiList | undefined {
  try {
    const parsed = JSON.parse(text) as unknown;
    const list =
      typeof parsed === "object" && parsed !== null && "abi" in parsed ? parsed.abi : parsed;
    if (!Array.isArray(list) || !list.every(isItem)) return undefined;
    return list;
  } catch {
    return undefined;
  }
}

const SIGNATURE = /^(\w+)\((.*?)\)( view)?(?: returns \((.*)\))?$/;

function parametersOf(list: string): readonly JsonParameter[] {
  if (list === "") return [];
  return list.split(",").map((parameter) => {
    const [type = "", name = ""] = parameter.trim().split(" ");
    return { type, name };
  });
}

/** The ABI of functions written as `name(type name) view returns (type)`, without tuples. */
export function abiOfSignatures(lines: readonly string[]): AbiList {
  return lines.map((line) => {
    const [, name = "", inputs = "", view, outputs = ""] = SIGNATURE.exec(line) ?? [];
    return {
      type: "function",
      name,
      inputs: parametersOf(inputs),
      outputs: parametersOf(outputs),
      stateMutability: view === undefined ? "nonpayable" : "view",
    };
  });
}
