/**
 * A small host in memory for tests of the interpreter: accounts in maps, an undo log, nothing of
 * the ledger.
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { TRANSACTION_STATUS } from "../../../core/fault/transaction-status.ts";
import { type Address, ZERO_ADDRESS } from "../../../core/bytes/ids.ts";
import {
  createWork,
  type Entry,
  type EvmHost,
  type FrameResult,
  type Message,
  SLOT_CHANGE,
  type SlotChange,
  type TransactionContext,
} from "../../../core/execution/evm/message.ts";
import * as words from "../../../core/execution/evm/words.ts";

/** An account of the host. */
export interface TestAccount {
  nonce: number;
  code: Uint8Array;
  codeHash: string;
  readonly slots: Map<bigint, bigint>;
}

/** A log entry as the host keeps it. */
export interface TestLog {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
}

/** What may differ between tests. */
export interface TestHostOptions {
  /**
   * As Ethereum does: a call of an account without code succeeds. Here it fails (26) by default.
   */
  readonly emptyCallsSucceed?: boolean;
  /** Nonce of a contract before it creates anything: 0 here, 1 on Ethereum. */
  readonly firstNonce?: number;
  /** Per-byte price of code. */
  readonly depositGas?: number;
  readonly denies?: (contract: Address) => boolean;
  readonly cancelled?: () => boolean;
}

/** The host and what a test examines afterwards. */
export interface TestHost extends EvmHost {
  readonly accounts: Map<Address, TestAccount>;
  readonly logs: TestLog[];
  readonly destroyed: Set<Address>;
  /** Every message entered, in order. */
  readonly entered: { readonly message: Message; readonly input: string }[];
  deploy(address: Address, code: Uint8Array): void;
}

const EMPTY = new Uint8Array(0);

/** Bytes as lower-case hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Hexadecimal digits, with or without 0x, as bytes. */
export function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.replace(/^0x/, ""), "hex"));
}

/** What the functions of a host share. */
interface World {
  readonly options: TestHostOptions;
  readonly accounts: Map<Address, TestAccount>;
  readonly logs: TestLog[];
  readonly destroyed: Set<Address>;
  readonly undo: (() => void)[];
  readonly savepoints: { readonly undo: number; readonly logs: number }[];
}

/** A new host without accounts. */
export function createTestHost(options: TestHostOptions = {}): TestHost {
  const world: World = {
    options,
    accounts: new Map(),
    logs: [],
    destroyed: new Set(),
    undo: [],
    savepoints: [],
  };
  const { accounts, logs, destroyed } = world;
  const entered: { message: Message; input: string }[] = [];
  return {
    accounts,
    logs,
    destroyed,
    entered,
    deploy(address, code) {
      const account = accountOf(world, address);
      account.nonce = options.firstNonce ?? 0;
      setCode(world, account, code);
    },
    ...reads(world),
    storeSlot: (contract, w, keyAt, valueAt) =>
      storeSlot(world, contract, words.toBigInt(w, keyAt), words.toBigInt(w, valueAt)),
    log(address, topics, data) {
      logs.push({ address, topics: topics.map(hex), data: hex(data) });
    },
    selfDestruct(contract) {
      if (destroyed.has(contract)) return;
      destroyed.add(contract);
      world.undo.push(() => destroyed.delete(contract));
    },
    enter(message) {
      entered.push({ message, input: hex(message.input) });
      return isCreation(message) ? enterCreation(world, message) : enterCall(world, message);
    },
    leave(message, result) {
      if (isCreation(message)) return leaveCreation(world, message, result);
      if (result.status === TRANSACTION_STATUS.None) world.savepoints.pop();
      else rollback(world);
      return result;
    },
    ...(options.cancelled ? { cancelled: options.cancelled } : {}),
  };
}

function isCreation({ kind }: Message): boolean {
  return kind === "create" || kind === "create2";
}

type Reads =
  | "loadSlot"
  | "accountExists"
  | "balance"
  | "codeSize"
  | "code"
  | "codeHash"
  | "blockHash";

function reads({ accounts }: World): Pick<EvmHost, Reads> {
  return {
    loadSlot(contract, w, at) {
      words.setBigInt(w, at, accounts.get(contract)?.slots.get(words.toBigInt(w, at)) ?? 0n);
    },
    accountExists: (address) => accounts.has(address),
    balance: () => 0n,
    codeSize: (address) => accounts.get(address)?.code.length ?? 0,
    code: (address) => accounts.get(address)?.code ?? EMPTY,
    codeHash(address) {
      const account = accounts.get(address);
      if (!account || (account.nonce === 0 && account.code.length === 0)) return undefined;
      return keccak_256(account.code);
    },
    blockHash: (number) => (number < 100 ? keccak_256(Uint8Array.of(number)) : undefined),
  };
}

function accountOf({ accounts, undo }: World, address: Address): TestAccount {
  const known = accounts.get(address);
  if (known) return known;
  const account = { nonce: 0, code: EMPTY, codeHash: "", slots: new Map() };
  accounts.set(address, account);
  undo.push(() => accounts.delete(address));
  return account;
}

