/** The client: every operation typed, transactions signed and awaited, contracts by their ABI. */
import type { Abi } from "abitype";
import type { CryptoSuite } from "../crypto/suite.ts";
import { transactionStatusName } from "../fault/transaction-status.ts";
import { encodeCreation, type JsonItem } from "./abi-item.ts";
import type { Account } from "./account.ts";
import type { HashFunction } from "../crypto/merkle.ts";
import { createChainView } from "./chain-view.ts";
import { ReceiptFault, UsageFault } from "./client-fault.ts";
import { type Contract, contractAt, type ContractParts } from "./contract.ts";
import { failureReason } from "./contract-output.ts";
import type { ConstructorArgs, SendOptions } from "./contract-types.ts";
import type { ClientPlatform, WaitOptions } from "./platform.ts";
import { formed, type SubscriptionKind } from "./pushed-form.ts";
import { type RpcMethods, rpcMethods, type TypedRequest, typedRequest } from "./rpc-methods.ts";
import type { Hex, Receipt } from "./rpc-objects.ts";
import { awaitReceipt, HandedIn, handIn, type SubmissionParts } from "./submission.ts";
import {
  givenBytes,
  prepareTransaction,
  type PreparedTransaction,
  type TransactionRequest,
} from "./transaction-builder.ts";
import type { Subscription, SubscriptionListener, Transport } from "./transport.ts";
import { type VerifiedReads, verifiedReads } from "./verified-reads.ts";

/** What a client talks to, and for whom. */
export interface ClientSettings {
  readonly transport: Transport;
  readonly groupId: number;
  /** The algorithms of the chain. */
  readonly suite: CryptoSuite;
  /** Who signs, unless a call names somebody else. */
  readonly account?: Account | undefined;
  /**
   * Whose hash makes selectors and topics; that of the chain when absent. Contracts that a compiler
   * for Keccak-256 made for a chain of the national suite have those of the standard suite.
   */
  readonly selectorSuite?: CryptoSuite | undefined;
}

/** A contract that is to be created. */
export interface Deployment<ContractAbi extends Abi> extends SendOptions {
  readonly abi: ContractAbi;
  /** Creation code, with or without `0x`. */
  readonly bytecode: string;
  /** Arguments of the constructor; none when absent. */
  readonly args?: ConstructorArgs<ContractAbi>;
}

/** A contract that was created. */
export interface Deployed<ContractAbi extends Abi> {
  readonly contract: Contract<ContractAbi>;
  readonly receipt: Receipt;
}

/** What a client can do next to the operations of the interface. */
export interface ClientActions extends VerifiedReads {
  readonly groupId: number;
  readonly account: Account | undefined;
  readonly transport: Transport;
  /** An operation by its name, with all parameters as the interface has them. */
  readonly request: TypedRequest;
  /** Signs a transaction. Keep it to hand it in again: a group executes it once. */
  prepareTransaction(
    request: TransactionRequest,
    options?: Pick<SendOptions, "account">,
  ): Promise<PreparedTransaction>;
  /**
   * Hands in a transaction, again if no node is reached; the hash says that it waits. Over the
   * channel port a refusal comes later, to a node that waits for the receipt.
   *
   * @throws RefusalFault; NodeFault; TransportFault
   */
  sendTransaction(
    transaction: TransactionRequest | PreparedTransaction,
    options?: SendOptions,
  ): Promise<Hex>;
  /**
   * Waits for a receipt of any status.
   *
   * @throws ReceiptTimeoutFault; RefusalFault when that is pushed; AbortedFault
   */
  waitForReceipt(transaction: Hex | PreparedTransaction, options?: WaitOptions): Promise<Receipt>;
  /**
   * Hands in a transaction and waits for its receipt.
   *
   * @throws ReceiptFault when it failed in its block; RefusalFault; ReceiptTimeoutFault
   */
  execute(
    transaction: TransactionRequest | PreparedTransaction,
    options?: SendOptions,
  ): Promise<Receipt>;
  /** Creates a contract. @throws as {@link execute}; UsageFault for arguments that do not fit */
  deploy<const ContractAbi extends Abi>(
    deployment: Deployment<ContractAbi>,
  ): Promise<Deployed<ContractAbi>>;
  /** A contract that exists. @throws UsageFault when the text is no address */
  contract<const ContractAbi extends Abi>(place: {
    readonly abi: ContractAbi;
    readonly address: string;
  }): Contract<ContractAbi>;
  /**
   * Notifications of `blocks`, `receipts` or `logs` of the group. What has not the form of its
   * kind is dropped.
   *
   * @throws UsageFault over a transport that pushes nothing
   */
  subscribe(
    kind: SubscriptionKind,
    filter: Readonly<Record<string, unknown>>,
    listener: SubscriptionListener,
  ): Promise<Subscription>;
  /** Closes the connections of the transport. */
  close(): Promise<void>;
}

/** A client of one group of a chain. */
export type Client = RpcMethods & ClientActions;

/** The parts of a client that its actions share. */
interface Inside extends SubmissionParts {
  readonly settings: ClientSettings;
  readonly platform: ClientPlatform;
  readonly handedIn: HandedIn;
  /** Hash of selectors and topics. */
  readonly hash: HashFunction;
}

