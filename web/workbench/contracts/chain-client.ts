/** Deploying, calling and sending, over the typed client. */
import type { Abi } from "abitype";
import type { Account } from "../../../core/client/account.ts";
import { CallFault, ReceiptFault, RefusalFault } from "../../../core/client/client-fault.ts";
import { type Client, clientOver } from "../../../core/client/create-client.ts";
import { itemsOf } from "../../../core/client/abi-item.ts";
import type { RawLog } from "../../../core/client/contract-output.ts";
import type { CallResult, Hex, Receipt } from "../../../core/client/rpc-objects.ts";
import type { Subscription, Transport } from "../../../core/client/transport.ts";
import { precompiledMessage } from "../../../core/fault/precompiled-code.ts";
import { webClock, webEntropy } from "../../../runtimes/shared/platform/web-platform.ts";
import type { AbiItem, AbiList } from "../../../core/client/abi-list.ts";
import { type Chain, loadSuite } from "../../data/chain.ts";
import type { KnownContract } from "../../data/contracts.ts";

/** An event of a contract. */
export interface SeenEvent {
  readonly eventName: string;
  /** By name; a list when a parameter has none. */
  readonly args: unknown;
  /** Nodes that push a log say of which transaction it is; receipts do not repeat it. */
  readonly log: RawLog & { readonly transactionHash?: Hex };
}

/** What came of a call, a transaction or a deployment. */
export type Outcome =
  /** A function ran without a transaction. */
  | {
      readonly kind: "called";
      readonly item: AbiItem;
      readonly result: unknown;
      /** The newest block of the node when it ran; undefined where the node did not say. */
      readonly block: number | undefined;
      /** What the answer rests on, where a gateway gave it. */
      readonly proof: string | undefined;
    }
  /** A transaction is in a block. */
  | {
      readonly kind: "sent";
      readonly item: AbiItem;
      readonly result: unknown;
      readonly receipt: Receipt;
      readonly events: readonly SeenEvent[];
    }
  /** A contract was created. */
  | {
      readonly kind: "deployed";
      /** False when nobody answered whether the code is there. */
      readonly isChecked: boolean;
      readonly contract: KnownContract;
      readonly receipt: Receipt;
      readonly events: readonly SeenEvent[];
    }
  | Failure;

/** Nothing was done, or nothing came of it. */
export interface Failure {
  readonly kind: "failed";
  /** Name of the status, where a node told one. */
  readonly status: string | undefined;
  /** The contract's own messages, or the code of a precompiled contract. */
  readonly reason: string | undefined;
  /** Of a failure that is none of the contract's. */
  readonly cause: unknown;
  readonly receipt: Receipt | undefined;
}

/** Who acts, and where. */
export interface ActingPlace {
  readonly chain: Chain;
  /** Hash of block 0. */
  readonly chainKey: string;
  readonly account: Account | undefined;
}

/** A client for contracts of this browser, or for those that the chain itself has. */
async function clientFor(
  { chain, account }: Pick<ActingPlace, "chain" | "account">,
  isNative: boolean,
): Promise<Client> {
  const { source, groupId, facts } = chain;
  const suite = await loadSuite(facts.suiteName);
  // A compiler made the selectors with Keccak-256, whatever the chain hashes with.
  const selectorSuite = isNative ? suite : await loadSuite("standard");
  const settings = { transport: source.transport, groupId, suite, account, selectorSuite };
  return clientOver(settings, { clock: webClock, entropy: webEntropy });
}

function failureOf(cause: unknown): Failure {
  const told = { kind: "failed", cause } as const;
  if (cause instanceof ReceiptFault) {
    const { status, reason, receipt } = cause;
    return { ...told, status, reason, receipt };
  }
  if (cause instanceof CallFault) {
    return { ...told, status: cause.status, reason: cause.reason, receipt: undefined };
  }
  const status = cause instanceof RefusalFault ? cause.status : undefined;
  return { ...told, status, reason: undefined, receipt: undefined };
}

/** Precompiled contracts fail with a negative code as their result. */
function codeFailure(result: unknown, receipt: Receipt | undefined): Failure | undefined {
  const first: unknown = Array.isArray(result) ? result[0] : result;
  if (typeof first !== "bigint" || first >= 0n) return undefined;
  const words = precompiledMessage(Number(first));
  const reason = words === undefined ? String(first) : `${first}: ${words}`;
  return { kind: "failed", status: undefined, reason, cause: undefined, receipt };
}

/** The ABI with this function as the only one of its name, so that it is the one that is meant. */
function abiWith(abi: AbiList, item: AbiItem): Abi {
  const others = [...itemsOf(abi, "event"), ...itemsOf(abi, "error")];
  return [item, ...others] as unknown as Abi;
}

/** What is to be run. */
export interface RunOrder {
  readonly contract: Pick<KnownContract, "address" | "abi" | "native">;
  readonly item: AbiItem;
  readonly values: readonly unknown[];
  /** What CALLVALUE tells the contract. */
  readonly value?: bigint;
}

