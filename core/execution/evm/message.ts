/**
 * What the interpreter and its host tell each other. The interpreter owns one frame: stack, memory,
 * gas, return data. The host owns everything else: accounts, slots, logs, savepoints, refunds, code
 * lookup and the choice of what a call runs. Source: execution 3, 4, 5, 7
 */
import type { Address } from "../../bytes/ids.ts";

/** What a frame is asked to do. */
export interface Message {
  readonly kind: "call" | "callcode" | "delegatecall" | "staticcall" | "create" | "create2";
  /** 0 for the frame of a transaction; at most 1024. Frames are pooled by depth. */
  readonly depth: number;
  /** No state change is allowed in this frame and below it. */
  readonly isStatic: boolean;
  /** Gas given, a safe integer, at least 0. */
  readonly gas: number;
  /** CALLER. For a delegatecall the sender of the delegating frame. */
  readonly sender: Address;
  /**
   * ADDRESS: the account whose slots are read and written. For creations the interpreter passes the
   * zero address, and the host names the new account in {@link Entry.message}.
   */
  readonly recipient: Address;
  /** Account whose code runs (equals `recipient` for call, staticcall and creations). */
  readonly codeAddress: Address;
  /** CALLVALUE. For a delegatecall the value of the delegating frame. */
  readonly value: bigint;
  /** Call data or init code; may be a view of the caller's memory, valid until the call returns. */
  readonly input: Uint8Array;
  /** 32 bytes, big-endian; create2 only. */
  readonly salt: Uint8Array | undefined;
}

/** What a frame or a whole nested call leaves. Source: execution 5 */
export interface FrameResult {
  /**
   * Of TRANSACTION_STATUS, each but `None` a failure; `Unknown` for a static-call violation and a
   * RETURNDATACOPY out of bounds. A host may give any of them from `enter` and `leave`.
   */
  readonly status: number;
  /** Gas to give back by the table of execution 5: out of gas gives back all that was given. */
  readonly gasLeft: number;
  /** Return or revert data, or the code that a successful init frame returned. Never a view. */
  readonly output: Uint8Array;
  /** Address of the new account after a successful creation; set by the host only. */
  readonly created: Address | undefined;
}

/** What the host decided about a message. */
export interface Entry {
  /** The outcome when no code has to run; undefined asks for a frame. */
  readonly result: FrameResult | undefined;
  /** The message to run: for a creation with the new account as recipient and code address. */
  readonly message: Message;
  /**
   * Key of the code in the cache of analysed code: its hash in any one spelling. Undefined: the
   * code is the message's input (init code), which is analysed and forgotten.
   */
  readonly codeHash: string | undefined;
}

/** What a store did to a slot: current value against new one. Source: execution 7.1 */
export const SLOT_CHANGE = {
  unchanged: 0,
  /** Zero to non-zero. */
  added: 1,
  /** Non-zero to another non-zero. */
  modified: 2,
  /** Non-zero to zero; the host adds the refund of 15000 to its frame's counter. */
  deleted: 3,
  /** The origin may not write this contract's table; nothing was stored. */
  denied: 4,
} as const;

/** A value of {@link SLOT_CHANGE}. */
export type SlotChange = (typeof SLOT_CHANGE)[keyof typeof SLOT_CHANGE];

/**
 * What a frame needs from the world. Words travel as eight 32-bit limbs, least significant first,
 * inside an array of the interpreter: `words[at]` is the lowest limb. The host must not keep the
 * array.
 */
export interface EvmHost {
  /** Replaces the key at `at` by the value of that slot. */
  loadSlot(contract: Address, words: Uint32Array, at: number): void;
  /** Stores the value under the key at these places; an unchanged value must leave no trace. */
  storeSlot(contract: Address, words: Uint32Array, keyAt: number, valueAt: number): SlotChange;
  /** Whether the account exists; asked only below version 2.5.0, for a CALL that carries value. */
  accountExists(address: Address): boolean;
  /** Balance row of the account, 0 in practice. */
  balance(address: Address): bigint;
  /** EXTCODESIZE: 1 for precompiled contracts. */
  codeSize(address: Address): number;
  /** EXTCODECOPY: code in state; empty when there is none. */
  code(address: Address): Uint8Array;
  /** EXTCODEHASH: 32 bytes, or undefined for 0. */
  codeHash(address: Address): Uint8Array | undefined;
  /** BLOCKHASH: 32 bytes, undefined out of the window of 256 blocks; asked below 2^53 only. */
  blockHash(number: number): Uint8Array | undefined;
  /** Takes a log entry; topics of 32 bytes. Both are copies. */
  log(contract: Address, topics: readonly Uint8Array[], data: Uint8Array): void;
  /** Marks the account; the host counts the refund of 24000 once per account. */
  selfDestruct(contract: Address, beneficiary: Address): void;
  /**
   * Begins a call or creation, nested or the transaction's own (depth 0), whose depth and balance
   * the interpreter has checked: checks in the order of execution 3 and 4, savepoint, nonce,
   * endowment. It ends the message at once (refusals, precompiled contracts, empty init code) or
   * asks for a frame; entries and leaves nest like brackets.
   */
  enter(message: Message): Entry;
  /**
   * Ends a message whose entry asked for a frame: code deposit, or roll-back of state, refunds,
   * logs and self-destructs. What it returns is what the caller sees.
   */
  leave(message: Message, result: FrameResult): FrameResult;
  /** Asked every two million units of work: true abandons the execution by {@link Cancelled}. */
  cancelled?(): boolean;
  /** Asked as often: true ends the transaction by {@link WorkExceeded}. */
  keepsTooMuch?(): boolean;
}

