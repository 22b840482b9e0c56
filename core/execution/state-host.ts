/**
 * The world as the interpreter sees it during one transaction, over the accounts of a block.
 * Source: execution 4, 5, 7
 */
import type { Allowance } from "../storage/table.ts";
import { EMPTY_BYTES } from "../bytes/bytes.ts";
import { hashOf } from "../bytes/hex.ts";
import type { Address } from "../bytes/ids.ts";
import { invariant } from "../fault/invariant.ts";
import type { LogEntry } from "../model/receipt.ts";
import { ACCOUNT_KEY, type Account } from "./accounts.ts";
import type { BlockScope } from "./block-scope.ts";
import { SELF_DESTRUCT_REFUND, STORE_REFUND } from "./evm/gas.ts";
import { isZero } from "./evm/words.ts";
import {
  chargeBesideGas,
  SLOT_CHANGE,
  type Entry,
  type EvmHost,
  type FrameResult,
  type Message,
  type SlotChange,
  type TransactionContext,
  type Work,
  WorkExceeded,
} from "./evm/message.ts";

/** Blocks below the executing one whose hash BLOCKHASH knows. Source: execution 7.1 */
const BLOCK_HASH_WINDOW = 256;
/** Bytes of a log entry next to its data, which is kept as it is and encoded. */
const LOG_BYTES = 500;
const DATA_COPIES = 2;
/**
 * Bytes that one transaction may keep until its block is written, by the estimate of
 * {@link Overlay.held}: the same on every node, for it decides receipts. What fails is undone, but
 * stays in memory and counts.
 */
export const TRANSACTION_HELD_LIMIT = 80_000_000;

/** What a failing frame gives back: state, logs, refunds, self-destructs. */
export interface FrameMark {
  readonly savepoint: number;
  readonly logs: number;
  readonly refund: number;
  readonly destroyed: number;
}

/** The host of one transaction; how messages begin and end is said by executive.ts. */
export abstract class StateHost implements EvmHost {
  readonly scope: BlockScope;
  readonly origin: Address;
  readonly context: TransactionContext;
  readonly logs: LogEntry[] = [];
  /** An EVM frame was opened: refunds may apply. Source: execution 5 */
  hasRunCode = false;
  /** The frame that ends was ended by a store that is not permitted. */
  storeDenied = false;
  readonly #mostHeld: number;
  /** Where each open frame began, outermost first. */
  readonly #marks: FrameMark[] = [];
  /** In the order of their marks; as a set too, for a transaction may mark thousands. */
  readonly #destroyed: Address[] = [];
  readonly #isDestroyed = new Set<Address>();
  #refund = 0;

  constructor(scope: BlockScope, origin: Address, gasPrice: bigint, work: Work) {
    this.scope = scope;
    this.origin = origin;
    this.#mostHeld = scope.overlay.held + (scope.heldLimit ?? TRANSACTION_HELD_LIMIT);
    const { number, timestamp } = scope;
    this.context = { host: this, work, origin, gasPrice, number, timestamp };
  }

  /** Where a frame begins. */
  mark(): FrameMark {
    return {
      savepoint: this.scope.overlay.savepoint(),
      logs: this.logs.length,
      refund: this.#refund,
      destroyed: this.#destroyed.length,
    };
  }

  /** Undoes everything since the mark. Source: execution 5 */
  unwind(mark: FrameMark): void {
    this.scope.overlay.rollback(mark.savepoint);
    this.forget(mark);
  }

  /** Undoes the whole transaction. */
  unwindAll(): void {
    this.unwind({ savepoint: 0, logs: 0, refund: 0, destroyed: 0 });
    this.#marks.length = 0;
  }

