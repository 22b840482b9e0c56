/** Calls functions of contracts and tells what came of it. Source: console 4.3 */
import {
  type EncodedCall,
  encodeFunction,
  typedParameters,
} from "../../../../core/client/abi-item.ts";
import { type AbiItem, type AbiList, isReadOnly } from "../../../../core/client/abi-list.ts";
import { CallFault, ReceiptFault } from "../../../../core/client/client-fault.ts";
import {
  type DecodedEvent,
  decodeEvent,
  decodeResult,
  failureReason,
} from "../../../../core/client/contract-output.ts";
import type { Hex, Receipt } from "../../../../core/client/rpc-objects.ts";
import type { HashFunction } from "../../../../core/crypto/merkle.ts";
import { transactionStatusName } from "../../../../core/fault/transaction-status.ts";
import { ConsoleFault, type Outcome } from "../command.ts";
import { oneLine } from "../foreign-text.ts";
import { RULE } from "../print.ts";
import type { Session } from "../session.ts";
import { statusNumber, statusText } from "../status-text.ts";
import { chooseFunction } from "./choose-function.ts";
import { selectorHash } from "./selector-hash.ts";
import { valueLines } from "./shown-values.ts";

/** A contract to call. */
export interface CallPlace {
  readonly address: Hex;
  readonly abi: AbiList;
}

/** A function of it, and the arguments as they were typed. */
export interface CallRequest {
  readonly name: string;
  readonly args: readonly string[];
}

const STATUS_HINT = 'Statuses are explained in docs/console-contracts.md, "Statuses".';
const SUCCESS = "Success";

/** What a function returned, one by one. */
function resultsOf(item: AbiItem, output: Hex): readonly unknown[] {
  const count = item.outputs?.length ?? 0;
  if (count === 0) return [];
  const result = decodeResult(item, output);
  return count === 1 ? [result] : (result as readonly unknown[]);
}

/** What a command says of a call without a transaction. */
function readOutcome(item: AbiItem, output: Hex): Outcome {
  const results = resultsOf(item, output);
  const text = [
    RULE,
    "Return code: 0",
    `description: ${statusText(0)}`,
    `Return message: ${SUCCESS}`,
    RULE,
    ...valueLines("Return", typedParameters(item.outputs), results),
    RULE,
  ].join("\n");
  return { text, data: { values: results } };
}

function readFault({ status, reason, output }: CallFault): ConsoleFault {
  const code = statusNumber(status);
  const message = reason ?? statusText(code);
  const text = [
    RULE,
    `Return code: ${code}`,
    `description: ${status}, ${statusText(code)}`,
    `Return message: ${oneLine(message)}`,
    RULE,
  ].join("\n");
  return new ConsoleFault(message, { code, text, hint: STATUS_HINT, data: { status, output } });
}

/** A value in one line: JSON, whose integers have all their digits and no quotes. */
function inline(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(inline).join(",")}]`;
  const members = Object.entries(value).map(
    ([name, it]) => `${JSON.stringify(name)}:${inline(it)}`,
  );
  return `{${members.join(",")}}`;
}

/** Events by name: the arguments of one, or of each when there are several of a name. */
function eventLine(events: readonly DecodedEvent[]): string {
  const byName = new Map<string, unknown[]>();
  for (const { eventName, args } of events) {
    const values = Array.isArray(args) ? args : Object.values(args as object);
    byName.set(eventName, [...(byName.get(eventName) ?? []), values]);
  }
  const shown = [...byName].map(([name, lists]) => [name, lists.length === 1 ? lists[0] : lists]);
  return oneLine(`Event: ${inline(Object.fromEntries(shown))}`);
}

interface Written {
  readonly item: AbiItem;
  readonly values: readonly unknown[];
  readonly receipt: Receipt;
  readonly events: readonly DecodedEvent[];
}

function writtenOutcome({ item, values, receipt, events }: Written): Outcome {
  const results = resultsOf(item, receipt.output);
  const text = [
    `transaction hash: ${receipt.transactionHash}`,
    RULE,
    `transaction status: ${receipt.status}`,
    `description: ${statusText(0)}`,
    RULE,
    "Transaction inputs:",
    ...valueLines("Input", typedParameters(item.inputs), values),
    RULE,
    `Receipt message: ${SUCCESS}`,
    `Return message: ${SUCCESS}`,
    ...valueLines("Return", typedParameters(item.outputs), results),
    RULE,
    "Event logs",
    eventLine(events),
    RULE,
  ].join("\n");
  const { transactionHash, status, blockNumber } = receipt;
  return {
    text,
    data: { transactionHash, status, blockNumber, inputs: values, values: results, events },
  };
}

/** The events of a contract in a receipt, by any of the hashes that made their topics. */
export function eventsOf(
  abi: AbiList,
  { logs }: Pick<Receipt, "logs">,
  hashes: readonly HashFunction[],
): readonly DecodedEvent[] {
  return logs.flatMap((log) => {
    const found = hashes.map((hash) => decodeEvent(abi, log, hash));
    return found.find((event) => event !== undefined) ?? [];
  });
}

async function read(
  session: Session,
  { address, abi }: CallPlace,
  { item, data }: EncodedCall,
  hash: HashFunction,
): Promise<Outcome> {
  const from = (await session.account()).address;
  const answer = await session.query("call", [session.groupId, { from, to: address, data }]);
  if (Number(answer.status) === 0) return readOutcome(item, answer.output);
  const reason = failureReason(answer.output, hash, abi);
  const status = transactionStatusName(Number(answer.status));
  throw readFault(new CallFault({ status, reason }, answer.output));
}

async function write(session: Session, { address, abi }: CallPlace, data: Hex, hash: HashFunction) {
  const client = await session.client();
  try {
    return await client.execute({ to: address, data }, { signal: session.signal });
  } catch (cause) {
    if (!(cause instanceof ReceiptFault)) throw cause;
    // The contract may have errors of its own, which only its ABI knows.
    const reason = failureReason(cause.receipt.output, hash, abi);
    throw new ReceiptFault({ status: cause.status, reason }, cause.receipt);
  }
}

/**
 * Calls a function: one that only reads without a transaction, any other with one.
 * @throws ConsoleFault with exit code 2 for a function or arguments that do not fit; with the
 *   status and the reason of the contract
 */
export async function callContract(
  session: Session,
  place: CallPlace,
  { name, args }: CallRequest,
): Promise<Outcome> {
  const { item, values } = chooseFunction(place.abi, name, args);
  const hash = await selectorHash(session, place);
  const encoded = encodeFunction([item], item.name ?? "", values, hash);
  if (isReadOnly(item)) return await read(session, place, { ...encoded, item }, hash);
  const receipt = await write(session, place, encoded.data, hash);
  const events = eventsOf(place.abi, receipt, [hash]);
  return writtenOutcome({ item, values, receipt, events });
}