async function prepare(
  inside: Inside,
  request: TransactionRequest,
  given: Account | undefined,
): Promise<PreparedTransaction> {
  const { settings, platform, view, groupId } = inside;
  const account = given ?? settings.account;
  if (account === undefined) throw new UsageFault("no account was given to sign with");
  const { chainId } = await view.facts();
  const blockLimit =
    request.blockLimit === undefined ? await view.blockLimit() : BigInt(request.blockLimit);
  const signing = { account, suite: settings.suite, entropy: platform.entropy };
  return await prepareTransaction(request, { chainId, groupId, blockLimit }, signing);
}

async function prepared(
  inside: Inside,
  transaction: TransactionRequest | PreparedTransaction,
  account: Account | undefined,
): Promise<PreparedTransaction> {
  return "raw" in transaction ? transaction : await prepare(inside, transaction, account);
}

async function execute(
  inside: Inside,
  transaction: TransactionRequest | PreparedTransaction,
  options: SendOptions,
  abi: readonly JsonItem[] = [],
): Promise<Receipt> {
  const { account, ...wait } = options;
  const made = await prepared(inside, transaction, account);
  const handed = await handIn(inside, made, { ...wait, wantsReceipt: true });
  const receipt = await awaitReceipt(inside, made, handed, wait);
  if (Number(receipt.status) === 0) return receipt;
  const status = transactionStatusName(Number(receipt.status));
  const reason = failureReason(receipt.output, inside.hash, abi);
  throw new ReceiptFault({ status, reason }, receipt);
}

async function subscribe(
  { transport, groupId }: Inside,
  kind: SubscriptionKind,
  filter: Readonly<Record<string, unknown>>,
  listener: SubscriptionListener,
): Promise<Subscription> {
  if (!transport.subscribe) throw new UsageFault("this transport pushes nothing");
  return await transport.subscribe([groupId, kind, filter], formed(kind, listener));
}

function contractParts(inside: Inside): ContractParts {
  const { request, groupId, settings, hash } = inside;
  return {
    request,
    groupId,
    hash,
    caller: settings.account?.address,
    subscribe: (filter, listener) => subscribe(inside, "logs", filter, listener),
    execute: (wanted, options, abi) => execute(inside, wanted, options, abi),
  };
}

async function deploy<const ContractAbi extends Abi>(
  inside: Inside,
  { abi, bytecode, args, ...options }: Deployment<ContractAbi>,
): Promise<Deployed<ContractAbi>> {
  const items = abi as readonly JsonItem[];
  const code = givenBytes("bytecode", bytecode.startsWith("0x") ? bytecode : `0x${bytecode}`);
  const data = encodeCreation(items, code, (args ?? []) as readonly unknown[]);
  const receipt = await execute(inside, { to: null, data }, options, items);
  const place = { abi, address: receipt.contractAddress };
  return { contract: contractAt<ContractAbi>(contractParts(inside), place), receipt };
}

function actionsOf(inside: Inside): ClientActions {
  const { settings, request, groupId, transport } = inside;
  return {
    groupId,
    account: settings.account,
    transport,
    request,
    prepareTransaction: (wanted, { account } = {}) => prepare(inside, wanted, account),
    async sendTransaction(transaction, { account, ...wait } = {}) {
      const made = await prepared(inside, transaction, account);
      const handed = await handIn(inside, made, { ...wait, wantsReceipt: false });
      inside.handedIn.add(made.hash, handed);
      return made.hash;
    },
    async waitForReceipt(transaction, options = {}) {
      const wanted = typeof transaction === "string" ? { hash: transaction } : transaction;
      const handed = await inside.handedIn.find(inside, wanted.hash);
      return await awaitReceipt(inside, wanted, handed, options);
    },
    execute: (transaction, options = {}) => execute(inside, transaction, options),
    deploy: (deployment) => deploy(inside, deployment),
    contract: (place) => contractAt(contractParts(inside), place),
    subscribe: (kind, filter, listener) => subscribe(inside, kind, filter, listener),
    close: async () => await transport.close?.(),
    ...verifiedReads({ request, groupId, suite: settings.suite, view: inside.view }),
  };
}

/**
 * A client over a transport. Nothing is asked before it is used.
 *
 * @throws UsageFault when the account is of the other suite than the client
 */
export function clientOver(settings: ClientSettings, platform: ClientPlatform): Client {
  const { transport, groupId, suite, account } = settings;
  if (account !== undefined && account.suite !== suite.name) {
    throw new UsageFault(`the account is of the ${account.suite} suite, not the ${suite.name} one`);
  }
  const request = typedRequest(transport);
  const { clock } = platform;
  const view = createChainView({ request, groupId, suite, clock });
  const { hash } = settings.selectorSuite ?? suite;
  const parts = { transport, request, groupId, clock, view };
  const inside = { ...parts, settings, platform, hash, handedIn: new HandedIn() };
  return { ...rpcMethods(request, groupId), ...actionsOf(inside) };
}
