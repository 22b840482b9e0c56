/** Which function of a contract a call means. Source: console 4.3, 8 */
import {
  itemsOf,
  type JsonItem,
  signatureOf,
  typedParameters,
} from "../../../../core/client/abi-item.ts";
import { type AbiItem, type AbiList, constructorOf } from "../../../../core/client/abi-list.ts";
import { nearestName } from "../../../formats/config/nearest-name.ts";
import { usageFault } from "../command.ts";
import { oneLine } from "../foreign-text.ts";
import { ArgumentFault, argumentValues } from "./argument-value.ts";

/** A function, and the values for it. */
export interface ChosenFunction {
  readonly item: AbiItem;
  readonly values: readonly unknown[];
}

/**
 * `transfer(address to, uint256 amount)`: types as the ABI says them, with the names. A user who
 * registered a contract by name wrote its ABI.
 */
function signatureWithNames(item: JsonItem): string {
  const parameters = (item.inputs ?? []).map(({ type, name }) => (name ? `${type} ${name}` : type));
  return oneLine(`${item.name ?? "constructor"}(${parameters.join(", ")})`);
}

function listOf(items: readonly JsonItem[]): string {
  return items.map((item) => `\n  ${signatureWithNames(item)}`).join("");
}

/** The first of several that the texts fit. @throws ConsoleFault that names all of them */
function firstFitting(
  candidates: readonly AbiItem[],
  texts: readonly string[],
  what: string,
): ChosenFunction {
  const count = texts.length;
  const ofCount = candidates.filter(({ inputs = [] }) => inputs.length === count);
  if (ofCount.length === 0) {
    const arguments_ = count === 1 ? "1 argument" : `${count} arguments`;
    throw usageFault(`${what} does not take ${arguments_}; it is declared as${listOf(candidates)}`);
  }
  const reasons: string[] = [];
  for (const item of ofCount) {
    try {
      return { item, values: argumentValues(typedParameters(item.inputs), texts) };
    } catch (cause) {
      if (!(cause instanceof ArgumentFault)) throw cause;
      reasons.push(`${cause.message}\n  in ${signatureWithNames(item)}`);
    }
  }
  throw usageFault(reasons.join("\n"));
}

/**
 * The function of the name that the arguments fit; `name(type,...)` names one of several.
 * @throws ConsoleFault with exit code 2 that names the functions there are, or the argument
 */
export function chooseFunction(
  abi: AbiList,
  wanted: string,
  texts: readonly string[],
): ChosenFunction {
  const functions = itemsOf(abi, "function");
  const exact = functions.filter((item) => signatureOf(item) === wanted);
  const found = exact.length > 0 ? exact : functions.filter(({ name }) => name === wanted);
  if (found.length > 0) return firstFitting(found, texts, `the function ${wanted}`);
  const names = [...new Set(functions.map(({ name = "" }) => name))];
  if (names.length === 0) throw usageFault("the contract has no functions");
  const near = nearestName(wanted, names);
  const meant = near === undefined ? "" : ` Did you mean ${oneLine(near)}?`;
  throw usageFault(`the contract has no function ${wanted}.${meant} It has${listOf(functions)}`);
}

/** The values for the constructor. @throws ConsoleFault with exit code 2 */
export function constructorValues(abi: AbiList, texts: readonly string[]): readonly unknown[] {
  return firstFitting([constructorOf(abi)], texts, "the constructor").values;
}
