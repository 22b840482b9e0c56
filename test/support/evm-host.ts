/** A small host in memory for tests of the interpreter: accounts in maps, an undo log, nothing of the ledger. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { type Address, ZERO_ADDRESS } from "../../core/bytes/ids.ts";
import {
  createWork,
  type Entry,
  type EvmHost,
  FRAME_STATUS,
  type FrameResult,
  type Message,
  SLOT_CHANGE,
  type TransactionContext,
} from "../../core/execution/evm/message.ts";
import * as words from "../../core/execution/evm/words.ts";

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
  /** As Ethereum does: a call of an account without code succeeds. Here it fails (26) by default. */
  readonly emptyCallsSucceed?: boolean;
  /** Nonce of a contract before it creates anything: 0 here, 1 on Ethereum. */
  readonly firstNonce?: number;
  /** Per-byte price of code. */
  readonly depositGas?: number;
  readonly denies?: (contract: Address) => boolean;
  readonly cancelled?: () => boolean;
}

/** The host and what a test looks at afterwards. */
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

/** A new host without accounts. */
export function createTestHost(options: TestHostOptions = {}): TestHost {
  const accounts = new Map<Address, TestAccount>();
  const logs: TestLog[] = [];
  const destroyed = new Set<Address>();
  const entered: { message: Message; input: string }[] = [];
  const undo: (() => void)[] = [];
  const savepoints: { undo: number; logs: number }[] = [];

  const accountOf = (address: Address): TestAccount => {
    const known = accounts.get(address);
    if (known) return known;
    const account = { nonce: 0, code: EMPTY, codeHash: "", slots: new Map() };
    accounts.set(address, account);
    undo.push(() => accounts.delete(address));
    return account;
  };
  const rollback = (): void => {
    const point = savepoints.pop();
    if (!point) return;
    while (undo.length > point.undo) undo.pop()?.();
    logs.length = point.logs;
  };
  const failure = (status: number, gasLeft: number): FrameResult => ({
    status,
    gasLeft,
    output: EMPTY,
    created: undefined,
  });
  const done = (message: Message, result: FrameResult): Entry => ({
    result,
    message,
    codeHash: undefined,
  });
  const setCode = (account: TestAccount, code: Uint8Array): void => {
    const before = { code: account.code, codeHash: account.codeHash };
    account.code = code;
    account.codeHash = hex(keccak_256(code));
    undo.push(() => Object.assign(account, before));
  };

  const enterCreation = (message: Message): Entry => {
    const sender = accountOf(message.sender);
    const nonce = sender.nonce++;
    undo.push(() => {
      sender.nonce = nonce;
    });
    savepoints.push({ undo: undo.length, logs: logs.length });
    const address = newAddress(message, nonce);
    const account = accountOf(address);
    if (account.code.length > 0 || account.nonce > 0) {
      rollback();
      return done(message, failure(24, 0));
    }
    account.nonce = options.firstNonce ?? 0;
    undo.push(() => {
      account.nonce = 0;
    });
    const named = { ...message, recipient: address, codeAddress: address };
    if (message.input.length > 0) return { result: undefined, message: named, codeHash: undefined };
    savepoints.pop();
    return done(message, {
      status: FRAME_STATUS.success,
      gasLeft: message.gas,
      output: EMPTY,
      created: address,
    });
  };

  const enterCall = (message: Message): Entry => {
    const account = accounts.get(message.codeAddress);
    if (account === undefined || account.code.length === 0) {
      const status = options.emptyCallsSucceed ? FRAME_STATUS.success : 26;
      return done(message, failure(status, message.gas));
    }
    savepoints.push({ undo: undo.length, logs: logs.length });
    return { result: undefined, message, codeHash: account.codeHash };
  };

  const leaveCreation = (message: Message, result: FrameResult): FrameResult => {
    const price = (options.depositGas ?? 200) * result.output.length;
    if (result.status !== FRAME_STATUS.success) {
      rollback();
      return result;
    }
    if (price > result.gasLeft) {
      rollback();
      return failure(FRAME_STATUS.outOfGas, result.gasLeft);
    }
    setCode(accountOf(message.recipient), result.output);
    savepoints.pop();
    return {
      status: result.status,
      gasLeft: result.gasLeft - price,
      output: EMPTY,
      created: message.recipient,
    };
  };

  return {
    accounts,
    logs,
    destroyed,
    entered,
    deploy(address, code) {
      const account = accountOf(address);
      account.nonce = options.firstNonce ?? 0;
      setCode(account, code);
    },
    loadSlot(contract, w, at) {
      words.setBigInt(w, at, accounts.get(contract)?.slots.get(words.toBigInt(w, at)) ?? 0n);
    },
    storeSlot(contract, w, keyAt, valueAt) {
      const { slots } = accountOf(contract);
      const key = words.toBigInt(w, keyAt);
      const value = words.toBigInt(w, valueAt);
      const before = slots.get(key) ?? 0n;
      if (before === value) return SLOT_CHANGE.unchanged;
      if (options.denies?.(contract)) return SLOT_CHANGE.denied;
      slots.set(key, value);
      undo.push(() => slots.set(key, before));
      if (before === 0n) return SLOT_CHANGE.added;
      return value === 0n ? SLOT_CHANGE.deleted : SLOT_CHANGE.modified;
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
    log(address, topics, data) {
      logs.push({ address, topics: topics.map(hex), data: hex(data) });
    },
    selfDestruct(contract) {
      if (destroyed.has(contract)) return;
      destroyed.add(contract);
      undo.push(() => destroyed.delete(contract));
    },
    enter(message) {
      entered.push({ message, input: hex(message.input) });
      return message.kind.startsWith("create") ? enterCreation(message) : enterCall(message);
    },
    leave(message, result) {
      if (message.kind.startsWith("create")) return leaveCreation(message, result);
      if (result.status === FRAME_STATUS.success) savepoints.pop();
      else rollback();
      return result;
    },
    ...(options.cancelled ? { cancelled: options.cancelled } : {}),
  };
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