function setNonce({ undo }: World, account: TestAccount, nonce: number): void {
  const before = account.nonce;
  account.nonce = nonce;
  undo.push(() => {
    account.nonce = before;
  });
}

function setCode({ undo }: World, account: TestAccount, code: Uint8Array): void {
  const before = { code: account.code, codeHash: account.codeHash };
  account.code = code;
  account.codeHash = hex(keccak_256(code));
  undo.push(() => Object.assign(account, before));
}

function storeSlot(world: World, contract: Address, key: bigint, value: bigint): SlotChange {
  const { slots } = accountOf(world, contract);
  const before = slots.get(key) ?? 0n;
  if (before === value) return SLOT_CHANGE.unchanged;
  if (world.options.denies?.(contract)) return SLOT_CHANGE.denied;
  slots.set(key, value);
  world.undo.push(() => slots.set(key, before));
  if (before === 0n) return SLOT_CHANGE.added;
  return value === 0n ? SLOT_CHANGE.deleted : SLOT_CHANGE.modified;
}

function openSavepoint({ savepoints, undo, logs }: World): void {
  savepoints.push({ undo: undo.length, logs: logs.length });
}

function rollback({ savepoints, undo, logs }: World): void {
  const point = savepoints.pop();
  if (!point) return;
  while (undo.length > point.undo) undo.pop()?.();
  logs.length = point.logs;
}

function ended(status: number, gasLeft: number, created?: Address): FrameResult {
  return { status, gasLeft, output: EMPTY, created };
}

function enterCreation(world: World, message: Message): Entry {
  const sender = accountOf(world, message.sender);
  const { nonce } = sender;
  setNonce(world, sender, nonce + 1);
  openSavepoint(world);
  const address = newAddress(message, nonce);
  const account = accountOf(world, address);
  if (account.code.length > 0 || account.nonce > 0) {
    rollback(world);
    return { result: ended(24, 0), message, codeHash: undefined };
  }
  setNonce(world, account, world.options.firstNonce ?? 0);
  const named = { ...message, recipient: address, codeAddress: address };
  if (message.input.length > 0) return { result: undefined, message: named, codeHash: undefined };
  world.savepoints.pop();
  const result = ended(TRANSACTION_STATUS.None, message.gas, address);
  return { result, message, codeHash: undefined };
}

function enterCall(world: World, message: Message): Entry {
  const account = world.accounts.get(message.codeAddress);
  if (account === undefined || account.code.length === 0) {
    const status = world.options.emptyCallsSucceed ? TRANSACTION_STATUS.None : 26;
    return { result: ended(status, message.gas), message, codeHash: undefined };
  }
  openSavepoint(world);
  return { result: undefined, message, codeHash: account.codeHash };
}

function leaveCreation(world: World, message: Message, result: FrameResult): FrameResult {
  const price = (world.options.depositGas ?? 200) * result.output.length;
  if (result.status !== TRANSACTION_STATUS.None) {
    rollback(world);
    return result;
  }
  if (price > result.gasLeft) {
    rollback(world);
    return ended(TRANSACTION_STATUS.OutOfGas, result.gasLeft);
  }
  setCode(world, accountOf(world, message.recipient), result.output);
  world.savepoints.pop();
  return ended(result.status, result.gasLeft - price, message.recipient);
}

function newAddress(message: Message, nonce: number): Address {
  const sender = bytes(message.sender);
  if (message.salt) {
    const parts = [Uint8Array.of(0xff), sender, message.salt, keccak_256(message.input)];
    return `0x${hex(keccak_256(new Uint8Array(Buffer.concat(parts)))).slice(24)}` as Address;
  }
  const encoded = nonce === 0 ? [0x80] : nonce < 128 ? [nonce] : [0x81, nonce];
  const list = Uint8Array.from([0xc0 + 21 + encoded.length, 0x94, ...sender, ...encoded]);
  return `0x${hex(keccak_256(list)).slice(24)}` as Address;
}

/** An address that ends in the number. */
export function addressOf(number: number): Address {
  return `0x${number.toString(16).padStart(40, "0")}` as Address;
}

/** A context with nothing special in it. */
export function testContext(
  host: EvmHost,
  workLimit = Number.MAX_SAFE_INTEGER - 1,
): TransactionContext {
  return {
    host,
    work: createWork(workLimit),
    origin: addressOf(0x0a11ce),
    gasPrice: 7n,
    number: 42,
    timestamp: 1_600_000_000_000n,
  };
}

/** A message call of depth 0. */
export function callMessage(to: Address, changes: Partial<Message> = {}): Message {
  return {
    kind: "call",
    depth: 0,
    isStatic: false,
    gas: 1_000_000,
    sender: addressOf(0x0a11ce),
    recipient: to,
    codeAddress: to,
    value: 0n,
    input: EMPTY,
    salt: undefined,
    ...changes,
  };
}

/** A creation of depth 0. */
export function createMessage(init: Uint8Array, changes: Partial<Message> = {}): Message {
  return { ...callMessage(ZERO_ADDRESS), kind: "create", input: init, ...changes };
}
