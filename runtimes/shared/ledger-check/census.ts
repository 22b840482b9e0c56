/**
 * Whether every block and transaction has its records, counted while a store is gone through: the
 * record that is gone has no checksum that could differ.
 * Source: decision 30; architecture/storage "Keys of the store"
 */
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import { bigintOfBytes } from "../../../core/bytes/bytes.ts";
import { hashOf } from "../../../core/bytes/hex.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { bodyKey, receiptsKey } from "../../../core/ledger/keys.ts";
import { decodeHeaderRecord, decodePlace } from "../../../core/ledger/records.ts";
import { currentNumber } from "../../../core/ledger/state-rows.ts";
import type { Store, StoreKey } from "../../../core/ports/store.ts";
import { storedRows } from "../../../core/storage/row-cache.ts";

interface CensusStore extends Pick<Store, "get"> {
  has(key: StoreKey): Promise<boolean>;
}

const HASH_KEY = 33;
const NUMBER_KEY = 9;

/** A count under way; a class because entries come one by one, in the order of their keys. */
export class LedgerCensus {
  readonly #store: CensusStore;
  readonly #place: string;
  /** Blocks above are written meanwhile, and are for the next count; -1 when there are none. */
  readonly #head: number;
  readonly #next = { n: 0, o: 0 };
  #headers = 0;
  #transactions = 0;
  #places = 0;

  /** @param place names the store in faults */
  constructor(store: CensusStore, place: string) {
    this.#store = store;
    this.#place = place;
    const rows = { rows: (table: string, key: string) => storedRows(store, table, key) };
    this.#head = currentNumber(rows) ?? -1;
  }

  /** Takes an entry that is no row. @throws StoreFault corrupt when one before it is gone */
  async take(key: StoreKey, value: Uint8Array): Promise<void> {
    if (this.#head < 0) return;
    const kind = key.charAt(0);
    if (kind === "h" && key.length === HASH_KEY) await this.#takeHeader(key, value);
    else if (kind === "t" && key.length === HASH_KEY) {
      if (decodePlace(value).number <= this.#head) this.#places += 1;
    } else if ((kind === "n" || kind === "o") && key.length === NUMBER_KEY) {
      const number = Number(bigintOfBytes(bytesOf(key.slice(1))));
      if (number <= this.#head) this.#expect(kind, number);
    }
  }

  /** @throws StoreFault corrupt when some are gone */
  end(): void {
    const blocks = this.#head + 1;
    this.#expect("n", blocks);
    this.#expect("o", blocks);
    if (this.#headers !== blocks)
      throw this.#damaged(`it has ${this.#headers} headers of ${blocks} blocks`);
    if (this.#places !== this.#transactions)
      throw this.#damaged(`it has ${this.#places} places of ${this.#transactions} transactions`);
  }

  async #takeHeader(key: StoreKey, value: Uint8Array): Promise<void> {
    const { header, unexecuted, transactionCount } = decodeHeaderRecord(value);
    if (header.number > this.#head) return;
    this.#headers += 1;
    this.#transactions += transactionCount;
    if (transactionCount === 0) return;
    const block = `block ${header.number}`;
    if (!(await this.#store.has(bodyKey(unexecuted)))) throw this.#gone(`the body of ${block}`);
    const receipts = receiptsKey(hashOf(bytesOf(key.slice(1))));
    if (!(await this.#store.has(receipts))) throw this.#gone(`the receipts of ${block}`);
  }

  /** The next of a kind is that number. */
  #expect(kind: "n" | "o", number: number): void {
    const next = this.#next[kind];
    const what = kind === "n" ? "the hash" : "the nonces";
    if (next < number) throw this.#gone(`${what} of block ${next}`);
    this.#next[kind] = number + 1;
  }

  #gone(what: string): StoreFault {
    return this.#damaged(`it lacks ${what}`);
  }

  #damaged(what: string): StoreFault {
    return new StoreFault("corrupt", `${this.#place} holds a damaged database: ${what}`);
  }
}