  /** Drops logs, refunds and self-destructs since the mark; the state stays. */
  forget(mark: FrameMark): void {
    this.logs.length = mark.logs;
    this.#refund = mark.refund;
    for (const address of this.#destroyed.splice(mark.destroyed)) this.#isDestroyed.delete(address);
  }

  /** Refund counter of the transaction, self-destructed accounts included. Source: execution 5 */
  refund(): number {
    return this.#refund + this.#destroyed.length * SELF_DESTRUCT_REFUND;
  }

  /** Accounts to clear at the end of the transaction. */
  destroyed(): readonly Address[] {
    return this.#destroyed;
  }

  loadSlot(contract: Address, words: Uint32Array, at: number): void {
    this.#executing(contract).loadSlot(words, at);
  }

  storeSlot(contract: Address, words: Uint32Array, keyAt: number, valueAt: number): SlotChange {
    const account = this.#executing(contract);
    if (!this.scope.overlay.permits(account.table, this.origin)) {
      this.storeDenied = true;
      return SLOT_CHANGE.denied;
    }
    const before = account.storeSlot(words, keyAt, valueAt);
    if (before === undefined) return SLOT_CHANGE.unchanged;
    if (isZero(before, 0)) return SLOT_CHANGE.added;
    if (!isZero(words, valueAt)) return SLOT_CHANGE.modified;
    this.#refund += STORE_REFUND;
    return SLOT_CHANGE.deleted;
  }

  accountExists(address: Address): boolean {
    const account = this.scope.accounts.get(address);
    return (
      account !== undefined && (account.balance() > 0n || account.hasCode() || account.nonce() > 0n)
    );
  }

  balance(address: Address): bigint {
    return this.scope.accounts.get(address)?.balance() ?? 0n;
  }

  codeSize(address: Address): number {
    if (this.scope.find(address) !== undefined) return 1;
    return this.scope.accounts.get(address)?.code().length ?? 0;
  }

  code(address: Address): Uint8Array {
    return this.scope.accounts.get(address)?.code() ?? EMPTY_BYTES;
  }

  codeHash(address: Address): Uint8Array | undefined {
    const account = this.scope.accounts.get(address);
    // From 2.5.0 to 2.7.x the raw hash was read as hexadecimal text. Source: execution 7.1
    const isUnreadable = this.scope.overlay.since(2, 5, 0) && !this.scope.overlay.since(2, 8, 0);
    if (account === undefined || isUnreadable) return undefined;
    if (!account.hasCode() && account.nonce() === 0n && account.balance() === 0n) return undefined;
    return this.scope.accounts.codeHashOfRow(account.codeHashText());
  }

  blockHash(number: number): Uint8Array | undefined {
    const { number: current } = this.scope;
    if (number >= current || number < Math.max(current - BLOCK_HASH_WINDOW, 0)) return undefined;
    return this.scope.blockHash(number);
  }

  log(contract: Address, topics: readonly Uint8Array[], data: Uint8Array): void {
    this.scope.overlay.held += LOG_BYTES + DATA_COPIES * data.length;
    this.logs.push({ address: contract, topics: topics.map(hashOf), data });
  }

  selfDestruct(contract: Address): void {
    if (this.#isDestroyed.has(contract)) return;
    this.#isDestroyed.add(contract);
    this.#destroyed.push(contract);
  }

  abstract enter(message: Message): Entry;

  abstract leave(message: Message, result: FrameResult): FrameResult;

  /** Remembers where a frame began. */
  openFrame(mark: FrameMark): void {
    this.hasRunCode = true;
    this.#marks.push(mark);
  }

  /** Where the innermost open frame began; it is closed now. */
  closeFrame(): FrameMark {
    const mark = this.#marks.pop();
    invariant(mark !== undefined, "leaves match entries");
    return mark;
  }

  cancelled(): boolean {
    return this.scope.cancelled?.() ?? false;
  }

  keepsTooMuch(): boolean {
    return this.scope.overlay.held > this.#mostHeld;
  }

  /** What reading rows is held to. */
  allowance(): Allowance {
    return {
      room: (bytes) => {
        if (this.scope.overlay.held + bytes > this.#mostHeld) throw new WorkExceeded();
      },
      work: (amount) => chargeBesideGas(this.context, amount),
    };
  }

  /**
   * Gas that an account may still use, a row of the gas-charging feature; 0 without one.
   * Source: execution 9
   */
  remainGas(address: Address): bigint {
    const text = this.scope.accounts.get(address)?.value(ACCOUNT_KEY.remainGas);
    return text === undefined ? 0n : BigInt(text);
  }

  #executing(contract: Address): Account {
    const account = this.scope.accounts.get(contract);
    invariant(account !== undefined, "an executing contract has a table");
    return account;
  }
}