type Method = (
  values: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

interface SentTransaction {
  readonly receipt: Receipt;
  readonly result: unknown;
  readonly events: readonly SeenEvent[];
}

/** When a call was run, and what its answer rests on. */
interface CallNote {
  readonly block: number | undefined;
  readonly proof: string | undefined;
}

/** The place with a transport that notes at which block the node ran a call. */
function notedPlace(place: ActingPlace): { acting: ActingPlace; note(): CallNote } {
  let note: CallNote = { block: undefined, proof: undefined };
  const { source } = place.chain;
  const transport: Transport = {
    request: async (call, signal) => {
      const result = await source.transport.request(call, signal);
      if (call.method === "call") {
        const block = Number((result as CallResult).currentBlockNumber);
        note = { block, proof: source.proofOf?.(call) };
      }
      return result;
    },
  };
  const chain = { ...place.chain, source: { ...source, transport } };
  return { acting: { ...place, chain }, note: () => note };
}

async function methodsOf(place: ActingPlace, { contract, item }: RunOrder) {
  const client = await clientFor(place, contract.native === true);
  const at = client.contract({ abi: abiWith(contract.abi, item), address: contract.address });
  const name = item.name ?? "";
  const call = (at.call as unknown as Readonly<Record<string, Method>>)[name];
  const send = (at.send as unknown as Readonly<Record<string, Method>>)[name];
  return { call, send };
}

/** Runs a function on the latest state, without a transaction. */
export async function callFunction(place: ActingPlace, order: RunOrder): Promise<Outcome> {
  try {
    const { acting, note } = notedPlace(place);
    const { call } = await methodsOf(acting, order);
    const from = place.account?.address;
    const result = await call?.(order.values, from ? { from } : {});
    const failure = order.contract.native ? codeFailure(result, undefined) : undefined;
    return failure ?? { kind: "called", item: order.item, result, ...note() };
  } catch (cause) {
    return failureOf(cause);
  }
}

/** Signs a transaction, hands it in and waits until it is in a block. */
export async function sendFunction(place: ActingPlace, order: RunOrder): Promise<Outcome> {
  try {
    const { send } = await methodsOf(place, order);
    const options = order.value === undefined ? {} : { value: order.value };
    const sent = (await send?.(order.values, options)) as SentTransaction;
    const { receipt, result, events } = sent;
    const failure = order.contract.native ? codeFailure(result, receipt) : undefined;
    return failure ?? { kind: "sent", item: order.item, result, receipt, events };
  } catch (cause) {
    return failureOf(cause);
  }
}

/** What is to be deployed. */
interface DeployOrder {
  readonly name: string;
  readonly abi: AbiList;
  /** Digits, with the addresses of libraries in their places. */
  readonly code: string;
  readonly values: readonly unknown[];
}

/** There is a receipt that says success, and no code at the address. */
export class NoCodeFault extends Error {
  override readonly name = "NoCodeFault";
}

/** Looks for the code; false when nobody answered. @throws NoCodeFault when there is none */
async function isCodeThere(client: Client, address: Hex): Promise<boolean> {
  try {
    if ((await client.getCode(address)) === "0x") throw new NoCodeFault(address);
    return true;
  } catch (cause) {
    if (cause instanceof NoCodeFault) throw cause;
    return false;
  }
}

/** Creates a contract; it counts as deployed when its code is at the address. */
export async function deployContract(place: ActingPlace, order: DeployOrder): Promise<Outcome> {
  const { abi, code, values, name } = order;
  try {
    const client = await clientFor(place, false);
    const { contract, receipt } = await client.deploy({
      abi: abi as unknown as Abi,
      bytecode: code,
      args: values as never,
    });
    const isChecked = await isCodeThere(client, contract.address);
    const { address } = contract;
    const creation: string = receipt.transactionHash;
    const at = Date.now();
    const known = { chain: place.chainKey, address, label: name, name, abi, at, creation };
    const events = contract.events(receipt) as unknown as readonly SeenEvent[];
    return { kind: "deployed", contract: known, receipt, events, isChecked };
  } catch (cause) {
    return failureOf(cause);
  }
}

/** Follows the events of a contract as blocks are written. */
export async function watchEvents(
  chain: Chain,
  { address, abi, native }: KnownContract,
  listener: { onEvent(event: SeenEvent): void; onEnd(cause: Error): void },
): Promise<Subscription> {
  const client = await clientFor({ chain, account: undefined }, native === true);
  const contract = client.contract({ abi: abi as unknown as Abi, address });
  return await contract.watch({
    onEvent: (event) => listener.onEvent(event as unknown as SeenEvent),
    onEnd: (cause) => listener.onEnd(cause),
  });
}

/** Whether there is code at an address. */
export async function hasCode(chain: Chain, address: string): Promise<boolean> {
  const { source, groupId } = chain;
  const code = await source.request({ method: "getCode", params: [groupId, address as Hex] });
  return typeof code === "string" && code !== "0x" && code !== "";
}
