/**
 * The Store port over IndexedDB. Rows are in memory, because `get` answers at once: in sorted
 * segments, which are read when the store is opened, under what was written since. Records of
 * blocks stay in the database under their own keys, and places of transactions in segments of
 * which only a filter is in memory. A commit is one transaction: its rows as one record of the
 * journal, which is folded into segments now and then.
 * Source: storage 13
 */
import { invariant } from "../../../core/fault/invariant.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { isPlaceKey } from "../../../core/ledger/keys.ts";
import type { Store, StoreKey, StoreWrite } from "../../../core/ports/store.ts";
import { type Batch, batchOf, isOwnRecord, joinBatches, rowsOf, writeBatch } from "./commits.ts";
import type { Manifest, TabDatabase } from "./database.ts";
import { fetchPage, foldJournal, listOf, mergeOnce, type Segments } from "./folding.ts";
import { keyHash } from "./key-filter.ts";
import { listOfEntries, rangeOf } from "./merge.ts";
import type { Entry } from "./packed.ts";
import { recentEntry, recentLists, type Rows, sortedEntries, rowValue } from "./rows.ts";
import { mayHoldKey, pageFor, type Segment } from "./segment.ts";
import type { StoreSizes } from "./sizes.ts";
import { tabFault } from "./tab-fault.ts";

/** Sizes and counts of a store, for people and measurements. */
export interface TabStoreStats {
  /** Bytes of keys and values that commits were given. */
  readonly acceptedBytes: number;
  /** Bytes that were handed to the database for them, with folds and merges. */
  readonly writtenBytes: number;
  readonly journalRecords: number;
  readonly residentSegments: number;
  readonly pagedSegments: number;
  readonly residentBytes: number;
  readonly pagedBytes: number;
}

/** A store that can give consistent views of itself. */
export interface TabStore extends Store {
  readonly name: string;
  /** Whether there is a value, without reading it. */
  has(key: StoreKey): Promise<boolean>;
  /** Rows as they are now, unaffected by later commits; records of blocks as they come. */
  snapshot(): Store;
  stats(): TabStoreStats;
}

/** What was read when the store was opened. */
export interface OpenedParts {
  readonly database: TabDatabase;
  readonly manifest: Manifest;
  readonly segments: Segments;
  /** Records of the journal in order. */
  readonly journal: readonly Uint8Array[];
  /** The last place that was used in the journal. */
  readonly lastRecord: number;
  readonly sizes: StoreSizes;
  /** Called once, when the store is closed. */
  readonly release: () => Promise<void>;
}

/** Letters of the records that lie under their own keys, and the one behind each. */
const RECORD_KINDS = ["b", "e", "h", "o"].map((first) => ({
  first,
  end: String.fromCharCode(first.charCodeAt(0) + 1),
}));

interface Waiting {
  readonly batch: Batch;
  readonly durable: boolean;
  done(): void;
  fail(fault: unknown): void;
}

const closedFault = (): StoreFault => new StoreFault("io", "the store is closed");

/** A class because reads and commits share what is in memory. */
class IndexedStore implements TabStore {
  readonly name: string;
  readonly #parts: OpenedParts;
  readonly #database: TabDatabase;
  #manifest: Manifest;
  #segments: Segments;
  #recent = new Map<StoreKey, Uint8Array | undefined>();
  #frozen: Rows["frozen"];
  /** Applied, but not written. */
  #pending: Batch[] = [];
  #pendingRecords = new Map<StoreKey, Uint8Array | undefined>();
  #queue: Waiting[] = [];
  #working: Promise<void> | undefined;
  #folding: Promise<void> | undefined;
  #journalBytes = 0;
  #journalRecords = 0;
  #lastRecord: number;
  /** These grow when a fold did not fit. */
  #foldAt: number;
  #foldAtRecords: number;
  /** How many segments there are when a merge is tried. */
  #mergeAt = 0;
  #failed: StoreFault | undefined;
  #closed = false;
  #acceptedBytes = 0;
  #writtenBytes = 0;

