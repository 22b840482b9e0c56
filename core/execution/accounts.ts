/**
 * Accounts and contracts as tables of the overlay: creation, nonces, code, slots, managers.
 * Source: storage 3
 */
import { parseDecimal, type ByteString } from "../bytes/byte-string.ts";
import { EMPTY_BYTES, isAllZero } from "../bytes/bytes.ts";
import type { Address } from "../bytes/ids.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import type { Table } from "../storage/live-table.ts";
import type { Overlay } from "../storage/overlay.ts";
import { bytesToRow, rowToBytes } from "../storage/account-rows.ts";
import { accountTable } from "../storage/system-tables.ts";
import type { LiveRow, RowView, Change } from "../storage/table.ts";
import { LIMBS } from "./evm/words.ts";
import { decimalOfWord, equalsWord, wordKey, wordOfDecimal, ZERO_WORD } from "./slot-words.ts";

/** Row keys of an account table. Source: storage 3 */
export const ACCOUNT_KEY = {
  balance: "balance",
  codeHash: "codeHash",
  code: "code",
  nonce: "nonce",
  alive: "alive",
  authority: "authority",
  frozen: "frozen",
  remainGas: "remain_gas",
} as const;

const ZERO_TEXT = "0";

/**
 * Slots kept that were only read; beyond it they are read from their rows again. One transaction
 * may read more than a million, and a block has many.
 */
export const READ_SLOTS_LIMIT = 65_536;

/** One slot during a block: the row's text is made when rows are read, not at each store. */
class Slot {
  value: Uint32Array;
  row: RowView | undefined;
  /** The live row, once this block has changed the slot. */
  live: LiveRow | undefined;
  readonly key: ByteString;

  constructor(key: ByteString, row: RowView | undefined) {
    this.key = key;
    this.row = row;
    this.value = row === undefined ? ZERO_WORD : wordOfDecimal(valueOfRow(row));
  }
}

/** Undoes one store. */
class SlotChange implements Change {
  readonly #slot: Slot;
  readonly #value: Uint32Array;
  readonly #inserted: boolean;

  constructor(slot: Slot, value: Uint32Array, inserted: boolean) {
    this.#slot = slot;
    this.#value = value;
    this.#inserted = inserted;
  }

  undo(): void {
    this.#slot.value = this.#value;
    if (!this.#inserted) return;
    // The inserted row is withdrawn by its own entry; the next store inserts another.
    this.#slot.row = undefined;
    this.#slot.live = undefined;
  }
}

/** What is read from rows at every call, kept while the table stands still. */
interface CodeFacts {
  readonly epoch: number;
  readonly hash: ByteString;
  readonly hasCode: boolean;
  readonly frozen: boolean;
  /** Read when first asked for. */
  code: Uint8Array | undefined;
}

/** One account with a table. */
export class Account {
  readonly table: Table;
  readonly #accounts: Accounts;
  /** Slots that this block has changed. */
  readonly #changed = new Map<number | string, Slot>();
  /** Slots that it has only read. */
  readonly #read = new Map<number | string, Slot>();
  #facts: CodeFacts | undefined;

  constructor(table: Table, accounts: Accounts) {
    this.table = table;
    this.#accounts = accounts;
  }

  /** The first value under a row key; undefined when there is no row. */
  value(key: ByteString): ByteString | undefined {
    const row = this.table.select(key)[0];
    return row === undefined ? undefined : valueOfRow(row);
  }

  /** All values under a row key. */
  values(key: ByteString): ByteString[] {
    return this.table.select(key).map(valueOfRow);
  }

  /** Updates the rows of the key; without a row nothing happens. Source: execution 3 */
  update(key: ByteString, value: ByteString): void {
    this.table.update(key, [["value", value]]);
  }

  /** Updates the row of the key or inserts one. */
  put(key: ByteString, value: ByteString): void {
    if (this.table.update(key, [["value", value]]) === 0) this.insert(key, value);
  }

