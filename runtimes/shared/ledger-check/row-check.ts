/**
 * The rows of a ledger, its counters, and records that belong to no block.
 * Source: storage 2, 6; architecture/storage "Keys of the store"
 */
import { bytesOf, type ByteString } from "../../../core/bytes/byte-string.ts";
import { bigintOfBytes } from "../../../core/bytes/bytes.ts";
import { hashOf } from "../../../core/bytes/hex.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { headerKey, numberKey } from "../../../core/ledger/keys.ts";
import { decodeHeaderRecord, decodePlace } from "../../../core/ledger/records.ts";
import { sealersOf, stateCounter, STATE_KEY } from "../../../core/ledger/state-rows.ts";
import type { Store } from "../../../core/ports/store.ts";
import { storedRows } from "../../../core/storage/row-cache.ts";
import { openRows } from "../../../core/storage/row-codec.ts";
import { CONSENSUS_TABLE, systemTable, TABLES_TABLE } from "../../../core/storage/system-tables.ts";
import type { RowSource, StoredRow } from "../../../core/storage/table.ts";
import { entriesOf, LARGE_PAGE, SMALL_PAGE } from "../store-pages.ts";
import { ABSENT, type DefectKind, type Report } from "./defect.ts";

/** Sums over all blocks; undefined where a block could not be read. */
export interface BlockSums {
  readonly transactions: number | undefined;
  readonly failed: number | undefined;
  /** Blocks that have transactions. */
  readonly filled: number | undefined;
}

/** The rows and counters of a store, whose blocks were examined before. */
interface RowCheckOptions {
  readonly store: Store;
  readonly report: Report;
  readonly head: number;
  readonly sums: BlockSums;
  /** Called with the number of keys examined. */
  readonly progress: (keys: number) => void;
}

/** Kinds of keys that are examined by number, or of which there are a few. */
const FEW = new Set(["c", "m", "n", "o", "p"]);
/** Behind every key. */
const END = "\xff".repeat(64);
/** What is between the kinds of which all keys are walked for what they hold. */
const BETWEEN = [
  ["", "b"],
  ["c", "e"],
  ["f", "h"],
  ["i", "r"],
  ["s", "t"],
  ["u", END],
] as const;

/** Most bits that are kept to find an id twice. */
const MOST_IDS = 2 ** 30;

/** The table and the row key of a store key. */
export function rowPlace(key: ByteString): {
  readonly table: ByteString;
  readonly row: ByteString;
} {
  const end = key.indexOf("\0");
  return { table: key.slice(1, end), row: key.slice(end + 1) };
}

/** Text of a byte string for people: what is not printable as `\xNN`. */
export function shownText(text: ByteString): string {
  const escaped = (char: string) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return text.replaceAll(/[^\x20-\x7e]/g, escaped);
}

/** Names the rows of a key. */
export function rowName({ table, row }: ReturnType<typeof rowPlace>): string {
  return `${shownText(table)} ${shownText(row)}`;
}

/** Ids that were seen; each is given once. */
class SeenIds {
  readonly #bits: Uint8Array;

  constructor(highest: number) {
    this.#bits = new Uint8Array(Math.ceil((Math.min(highest, MOST_IDS) + 1) / 8));
  }

  /** Whether the id was there before. */
  add(id: number): boolean {
    const byte = this.#bits[id >>> 3];
    if (byte === undefined) return false;
    const bit = 1 << (id & 7);
    this.#bits[id >>> 3] = byte | bit;
    return (byte & bit) !== 0;
  }
}

/** A look at everything that is no block; a class because its parts share the options. */
class RowCheck {
  readonly #options: RowCheckOptions;
  readonly #rows: RowSource;
  #keys = 0;

  constructor(options: RowCheckOptions) {
    this.#options = options;
    this.#rows = { rows: (table, key) => storedRows(options.store, table, key) };
  }

  /** Counters and rows alone. */
  async state(): Promise<void> {
    const highest = this.#checkCounters();
    await this.#checkRows(highest);
    await this.#checkSealers();
  }

  async run(): Promise<number> {
    await this.state();
    await this.#checkHeights();
    await this.#checkOfBlocks("header", ["h", "i"], SMALL_PAGE);
    await this.#checkOfBlocks("receipts", ["e", "f"], LARGE_PAGE);
    await this.#checkPlaces();
    await this.#checkBodies();
    await this.#checkOthers();
    return this.#keys;
  }

