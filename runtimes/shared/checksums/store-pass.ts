/**
 * Goes through a whole store, a page at a time: every entry against its checksum, every table
 * against its sum. Source: decision 30
 */
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Store, StoreKey } from "../../../core/ports/store.ts";
import { type CheckedParts, damaged } from "./checked-reader.ts";
import { openValue, sealOf } from "./sealed-value.ts";
import { OWN_KEYS, SUM_PREFIX } from "./store-format.ts";
import { storedSum } from "./sum-changes.ts";
import { NO_ROWS, type TableSum, tableOf, withEntry } from "./table-sums.ts";

/** A view of the store as it lies, at one moment. */
export interface RawView extends Pick<Store, "get" | "range"> {
  close(): Promise<void>;
}

/** What is gone through. */
export interface StorePassOptions extends Omit<CheckedParts, "format"> {
  /** Of a store whose entries all have their checksums. */
  view(): RawView;
  /** Begins to count what is no row; what is missing has no checksum. */
  readonly census?: () => EntryCensus;
}

/** Counts entries as they come, in the order of their keys. */
export interface EntryCensus {
  /** @throws StoreFault corrupt */
  take(key: StoreKey, value: Uint8Array): Promise<void>;
  /** All have come. @throws StoreFault corrupt */
  end(): void;
}

/** Where a pass stands. */
export interface PassPage {
  /** The last key that was examined. */
  readonly key: StoreKey;
  readonly entries: number;
  readonly bytes: number;
}

/** Entries of a page; bodies and receipts may have 16 MiB each. */
const PAGE = 128;
const LARGE_PAGE = 1;
/** All keys of bodies and receipts are below. */
const BEHIND_LARGE = "f";

type Entry = { readonly key: StoreKey; readonly value: Uint8Array };

/** A table has other rows than were written. */
function unequal(place: string, table: StoreKey, found: TableSum, stored: TableSum): StoreFault {
  const name = table.slice(1);
  const rows = `${found.keys} keys of rows, and ${stored.keys} were written`;
  const what = found.keys === stored.keys ? "rows that are not those that were written" : rows;
  return new StoreFault("corrupt", `${place} holds a damaged database: table ${name} has ${what}`);
}

/** One pass; a class because its parts share the place. */
class Pass {
  readonly #options: StorePassOptions;
  readonly #census: EntryCensus | undefined;
  #from: StoreKey = "";

  constructor(options: StorePassOptions) {
    this.#options = options;
    this.#census = options.census?.();
  }

  async *pages(): AsyncGenerator<PassPage> {
    while (this.#from < OWN_KEYS) yield* this.#with((view) => this.#stretch(view));
    yield* this.#with((view) => this.#sums(view));
    this.#census?.end();
  }

  /** Views are short: each keeps what is written meanwhile next to what it shows. */
  async *#with(work: (view: RawView) => AsyncGenerator<PassPage>): AsyncGenerator<PassPage> {
    const view = this.#options.view();
    try {
      yield* work(view);
    } finally {
      await view.close();
    }
  }

  /** A page of records, or a whole table. */
  async *#stretch(view: RawView): AsyncGenerator<PassPage> {
    let table: StoreKey | undefined;
    let sum = NO_ROWS;
    for (;;) {
      const page = this.#from < BEHIND_LARGE ? LARGE_PAGE : PAGE;
      const entries = await view.range(this.#from, OWN_KEYS, page);
      const [first] = entries;
      if (!first) this.#from = OWN_KEYS;
      else table ??= tableOf(first.key);
      const end = entries.findIndex(({ key }) => tableOf(key) !== table);
      const taken = end < 0 ? entries : entries.slice(0, end);
      for (const entry of taken) {
        const value = this.#opened(entry);
        if (table === undefined) await this.#census?.take(entry.key, value);
        sum = withEntry(sum, sealOf(entry.value));
      }
      const last = taken.at(-1);
      if (last) {
        this.#from = `${last.key}\0`;
        const bytes = taken.reduce((all, { key, value }) => all + key.length + value.length, 0);
        yield { key: last.key, entries: taken.length, bytes };
      }
      if (table === undefined) return;
      if (taken.length === page) continue;
      this.#compare(view, table, sum);
      // A row that is written behind its last one meanwhile is in the sum of the next pass: taken
      // for the first of the table it would be a table with one row.
      this.#from = `${table}\x01`;
      return;
    }
  }

  #opened({ key, value: stored }: Entry): Uint8Array {
    const { checksum, place } = this.#options;
    const value = openValue(checksum, key, stored);
    if (value === undefined) throw damaged(place, key);
    return value;
  }

  #compare(view: RawView, table: StoreKey, found: TableSum): void {
    const stored = storedSum(view, table, this.#options);
    if (stored.keys === found.keys && stored.sum === found.sum) return;
    throw unequal(this.#options.place, table, found, stored);
  }

  /** Sums of tables of which nothing is left. */
  async *#sums(view: RawView): AsyncGenerator<PassPage> {
    let from = SUM_PREFIX;
    for (;;) {
      const entries = await view.range(from, `${SUM_PREFIX}\xff`, PAGE);
      for (const entry of entries) {
        const table = entry.key.slice(SUM_PREFIX.length);
        const { keys } = storedSum(view, table, this.#options);
        const [row] = keys === 0 ? [] : await view.range(`${table}\0`, `${table}\x01`, 1);
        if (keys > 0 && !row) this.#compare(view, table, NO_ROWS);
      }
      const last = entries.at(-1);
      if (!last) return;
      yield { key: last.key, entries: entries.length, bytes: 0 };
      from = `${last.key}\0`;
    }
  }
}

/** Goes through the store. @throws StoreFault corrupt, with what is wrong first */
export async function* passOver(options: StorePassOptions): AsyncGenerator<PassPage> {
  yield* new Pass(options).pages();
}
