/** Functions of contracts by a line of text. */
import type { JsonItem, JsonParameter } from "../../../core/client/abi-item.ts";
import { UsageFault } from "../../../core/client/client-fault.ts";

function parametersOf(list: string): readonly JsonParameter[] {
  return list === "" ? [] : list.split(",").map((type) => ({ name: "", type: type.trim() }));
}

/**
 * The ABI of `name(types)` or `name(types)(types of results)`; no tuples.
 *
 * @throws UsageFault when the text has another form
 */
export function itemOf(signature: string): JsonItem {
  const [, name, inputs = "", outputs = ""] =
    /^(\w+)\(([^()]*)\)(?:\(([^()]*)\))?$/.exec(signature) ?? [];
  if (name === undefined) throw new UsageFault(`${signature} is no signature of a function`);
  return { type: "function", name, inputs: parametersOf(inputs), outputs: parametersOf(outputs) };
}
