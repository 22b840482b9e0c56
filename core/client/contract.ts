/** Contracts by their ABI: calls, transactions, events. */
import type { Abi, ExtractAbiFunction, ExtractAbiFunctionNames } from "abitype";
import { ZERO_ADDRESS } from "../bytes/ids.ts";
import { readAddress } from "../bytes/quantity.ts";
import type { HashFunction } from "../crypto/merkle.ts";
import { transactionStatusName } from "../fault/transaction-status.ts";
import { encodeFunction, itemsOf, type JsonItem } from "./abi-item.ts";
import { CallFault, UsageFault } from "./client-fault.ts";
import { decodeEvent, decodeResult, failureReason, type RawLog } from "./contract-output.ts";
import type {
  ArgsOf,
  CallMethods,
  CallOptions,
  ContractEvent,
  SendFunctionOptions,
  SendMethods,
  SendOptions,
} from "./contract-types.ts";
import type { TypedRequest } from "./rpc-methods.ts";
import type { Hex, Receipt } from "./rpc-objects.ts";
import type { NumberText } from "./rpc-schema.ts";
import type { TransactionRequest } from "./transaction-builder.ts";
import type { Subscription, SubscriptionListener } from "./transport.ts";

/** A contract. */
export interface Contract<ContractAbi extends Abi> {
  readonly address: Hex;
  readonly abi: ContractAbi;
  /**
   * The functions, run on the latest state without a transaction.
   *
   * @throws CallFault with the reason when the contract reverts; UsageFault for arguments that do
   *   not fit
   */
  readonly call: CallMethods<ContractAbi>;
  /**
   * The functions that change state: signed, handed in, and waited for.
   *
   * @throws ReceiptFault with the reason when the contract reverts; RefusalFault;
   *   ReceiptTimeoutFault; UsageFault
   */
  readonly send: SendMethods<ContractAbi>;
  /** The call data of a function. @throws UsageFault */
  encode<Name extends ExtractAbiFunctionNames<ContractAbi>>(
    name: Name,
    ...args: ArgsOf<ExtractAbiFunction<ContractAbi, Name>> & readonly unknown[]
  ): Hex;
  /** The events of the contract among the logs of a receipt, or of any list. */
  events(from: Receipt | readonly RawLog[]): readonly ContractEvent<ContractAbi>[];
  /**
   * Reports the events of the contract as blocks are written, over a transport that pushes. What
   * is no log is dropped.
   *
   * @throws UsageFault over one that does not
   */
  watch(listener: EventListener<ContractAbi>, range?: EventRange): Promise<Subscription>;
}

/** Who learns of events. */
export interface EventListener<ContractAbi extends Abi> {
  onEvent(event: ContractEvent<ContractAbi>): void;
  /** Nothing more comes, and the caller did not end it. */
  onEnd?(cause: Error): void;
}

/** Blocks to look at; from the head on when absent, and without an end. */
export interface EventRange {
  readonly fromBlock?: NumberText;
  readonly toBlock?: NumberText;
}

/** What contracts need of their client. */
export interface ContractParts {
  readonly request: TypedRequest;
  readonly groupId: number;
  /** Hash of the selectors and topics. */
  readonly hash: HashFunction;
  /** The address that calls come from when nobody is named. */
  readonly caller: Hex | undefined;
  /** Subscribes to logs of the group. */
  subscribe(
    filter: Readonly<Record<string, unknown>>,
    listener: SubscriptionListener,
  ): Promise<Subscription>;
  /** Makes, sends and awaits a transaction that must succeed. */
  execute(
    request: TransactionRequest,
    options: SendOptions,
    abi: readonly JsonItem[],
  ): Promise<Receipt>;
}

/** The functions of an ABI by name, each made once. */
function functionsOf<Method>(
  abi: readonly JsonItem[],
  make: (name: string) => Method,
): Readonly<Record<string, Method>> {
  const names = new Set(itemsOf(abi, "function").map(({ name }) => name ?? ""));
  return Object.fromEntries([...names].map((name) => [name, make(name)]));
}

/** @throws UsageFault when the text is no address */
function givenAddress(text: string): Hex {
  const address = text.startsWith("0x") ? readAddress(text) : undefined;
  if (address === undefined) throw new UsageFault(`${text} is no address`);
  return address as string as Hex;
}

/** Heights as the interface wants them. */
function textsOf(range: EventRange): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(range).map(([name, number]) => [name, String(number)]));
}

/** A contract at an address; nothing is asked before a function is used. */
export function contractAt<const ContractAbi extends Abi>(
  parts: ContractParts,
  place: { readonly abi: ContractAbi; readonly address: string },
): Contract<ContractAbi> {
  const abi = place.abi as readonly JsonItem[];
  const address = givenAddress(place.address);
  const { hash } = parts;
  const events = (from: Receipt | readonly RawLog[]): unknown[] => {
    const logs: readonly RawLog[] = "logs" in from ? from.logs : from;
    return logs.flatMap((log) => {
      const event = log.address === address ? decodeEvent(abi, log, hash) : undefined;
      return event ? [{ ...event, log }] : [];
    });
  };
  const call =
    (name: string) =>
    async (args: readonly unknown[] = [], options: CallOptions = {}): Promise<unknown> => {
      const { item, data } = encodeFunction(abi, name, args, hash);
      const from = options.from ?? parts.caller ?? ZERO_ADDRESS;
      const request = { from, to: address, data };
      const answer = await parts.request("call", [parts.groupId, request], options.signal);
      if (Number(answer.status) === 0) return decodeResult(item, answer.output);
      const status = transactionStatusName(Number(answer.status));
      const reason = failureReason(answer.output, hash, abi);
      throw new CallFault({ status, reason }, answer.output);
    };
  const send =
    (name: string) =>
    async (args: readonly unknown[] = [], given: SendFunctionOptions = {}): Promise<unknown> => {
      const { value = 0n, ...options } = given;
      const { item, data } = encodeFunction(abi, name, args, hash);
      const receipt = await parts.execute({ to: address, data, value }, options, abi);
      return { receipt, result: decodeResult(item, receipt.output), events: events(receipt) };
    };
  return {
    address,
    abi: place.abi,
    call: functionsOf(abi, call) as unknown as CallMethods<ContractAbi>,
    send: functionsOf(abi, send) as unknown as SendMethods<ContractAbi>,
    encode: (name, ...args) => encodeFunction(abi, name, args, hash).data,
    events: events as Contract<ContractAbi>["events"],
    watch: ({ onEvent, onEnd }, range = {}) => {
      const onResult = (log: unknown): void => {
        for (const event of events([log as RawLog])) onEvent(event as ContractEvent<ContractAbi>);
      };
      const filter = { addresses: [address], topics: [], ...textsOf(range) };
      return parts.subscribe(filter, onEnd ? { onResult, onEnd } : { onResult });
    },
  };
}
