/** Several sorted sources as one: of the entries of a key, that of the newest source counts. */
import type { StoreKey } from "../../../core/ports/store.ts";
import type { Entry } from "./packed.ts";

/** Sorted entries that are in memory. */
export interface EntryPage {
  readonly count: number;
  key(index: number): StoreKey;
  value(index: number): Uint8Array | undefined;
  lowerBound(key: StoreKey): number;
}

/** Sorted pages, some of which must be fetched. */
export interface PageList {
  readonly pages: number;
  /** The page to begin at for a key. */
  pageFor(key: StoreKey): number;
  page(index: number): EntryPage | Promise<EntryPage>;
}

/** Entries that are given at once. */
const BATCH = 512;

/** Sorted entries as a page. */
export function pageOfEntries(entries: readonly Entry[]): EntryPage {
  return {
    count: entries.length,
    key: (index) => entries[index]?.[0] ?? "",
    value: (index) => entries[index]?.[1],
    lowerBound(key) {
      const found = entries.findIndex(([other]) => other >= key);
      return found < 0 ? entries.length : found;
    },
  };
}

/** Sorted entries as a source. */
export function listOfEntries(entries: readonly Entry[]): PageList {
  const page = pageOfEntries(entries);
  return { pages: 1, pageFor: () => 0, page: () => page };
}

/** Where a source is. */
class Cursor {
  readonly #list: PageList;
  #next: number;
  #from: StoreKey | undefined;
  #page: EntryPage | undefined;
  #index = 0;
  /** The current key; undefined while a page is wanted, and at the end. */
  key: StoreKey | undefined;

  constructor(list: PageList, from: StoreKey) {
    this.#list = list;
    this.#next = Math.max(0, list.pageFor(from));
    this.#from = from;
  }

  get wantsPage(): boolean {
    return this.key === undefined && this.#next < this.#list.pages;
  }

  async turn(): Promise<void> {
    this.#page = await this.#list.page(this.#next++);
    this.#index = this.#from === undefined ? 0 : this.#page.lowerBound(this.#from);
    this.#from = undefined;
    this.#read();
  }

  #read(): void {
    const isInside = this.#page !== undefined && this.#index < this.#page.count;
    this.key = isInside ? this.#page?.key(this.#index) : undefined;
  }

  get value(): Uint8Array | undefined {
    return this.#page?.value(this.#index);
  }

  advance(): void {
    this.#index++;
    this.#read();
  }
}

/**
 * All entries from a key on, in batches; removals are among them.
 *
 * @param lists the newest first
 */
export async function* mergedFrom(
  lists: readonly PageList[],
  from: StoreKey,
): AsyncGenerator<readonly Entry[]> {
  const cursors = lists.map((list) => new Cursor(list, from));
  let batch: Entry[] = [];
  for (;;) {
    for (const cursor of cursors) while (cursor.wantsPage) await cursor.turn();
    let least: Cursor | undefined;
    for (const cursor of cursors)
      if (cursor.key !== undefined && (least?.key === undefined || cursor.key < least.key))
        least = cursor;
    const key = least?.key;
    if (least === undefined || key === undefined) break;
    batch.push([key, least.value]);
    for (const cursor of cursors) if (cursor.key === key) cursor.advance();
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The entries in [from, to) that are there, at most `limit`. */
export async function rangeOf(
  lists: readonly PageList[],
  [from, to]: readonly [StoreKey, StoreKey],
  limit: number,
): Promise<{ key: StoreKey; value: Uint8Array }[]> {
  const found: { key: StoreKey; value: Uint8Array }[] = [];
  if (limit <= 0 || from >= to) return found;
  for await (const batch of mergedFrom(lists, from)) {
    for (const [key, value] of batch) {
      if (key >= to) return found;
      if (value === undefined) continue;
      found.push({ key, value });
      if (found.length >= limit) return found;
    }
  }
  return found;
}
