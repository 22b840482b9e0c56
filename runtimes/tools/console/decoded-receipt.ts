/** Receipts by the ABIs of contracts that were deployed from this folder. Source: console 8 */
import { decodeAbi } from "../../../core/abi/decode.ts";
import { selectorOf } from "../../../core/abi/encode.ts";
import { fromHex, toPrefixedHex } from "../../../core/bytes/hex.ts";
import {
  itemsOf,
  type JsonItem,
  signatureOf,
  typedParameters,
} from "../../../core/client/abi-item.ts";
import { fromAbiValues } from "../../../core/client/abi-value.ts";
import { UsageFault } from "../../../core/client/client-fault.ts";
import { decodeEvent, decodeResult } from "../../../core/client/contract-output.ts";
import type { Hex, Receipt } from "../../../core/client/rpc-objects.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { keptAbisAt } from "./contracts/deployed.ts";

/** Whose ABIs are read. */
export interface DecodingPlace {
  /** The console folder, absolute. */
  readonly folder: string;
  readonly groupId: number;
  readonly suite: CryptoSuite;
}

const SELECTOR_CHARACTERS = 10;

/** What a receipt reports in the words of its contract. */
export interface DecodedReceipt {
  readonly function?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly events: readonly { readonly name: string; readonly args: unknown }[];
}

function functionOf(
  abi: readonly JsonItem[],
  input: Hex,
  { hash }: CryptoSuite,
): JsonItem | undefined {
  const selector = input.slice(0, SELECTOR_CHARACTERS);
  return itemsOf(abi, "function").find((item) => {
    try {
      return toPrefixedHex(selectorOf(signatureOf(item), hash)) === selector;
    } catch (cause) {
      // ABIs of libraries have types that only compilers know.
      if (cause instanceof UsageFault) return false;
      throw cause;
    }
  });
}

function inputsOf(item: JsonItem, input: Hex): unknown {
  const parameters = typedParameters(item.inputs);
  const bytes = fromHex(`0x${input.slice(SELECTOR_CHARACTERS)}`) ?? new Uint8Array(0);
  const types = parameters.map(({ type }) => type);
  const decoded = decodeAbi(types, bytes);
  return decoded.ok ? fromAbiValues(parameters, decoded.values) : undefined;
}

/** Decodes; undefined when no ABI is kept for the receiver. */
export async function decodeReceipt(
  receipt: Receipt,
  { folder, groupId, suite }: DecodingPlace,
): Promise<DecodedReceipt | undefined> {
  const abis = await keptAbisAt({ folder, groupId }, receipt.to ?? receipt.contractAddress);
  if (abis.length === 0) return undefined;
  const abi = abis.flat();
  const events = receipt.logs.flatMap((log) => {
    const event = decodeEvent(abi, log, suite.hash);
    return event ? [{ name: event.eventName, args: event.args }] : [];
  });
  const item = functionOf(abi, receipt.input, suite);
  if (item === undefined) return { events };
  const isDone = Number(receipt.status) === 0;
  return {
    function: signatureOf(item),
    input: inputsOf(item, receipt.input),
    ...(isDone ? { output: decodeResult(item, receipt.output) } : {}),
    events,
  };
}