  /** Inserts another row of the key. */
  insert(key: ByteString, value: ByteString): void {
    this.table.insert(key, [["value", value]]);
  }

  /** Counts creations; 0 without a row. */
  nonce(): bigint {
    return parseDecimal(this.value(ACCOUNT_KEY.nonce) ?? ZERO_TEXT) ?? 0n;
  }

  balance(): bigint {
    return parseDecimal(this.value(ACCOUNT_KEY.balance) ?? ZERO_TEXT) ?? 0n;
  }

  /** True when the code hash row is there and not the hash of nothing. */
  hasCode(): boolean {
    return this.#codeFacts().hasCode;
  }

  /** The row `frozen` says `true`. Source: execution 8 */
  isFrozen(): boolean {
    return this.#codeFacts().frozen;
  }

  /** The code hash row as it is stored; empty without a row. */
  codeHashText(): ByteString {
    return this.#codeFacts().hash;
  }

  /** The code in state; empty when there is none. */
  code(): Uint8Array {
    const facts = this.#codeFacts();
    if (!facts.hasCode) return EMPTY_BYTES;
    facts.code ??= this.#accounts.codeOfRow(this.value(ACCOUNT_KEY.code) ?? "");
    return facts.code;
  }

  /** Replaces the key at `at` by the value of that slot. */
  loadSlot(words: Uint32Array, at: number): void {
    words.set(this.#slot(words, at).value, at);
  }

  /**
   * Stores a word; the table is not touched when the value is unchanged.
   *
   * @returns the value before; undefined when it is the same
   */
  storeSlot(words: Uint32Array, keyAt: number, valueAt: number): Uint32Array | undefined {
    const slot = this.#slot(words, keyAt);
    const before = slot.value;
    if (equalsWord(before, words, valueAt)) return undefined;
    // What a change can be undone on has to stay.
    if (slot.live === undefined) this.#changed.set(wordKey(words, keyAt), slot);
    let inserted = false;
    if (slot.row === undefined) {
      slot.live = this.table.insert(slot.key, [["value", ""]]);
      slot.row = slot.live;
      inserted = true;
      this.#accounts.unsettled.add(slot);
    } else if (slot.live === undefined) {
      slot.live = this.table.writable(slot.key, slot.row);
      this.#accounts.unsettled.add(slot);
    }
    slot.value = words.slice(valueAt, valueAt + LIMBS);
    this.#accounts.overlay.record(new SlotChange(slot, before, inserted));
    return before;
  }

  #slot(words: Uint32Array, at: number): Slot {
    const key = wordKey(words, at);
    const known = this.#changed.get(key) ?? this.#read.get(key);
    if (known !== undefined) return known;
    const text = decimalOfWord(words, at);
    const slot = new Slot(text, this.table.select(text)[0]);
    this.#accounts.noteRead(this.#read);
    this.#read.set(key, slot);
    return slot;
  }

  #codeFacts(): CodeFacts {
    const epoch = this.table.epoch;
    if (this.#facts?.epoch === epoch) return this.#facts;
    const hash = this.value(ACCOUNT_KEY.codeHash) ?? "";
    const hasCode = hash !== "" && hash !== this.#accounts.emptyCodeHash;
    const frozen = this.value(ACCOUNT_KEY.frozen) === "true";
    this.#facts = { epoch, hash, hasCode, frozen, code: undefined };
    return this.#facts;
  }
}

/** The accounts of a block or a call. One per overlay. */
export class Accounts {
  readonly overlay: Overlay;
  /** The code hash row of an account without code. */
  readonly emptyCodeHash: ByteString;
  /** Slots whose row does not hold its text yet. */
  readonly unsettled = new Set<{
    readonly live: LiveRow | undefined;
    readonly value: Uint32Array;
  }>();
  readonly #suite: CryptoSuite;
  readonly #opened = new Map<Address, Account>();
  #last: { readonly address: Address; readonly account: Account } | undefined;
  /** The slots that were only read, of every account. */
  readonly #reads = new Set<{ clear(): void }>();
  #readCount = 0;