/** Work of one transaction, shared by its frames; never decreased. Source: decision 21 */
export interface Work {
  spent: number;
  /** Work that gas does not pay for, which has a bound of its own. */
  beside: number;
  /** Value of `next to` from which cancellation is asked for again. */
  nextQuestion: number;
  /** Beyond this the transaction unwinds by {@link WorkExceeded}. */
  readonly limit: number;
  /** Value of `spent` from which limit and cancellation are examined again. */
  nextProbe: number;
}

/** What stays the same in all frames of a transaction. */
export interface TransactionContext {
  readonly host: EvmHost;
  readonly work: Work;
  readonly origin: Address;
  readonly gasPrice: bigint;
  /** Number of the executing block. */
  readonly number: number;
  /** Milliseconds. */
  readonly timestamp: bigint;
}

/** Thrown through all frames: the transaction is OutOfGas (12), pays base gas and is undone. */
export class WorkExceeded extends Error {
  override readonly name = "WorkExceeded";
}

/** Thrown through all frames: nobody wants the result, the execution is discarded. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** Work between two questions whether the execution is cancelled: some 5 ms. */
const PROBE_INTERVAL = 2_000_000;

/**
 * Units of work besides gas that one transaction may do: five seconds, at 5 ns a unit in the
 * slowest engine. The same on every node and for every `tx_gas_limit`: it decides receipts.
 */
export const BESIDE_GAS_LIMIT = 1_000_000_000;

/** A fresh counter for one transaction. */
export function createWork(limit: number): Work {
  const nextProbe = Math.min(PROBE_INTERVAL, limit + 1);
  return { spent: 0, beside: 0, nextQuestion: PROBE_INTERVAL, limit, nextProbe };
}

/**
 * Counts work that gas does not pay for, before it is done.
 *
 * @throws WorkExceeded beyond {@link BESIDE_GAS_LIMIT}; Cancelled when the host says so.
 * Source: decision 21
 */
export function chargeBesideGas({ work, host }: TransactionContext, amount: number): void {
  work.beside += amount;
  if (work.beside < work.nextQuestion) return;
  if (work.beside > BESIDE_GAS_LIMIT || host.keepsTooMuch?.()) throw new WorkExceeded();
  if (host.cancelled?.()) throw new Cancelled();
  work.nextQuestion = Math.min(work.beside + PROBE_INTERVAL, BESIDE_GAS_LIMIT + 1);
}

/** Counts work of a charge. @throws WorkExceeded, Cancelled. Source: decision 21 */
export function chargeWork(context: TransactionContext, amount: number): void {
  const { work } = context;
  work.spent += amount;
  if (work.spent >= work.nextProbe) probeWork(context);
}

/**
 * The rare part of {@link chargeWork}: `nextProbe` lies at most 1 beyond the limit, so that one
 * comparison serves both questions. @throws WorkExceeded, Cancelled
 */
export function probeWork(context: TransactionContext): void {
  const { work, host } = context;
  if (work.spent > work.limit) throw new WorkExceeded();
  if (work.spent < work.nextProbe) return;
  if (host.keepsTooMuch?.()) throw new WorkExceeded();
  if (host.cancelled?.()) throw new Cancelled();
  work.nextProbe = Math.min(work.spent + PROBE_INTERVAL, work.limit + 1);
}

/** The interpreter as the executive sees it; one per group, for transactions and calls alike. */
export interface Evm {
  /**
   * Runs a message of depth 0 and everything below it: `enter`, frames, `leave`. Synchronous; the
   * JavaScript stack does not grow with the depth of calls. Not reentrant: a host must not call it
   * from within.
   *
   * @throws WorkExceeded, Cancelled: the host's savepoints are then void and the caller unwinds to
   * its own start
   */
  execute(context: TransactionContext, message: Message): FrameResult;
}