  constructor(parts: OpenedParts) {
    this.#parts = parts;
    this.#database = parts.database;
    this.name = parts.database.name;
    this.#manifest = parts.manifest;
    this.#segments = parts.segments;
    this.#lastRecord = parts.lastRecord;
    this.#foldAt = parts.sizes.foldBytes;
    this.#foldAtRecords = parts.sizes.foldRecords;
    for (const record of parts.journal) this.#applyRows(record);
    this.#journalBytes = parts.journal.reduce((sum, { length }) => sum + length, 0);
    this.#journalRecords = parts.journal.length;
  }

  /** The browser took the database away. */
  lose(): void {
    const said = "the browser closed it; its data may be cleared";
    this.#failed ??= new StoreFault("io", `the database ${this.name} is gone: ${said}`);
  }

  get #rows(): Rows {
    return { recent: this.#recent, frozen: this.#frozen, resident: this.#segments.resident };
  }

  #assertOpen(): void {
    if (this.#closed) throw closedFault();
  }

  get(key: StoreKey): Uint8Array | undefined {
    this.#assertOpen();
    if (!isOwnRecord(key) && !isPlaceKey(key)) return rowValue(this.#rows, key);
    const isPending = this.#pendingRecords.has(key) || recentEntry(this.#rows, key) !== undefined;
    invariant(isPending, "records of blocks are loaded");
    return this.#pendingRecords.get(key) ?? recentEntry(this.#rows, key)?.[1];
  }

  async load(key: StoreKey): Promise<Uint8Array | undefined> {
    this.#assertOpen();
    try {
      if (isPlaceKey(key)) return await this.#place(key);
      if (!isOwnRecord(key)) return rowValue(this.#rows, key);
      if (this.#pendingRecords.has(key)) return this.#pendingRecords.get(key);
      return await this.#database.get("records", key);
    } catch (error) {
      throw tabFault(this.name, error);
    }
  }

  async has(key: StoreKey): Promise<boolean> {
    this.#assertOpen();
    if (!isOwnRecord(key)) return (await this.load(key)) !== undefined;
    if (this.#pendingRecords.has(key)) return this.#pendingRecords.get(key) !== undefined;
    try {
      return (await this.#database.getKey("records", key)) !== undefined;
    } catch (error) {
      throw tabFault(this.name, error);
    }
  }

  async #place(key: StoreKey): Promise<Uint8Array | undefined> {
    const recent = recentEntry(this.#rows, key);
    if (recent) return recent[1];
    for (;;) {
      const { paged } = this.#segments;
      const found = await this.#searchPages(paged, key);
      // A merge may have removed a page that was wanted: then the list is another one.
      if (found !== "gone") return found?.[1];
      if (this.#segments.paged === paged) throw new StoreFault("corrupt", `${this.name}: no page`);
    }
  }

  async #searchPages(
    segments: readonly Segment[],
    key: StoreKey,
  ): Promise<Entry | "gone" | undefined> {
    const hash = keyHash(key);
    for (const segment of segments) {
      const page = mayHoldKey(segment, hash) ? pageFor(segment.index, key) : -1;
      if (page < 0) continue;
      const packed = await fetchPage(this.#database, segment, page);
      if (!packed) return "gone";
      const found = packed.find(key);
      if (found) return found;
    }
    return undefined;
  }

  async range(from: StoreKey, to: StoreKey, limit: number) {
    this.#assertOpen();
    return this.#rangeOver(this.#rows, [from, to], limit);
  }

  async #rangeOver(rows: Rows, bounds: readonly [StoreKey, StoreKey], limit: number) {
    if (bounds[0] >= bounds[1] || limit <= 0) return [];
    try {
      const parts = [
        await rangeOf(this.#rowLists(rows, bounds), bounds, limit),
        await this.#rangeOfPlaces(rows, bounds, limit),
        await this.#rangeOfRecords(bounds, limit),
      ].filter((part) => part.length > 0);
      const [only = [], ...more] = parts;
      if (more.length === 0) return only;
      const all = parts.flat().sort((a, b) => (a.key < b.key ? -1 : 1));
      return all.slice(0, limit);
    } catch (error) {
      throw tabFault(this.name, error);
    }
  }

  #rowLists(rows: Rows, [from, to]: readonly [StoreKey, StoreKey]) {
    const isWanted = (key: StoreKey) => key >= from && key < to && !isPlaceKey(key);
    const segments = rows.resident.map((segment) => listOf(this.#database, segment));
    return [...recentLists(rows, isWanted), ...segments];
  }

  async #rangeOfPlaces(rows: Rows, bounds: readonly [StoreKey, StoreKey], limit: number) {
    const [from, to] = bounds;
    if (to <= "t" || from >= "u") return [];
    const isWanted = (key: StoreKey) => key >= from && key < to && isPlaceKey(key);
    for (;;) {
      const { paged } = this.#segments;
      const lists = paged.map((segment) => listOf(this.#database, segment));
      try {
        return await rangeOf([...recentLists(rows, isWanted), ...lists], bounds, limit);
      } catch (error) {
        // A merge removes pages; what it made of them is in the new list.
        if (this.#segments.paged === paged) throw error;
      }
    }
  }

  async #rangeOfRecords(bounds: readonly [StoreKey, StoreKey], limit: number) {
    const [from, to] = bounds;
    if (!RECORD_KINDS.some(({ first, end }) => to > first && from < end)) return [];
    const wanted = IDBKeyRange.bound(from, to, false, true);
    const inside = ([key]: Entry) => key >= from && key < to;
    const pending = sortedEntries(this.#pendingRecords).filter(inside);
    const most = limit + pending.length;
    const transaction = this.#database.transaction("records", "readonly");
    const [keys, values] = await Promise.all([
      transaction.store.getAllKeys(wanted, most),
      transaction.store.getAll(wanted, most),
    ]);
    const stored = keys.map((key, index): Entry => [key, values[index]]);
    return rangeOf([listOfEntries(pending), listOfEntries(stored)], bounds, limit);
  }

  commit(writes: readonly StoreWrite[], { durable }: { readonly durable: boolean }): Promise<void> {
    if (this.#closed) return Promise.reject(closedFault());
    return new Promise((done, fail) => {
      this.#queue.push({ batch: batchOf(writes), durable, done, fail });
      this.#working ??= this.#work();
    });
  }

  /** Whatever waits while a transaction is under way goes into the next one together. */
  async #work(): Promise<void> {
    // Commits of one turn are seen together.
    await undefined;
    while (this.#queue.length > 0) {
      if (this.#journalBytes > this.#parts.sizes.mostWaitingBytes) await this.#folding;
      const taken = this.#queue.splice(0);
      try {
        await this.#take(taken);
        for (const { done } of taken) done();
      } catch (fault) {
        for (const { fail } of taken) fail(fault);
      }
    }
    // In the same step as the last look at the queue: nothing is left in it.
    this.#working = undefined;
  }

  async #take(taken: readonly Waiting[]): Promise<void> {
    if (this.#failed) throw this.#failed;
    const batches = taken.map(({ batch }) => batch);
    const bytes = [...this.#pending, ...batches].reduce((sum, batch) => sum + batch.bytes, 0);
    for (const batch of batches) this.#acceptedBytes += batch.bytes;
    if (bytes < this.#parts.sizes.mostPendingBytes && !taken.some(({ durable }) => durable)) {
      this.#pending.push(...batches);
      for (const batch of batches) {
        this.#applyRows(batch.rows);
        for (const [key, value] of batch.records) this.#pendingRecords.set(key, value);
      }
      return;
    }
    await this.#write(batches);
    for (const batch of batches) this.#applyRows(batch.rows);
    this.#foldWhenDue();
  }

  async #write(batches: readonly Batch[]): Promise<void> {
    const batch = joinBatches([...this.#pending, ...batches]);
    if (batch.rows.length === 0 && batch.records.size === 0) return;
    const place = this.#lastRecord + 1;
    try {
      this.#writtenBytes += await writeBatch(this.#database, batch, place);
    } catch (error) {
      // Whether it was written is unknown to what reads memory: no later write may build on it.
      this.#failed ??= tabFault(this.name, error);
      throw this.#failed;
    }
    this.#pending = [];
    this.#pendingRecords = new Map();
    this.#lastRecord = place;
    this.#journalBytes += batch.rows.length;
    this.#journalRecords += 1;
  }

  #applyRows(rows: Uint8Array): void {
    for (const [key, value] of rowsOf(rows)) this.#recent.set(key, value);
  }

  /** Nothing is pending here: a fold keeps whole commits. */
  #foldWhenDue(): void {
    const isDue = this.#journalBytes >= this.#foldAt || this.#journalRecords >= this.#foldAtRecords;
    if (!isDue || this.#folding) return;
    this.#folding = this.#fold().finally(() => {
      this.#folding = undefined;
    });
  }

  async #fold(): Promise<void> {
    const recent = this.#recent;
    const [bytes, records] = [this.#journalBytes, this.#journalRecords];
    const { sizes } = this.#parts;
    const order = { recent, lastRecord: this.#lastRecord, sizes };
    this.#frozen = recent;
    this.#recent = new Map();
    try {
      this.#adopt(await foldJournal(this.#database, this.#state, order));
      this.#frozen = undefined;
      this.#journalBytes -= bytes;
      this.#journalRecords -= records;
      this.#foldAt = sizes.foldBytes;
      this.#foldAtRecords = sizes.foldRecords;
      await this.#merge(sizes);
    } catch (error) {
      this.#thaw();
      const fault = tabFault(this.name, error);
      // The journal has everything: without space it only grows longer.
      if (fault.kind !== "full") this.#failed ??= fault;
      this.#foldAt = Math.max(sizes.foldBytes, 2 * this.#journalBytes);
      this.#foldAtRecords = Math.max(sizes.foldRecords, 2 * this.#journalRecords);
    }
  }

  /** What did not fit is not tried again before there is more to merge. */
  async #merge(sizes: StoreSizes): Promise<void> {
    const count = () => this.#segments.resident.length + this.#segments.paged.length;
    while (count() >= this.#mergeAt) {
      try {
        const merged = await mergeOnce(this.#database, this.#state, sizes);
        if (!merged) return;
        this.#adopt(merged);
        this.#mergeAt = 0;
      } catch (error) {
        this.#mergeAt = count() + sizes.fan;
        throw error;
      }
    }
  }

  get #state(): { readonly segments: Segments; readonly manifest: Manifest } {
    return { segments: this.#segments, manifest: this.#manifest };
  }

  #adopt({ segments, manifest, writtenBytes }: Awaited<ReturnType<typeof foldJournal>>): void {
    this.#segments = segments;
    this.#manifest = manifest;
    this.#writtenBytes += writtenBytes;
  }

  #thaw(): void {
    if (!this.#frozen) return;
    this.#recent = new Map([...this.#frozen, ...this.#recent]);
    this.#frozen = undefined;
  }

  snapshot(): Store {
    const rows = { ...this.#rows, recent: new Map(this.#recent) };
    return {
      get: (key) => (isPlaceKey(key) || isOwnRecord(key) ? this.get(key) : rowValue(rows, key)),
      load: async (key) =>
        isPlaceKey(key) || isOwnRecord(key) ? this.load(key) : rowValue(rows, key),
      range: (from, to, limit) => this.#rangeOver(rows, [from, to], limit),
      commit: async () => invariant(false, "a store snapshot does not take writes"),
      close: async () => undefined,
    };
  }

  stats(): TabStoreStats {
    const { resident, paged } = this.#segments;
    const bytes = (list: readonly Segment[]) =>
      list.reduce((sum, { facts }) => sum + facts.bytes, 0);
    return {
      acceptedBytes: this.#acceptedBytes,
      writtenBytes: this.#writtenBytes,
      journalRecords: this.#journalRecords,
      residentSegments: resident.length,
      pagedSegments: paged.length,
      residentBytes: bytes(resident),
      pagedBytes: bytes(paged),
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#working;
    // What was not durable may be lost, and a full disk must not keep a group from stopping.
    if (!this.#failed) await this.#write([]).catch(() => undefined);
    await this.#folding;
    this.#database.close();
    await this.#parts.release();
  }
}

/** A store over what was read. */
export function storeOver(parts: OpenedParts): TabStore & { lose(): void } {
  return new IndexedStore(parts);
}