  constructor(overlay: Overlay, suite: CryptoSuite) {
    this.overlay = overlay;
    this.#suite = suite;
    this.emptyCodeHash = this.codeHashRow(EMPTY_BYTES);
    overlay.beforeReading(() => {
      for (const slot of this.unsettled) slot.live?.columns.set("value", decimalOfWord(slot.value));
    });
  }

  /** The account when its table exists; looking opens the table. Source: storage 3 */
  get(address: Address): Account | undefined {
    if (this.#last?.address === address) return this.#last.account;
    let account = this.#opened.get(address);
    if (account === undefined) {
      const table = this.overlay.open(accountTable(address, this.overlay.options.version));
      if (table === undefined) return undefined;
      account = new Account(table, this);
      this.#opened.set(address, account);
    }
    this.#last = { address, account };
    return account;
  }

  /** Registers an account that {@link get} does not find, with its five rows. Source: storage 3 */
  create(address: Address, nonce: ByteString): Account {
    const name = accountTable(address, this.overlay.options.version);
    const table = this.overlay.register({ name, keyField: "key", fields: ["value"], hashed: true });
    const account = new Account(table, this);
    this.#opened.set(address, account);
    account.insert(ACCOUNT_KEY.balance, ZERO_TEXT);
    account.insert(ACCOUNT_KEY.codeHash, this.emptyCodeHash);
    account.insert(ACCOUNT_KEY.code, "");
    account.insert(ACCOUNT_KEY.nonce, nonce);
    account.insert(ACCOUNT_KEY.alive, "true");
    return account;
  }

  /**
   * Adds one to the nonce; the account appears with nonce 1 when it was missing. Source: storage 3
   */
  incrementNonce(address: Address): void {
    const account = this.get(address);
    if (account === undefined) this.create(address, "1");
    else account.update(ACCOUNT_KEY.nonce, (account.nonce() + 1n).toString());
  }

  /** Sets code and code hash. */
  setCode(address: Address, code: Uint8Array): void {
    const account = this.get(address);
    if (account === undefined) return;
    account.update(ACCOUNT_KEY.code, bytesToRow(code, this.overlay.options.version));
    account.update(ACCOUNT_KEY.codeHash, this.codeHashRow(code));
  }

  /** Clears an account at the end of the transaction that destroyed it. Source: execution 5 */
  destroy(address: Address): void {
    const account = this.get(address);
    if (account === undefined) return;
    account.update(ACCOUNT_KEY.nonce, ZERO_TEXT);
    account.update(ACCOUNT_KEY.balance, ZERO_TEXT);
    account.update(ACCOUNT_KEY.code, "");
    account.update(ACCOUNT_KEY.codeHash, this.emptyCodeHash);
    account.update(ACCOUNT_KEY.alive, "false");
  }

  /** One more slot is read into that map; all that were only read are forgotten at the limit. */
  noteRead(slots: { clear(): void }): void {
    if (this.#readCount >= READ_SLOTS_LIMIT) {
      for (const others of this.#reads) others.clear();
      this.#reads.clear();
      this.#readCount = 0;
    }
    this.#reads.add(slots);
    this.#readCount++;
  }

  /** The code of a code row. */
  codeOfRow(text: ByteString): Uint8Array {
    return rowToBytes(text, this.overlay.options.version);
  }

  /** The code hash row of a code. */
  codeHashRow(code: Uint8Array): ByteString {
    return bytesToRow(this.#suite.hash(code), this.overlay.options.version);
  }

  /** The 32 bytes of a code hash row; undefined for text that is none. */
  codeHashOfRow(text: ByteString): Uint8Array | undefined {
    const bytes = rowToBytes(text, this.overlay.options.version);
    return bytes.length !== 32 || isAllZero(bytes) ? undefined : bytes;
  }
}

function valueOfRow(row: RowView): ByteString {
  return row.columns.get("value") ?? "";
}
