/** Functions of contracts by a line of text. */
import {
  encodeFunction,
  type EncodedCall,
  type JsonItem,
  type JsonParameter,
} from "../../../core/client/abi-item.ts";
import { CallFault, UsageFault } from "../../../core/client/client-fault.ts";
import { decodeResult, failureReason } from "../../../core/client/contract-output.ts";
import type { CallResult } from "../../../core/client/rpc-objects.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { transactionStatusName } from "../../../core/fault/transaction-status.ts";

function parametersOf(list: string): readonly JsonParameter[] {
  return list === "" ? [] : list.split(",").map((type) => ({ name: "", type: type.trim() }));
}

/**
 * The ABI of `name(types)` or `name(types)(types of results)`; no tuples.
 * @throws UsageFault when the text has another form
 */
export function itemOf(signature: string): JsonItem {
  const [, name, inputs = "", outputs = ""] =
    /^(\w+)\(([^()]*)\)(?:\(([^()]*)\))?$/.exec(signature) ?? [];
  if (name === undefined) throw new UsageFault(`${signature} is no signature of a function`);
  return { type: "function", name, inputs: parametersOf(inputs), outputs: parametersOf(outputs) };
}

/** The call data of a function. @throws UsageFault for arguments that do not fit */
export function encodedCall(
  signature: string,
  args: readonly unknown[],
  { hash }: CryptoSuite,
): EncodedCall {
  const item = itemOf(signature);
  return encodeFunction([item], item.name ?? "", args, hash);
}

/** The results of a call. @throws CallFault when it failed; UsageFault for other results */
export function resultsOf(
  item: JsonItem,
  { status, output }: CallResult,
  { hash }: CryptoSuite,
): readonly unknown[] {
  if (Number(status) !== 0) {
    const name = transactionStatusName(Number(status));
    throw new CallFault({ status: name, reason: failureReason(output, hash) }, output);
  }
  const result = decodeResult(item, output);
  const count = item.outputs?.length ?? 0;
  return count > 1 ? (result as readonly unknown[]) : count === 1 ? [result] : [];
}