  #report(kind: DefectKind, what: string, [stored, expected]: readonly [string, string]): void {
    this.#options.report({ block: undefined, kind, what, stored, expected });
  }

  #note(): void {
    this.#keys += 1;
    this.#options.progress(this.#keys);
  }

  #counter(key: string): bigint | undefined {
    return this.#readable(() => stateCounter(this.#rows, key));
  }

  /** Gives the highest id. */
  #checkCounters(): number {
    const { head, sums } = this.#options;
    const wanted: readonly (readonly [string, number | undefined])[] = [
      [STATE_KEY.number, head],
      [STATE_KEY.transactions, sums.transactions],
      [STATE_KEY.failed, sums.failed],
    ];
    for (const [key, expected] of wanted) {
      const value = this.#counter(key);
      // Block 0 leaves out the counters that are 0.
      if (expected === undefined || (value === undefined && expected + head === 0)) continue;
      if (value === BigInt(expected)) continue;
      const stored = value === undefined ? ABSENT : `${value}`;
      const what = `counter ${key}`;
      const defect = { block: head, what, stored, expected: `${expected}` };
      this.#options.report({ ...defect, kind: "counter" });
    }
    const highest = this.#counter(STATE_KEY.id);
    if (highest === undefined)
      this.#report("counter", `counter ${STATE_KEY.id}`, [ABSENT, "the last id given out"]);
    return Number(highest ?? 0n);
  }

  async #checkRows(highest: number): Promise<void> {
    const seen = new SeenIds(highest);
    let table: ByteString | undefined;
    let keyField: ByteString | undefined;
    for await (const { key, value } of entriesOf(this.#options.store, ["r", "s"])) {
      this.#note();
      const place = rowPlace(key);
      if (place.table !== table) {
        table = place.table;
        keyField = this.#keyFieldOf(table);
        if (keyField === undefined)
          this.#report("orphan", `table ${shownText(table)}`, ["rows", "a row in _sys_tables_"]);
      }
      for (const row of this.#rowsOf(place, value))
        this.#checkRow(row, { ...place, keyField }, { highest, seen });
    }
  }

  *#rowsOf(place: ReturnType<typeof rowPlace>, value: Uint8Array): Generator<StoredRow, void> {
    try {
      yield* openRows(place.row, value);
    } catch (cause) {
      if (!(cause instanceof StoreFault)) throw cause;
      this.#report("row", `rows of ${rowName(place)}`, ["do not decode", "whole rows"]);
    }
  }

  #checkRow(
    { id, number, columns }: StoredRow,
    place: ReturnType<typeof rowPlace> & { readonly keyField: ByteString | undefined },
    ids: { readonly highest: number; readonly seen: SeenIds },
  ): void {
    const { head, report } = this.#options;
    const block = number <= head ? number : undefined;
    const what = `row ${id} of ${rowName(place)}`;
    const say = (stored: string, expected: string) =>
      report({ block, kind: "row", what, stored, expected });
    if (number > head) say(`changed in block ${number}`, `a block up to ${head}`);
    const key = place.keyField === undefined ? place.row : columns.get(place.keyField);
    if (key !== place.row) say(`key ${shownText(key ?? ABSENT)}`, shownText(place.row));
    if (id < 1 || id > ids.highest) say(`id ${id}`, `1 to ${ids.highest}`);
    else if (ids.seen.add(id)) say(`id ${id} for the second time`, "an id of its own");
  }

  /** The column that holds the row key; undefined when there is no such table. */
  #keyFieldOf(name: ByteString): ByteString | undefined {
    const system = systemTable(name);
    if (system) return system.keyField;
    return this.#readable(() => this.#rows.rows(TABLES_TABLE, name)[0]?.columns.get("key_field"));
  }

  /** Where the head has not changed them, the sealers are those that the head names. */
  async #checkSealers(): Promise<void> {
    const { store, head, report } = this.#options;
    const rows = this.#readable(() => this.#rows.rows(CONSENSUS_TABLE, "node"));
    const hash = store.get(numberKey(head));
    const bytes = hash && (await store.load(headerKey(hashOf(hash))));
    const record = bytes && this.#readable(() => decodeHeaderRecord(bytes));
    if (head === 0 || !rows || !record || rows.some(({ number }) => number >= head)) return;
    const stored = sealersOf(this.#rows, head - 1)
      .sort()
      .join();
    const expected = record.header.sealerList.join();
    if (stored === expected) return;
    const block = Math.max(0, ...rows.map(({ number }) => number));
    report({ block, kind: "row", what: "sealers of _sys_consensus_", stored, expected });
  }

  #readable<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (cause) {
      if (cause instanceof StoreFault) return undefined;
      throw cause;
    }
  }

  /** No number and no nonces above the head. */
  async #checkHeights(): Promise<void> {
    const { store, head } = this.#options;
    for (const kind of ["n", "o"]) {
      const above = `${kind}${numberKey(head + 1).slice(1)}`;
      const end = String.fromCharCode(kind.charCodeAt(0) + 1);
      for (const { key } of await store.range(above, end, SMALL_PAGE)) {
        const height = Number(bigintOfBytes(bytesOf(key.slice(1))));
        const what = kind === "n" ? `hash of block ${height}` : `nonces of block ${height}`;
        this.#report("orphan", what, ["above the head", `block ${head} is the last`]);
      }
    }
  }

  async #isOfBlock(hash: Hash): Promise<boolean> {
    const bytes = await this.#options.store.load(headerKey(hash));
    const record = bytes && this.#readable(() => decodeHeaderRecord(bytes));
    const stored = record && this.#options.store.get(numberKey(record.header.number));
    return stored !== undefined && hashOf(stored) === hash;
  }

  /** Headers and receipts lie under the hash of a block that has a number. */
  async #checkOfBlocks(
    what: "header" | "receipts",
    range: readonly [string, string],
    page: number,
  ): Promise<void> {
    for await (const { key } of entriesOf(this.#options.store, range, page)) {
      this.#note();
      const hash = hashOf(bytesOf(key.slice(1)));
      if (!(await this.#isOfBlock(hash)))
        this.#report("orphan", `${what} ${hash}`, ["of no block", `the ${what} of a block`]);
    }
  }

  /** Every transaction has its place, as was seen: more places than transactions are too many. */
  async #checkPlaces(): Promise<void> {
    const { store, head, sums } = this.#options;
    let places = 0;
    for await (const { key, value } of entriesOf(store, ["t", "u"])) {
      this.#note();
      places += 1;
      const place = this.#readable(() => decodePlace(value));
      if (place && place.number <= head) continue;
      const shown = place ? `block ${place.number}` : "does not decode";
      const what = `place of transaction ${hashOf(bytesOf(key.slice(1)))}`;
      this.#report("orphan", what, [shown, `a block up to ${head}`]);
    }
    if (sums.transactions !== undefined && places > sums.transactions)
      this.#report("orphan", "places of transactions", [`${places}`, `${sums.transactions}`]);
  }

  /** A body belongs to a block or to a proposal that the consensus keeps. */
  async #checkBodies(): Promise<void> {
    const { store, sums } = this.#options;
    let bodies = 0;
    for await (const _ of entriesOf(store, ["b", "c"], LARGE_PAGE)) {
      this.#note();
      bodies += 1;
    }
    if (bodies <= (sums.filled ?? 0)) return;
    const owned = new Set<string>();
    for await (const { value } of entriesOf(store, ["h", "i"])) {
      const record = this.#readable(() => decodeHeaderRecord(value));
      if (record) owned.add(record.unexecuted);
    }
    for await (const { key } of entriesOf(store, ["p", "q"]))
      owned.add(hashOf(bytesOf(key.slice(1))));
    for await (const { key } of entriesOf(store, ["b", "c"], LARGE_PAGE)) {
      const proposal = hashOf(bytesOf(key.slice(1)));
      if (!owned.has(proposal))
        this.#report("orphan", `body ${proposal}`, ["of no block", "the body of a block"]);
    }
  }

  /** The store must give every key; one of no kind belongs to nobody. */
  async #checkOthers(): Promise<void> {
    for (const range of BETWEEN) {
      for await (const { key } of entriesOf(this.#options.store, range)) {
        this.#note();
        if (FEW.has(key.slice(0, 1))) continue;
        this.#report("orphan", `key ${shownText(key)}`, ["of no kind", "a kind of key"]);
      }
    }
  }
}

/** Checks all that is no block. Gives the number of keys examined. */
export function checkRows(options: RowCheckOptions): Promise<number> {
  return new RowCheck(options).run();
}

/** Checks the counters and rows, where the records of blocks were written just now. */
export function checkStateRows(options: RowCheckOptions): Promise<void> {
  return new RowCheck(options).state();
}
