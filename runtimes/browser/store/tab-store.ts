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
import type { TabDatabase } from "./database.ts";
import { fetchPage, type Folded, foldJournal, listOf, mergeOnce } from "./folding.ts";
import { keyHash } from "./key-filter.ts";
import { type JournalSum, withoutRecords, withRecord } from "./marks.ts";
import { listOfEntries, rangeOf } from "./merge.ts";
import type { Entry } from "./packed.ts";
import { recentEntry, recentLists, type Rows, sortedEntries, rowValue } from "./rows.ts";
import { mayHoldKey, pageFor, type Segment } from "./segment.ts";
import type { StoreSizes } from "./sizes.ts";
import { damagedTab, guarded, tabFault } from "./tab-fault.ts";

/** What was read when the store was opened. */
export interface OpenedParts extends Folded {
  readonly database: TabDatabase;
  /** Records of the journal in order. */
  readonly journal: readonly Uint8Array[];
  /** The last place that was used in the journal. */
  readonly lastRecord: number;
  readonly journalSum: JournalSum;
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

/** The store; a class because reads and commits share what is in memory. */
export class TabStore implements Store {
  readonly name: string;
  readonly #parts: OpenedParts;
  #state: Folded;
  #recent = new Map<StoreKey, Uint8Array | undefined>();
  #frozen: Rows["frozen"];
  /** Applied, but not written; the records of all batches. */
  #pending = { batches: [] as Batch[], records: new Map<StoreKey, Uint8Array | undefined>() };
  #queue: Waiting[] = [];
  #working: Promise<void> | undefined;
  #folding: Promise<void> | undefined;
  readonly #journal: { bytes: number; sum: JournalSum; last: number };
  /**
   * When to fold and to merge: sizes of the journal, which grow when a fold did not fit, and how
   * many segments there are when a merge is tried.
   */
  readonly #due: { bytes: number; records: number; segments: number };
  #failed: StoreFault | undefined;
  #closed = false;

  /** A store over what was read. */
  constructor(parts: OpenedParts) {
    const { database, segments, manifest, journal, lastRecord, journalSum, sizes } = parts;
    this.#parts = parts;
    this.name = database.name;
    this.#state = { segments, manifest };
    for (const record of journal) this.#applyRows(record);
    const bytes = journal.reduce((sum, { length }) => sum + length, 0);
    this.#journal = { bytes, sum: journalSum, last: lastRecord };
    this.#due = { bytes: sizes.foldBytes, records: sizes.foldRecords, segments: 0 };
  }

  /** The browser took the database away. */
  lose(): void {
    const said = "the browser closed it; its data may be cleared";
    this.#failed ??= new StoreFault("io", `the database ${this.name} is gone: ${said}`);
  }

  get #rows(): Rows {
    return { recent: this.#recent, frozen: this.#frozen, resident: this.#state.segments.resident };
  }

  #assertOpen(): void {
    if (this.#closed) throw closedFault();
  }

  get(key: StoreKey): Uint8Array | undefined {
    this.#assertOpen();
    if (!isOwnRecord(key) && !isPlaceKey(key)) return rowValue(this.#rows, key);
    const isPending = this.#pending.records.has(key) || recentEntry(this.#rows, key) !== undefined;
    invariant(isPending, "records of blocks are loaded");
    return this.#pending.records.get(key) ?? recentEntry(this.#rows, key)?.[1];
  }

  async load(key: StoreKey): Promise<Uint8Array | undefined> {
    this.#assertOpen();
    return guarded(this.name, async () => {
      if (isPlaceKey(key)) return await this.#place(key);
      if (!isOwnRecord(key)) return rowValue(this.#rows, key);
      if (this.#pending.records.has(key)) return this.#pending.records.get(key);
      return await this.#parts.database.get("records", key);
    });
  }

  /** Whether there is a value, without reading it. */
  async has(key: StoreKey): Promise<boolean> {
    this.#assertOpen();
    if (!isOwnRecord(key)) return (await this.load(key)) !== undefined;
    if (this.#pending.records.has(key)) return this.#pending.records.get(key) !== undefined;
    const found = await guarded(this.name, () => this.#parts.database.getKey("records", key));
    return found !== undefined;
  }

  async #place(key: StoreKey): Promise<Uint8Array | undefined> {
    const recent = recentEntry(this.#rows, key);
    if (recent) return recent[1];
    for (;;) {
      const { paged } = this.#state.segments;
      const found = await this.#searchPages(paged, key);
      // A merge may have removed a page that was wanted: then the list is another one.
      if (found !== "gone") return found?.[1];
      if (this.#state.segments.paged === paged)
        throw damagedTab(this.name, "the place of a transaction");
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
      const packed = await fetchPage(this.#parts.database, segment, page);
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
    return guarded(this.name, async () => {
      const parts = [
        await rangeOf(this.#rowLists(rows, bounds), bounds, limit),
        await this.#rangeOfPlaces(rows, bounds, limit),
        await this.#rangeOfRecords(bounds, limit),
      ].filter((part) => part.length > 0);
      const [only = [], ...more] = parts;
      if (more.length === 0) return only;
      const all = parts.flat().sort((a, b) => (a.key < b.key ? -1 : 1));
      return all.slice(0, limit);
    });
  }

  #rowLists(rows: Rows, [from, to]: readonly [StoreKey, StoreKey]) {
    const isWanted = (key: StoreKey) => key >= from && key < to && !isPlaceKey(key);
    const segments = rows.resident.map((segment) => listOf(this.#parts.database, segment));
    return [...recentLists(rows, isWanted), ...segments];
  }

  async #rangeOfPlaces(rows: Rows, bounds: readonly [StoreKey, StoreKey], limit: number) {
    const [from, to] = bounds;
    if (to <= "t" || from >= "u") return [];
    const isWanted = (key: StoreKey) => key >= from && key < to && isPlaceKey(key);
    for (;;) {
      const { paged } = this.#state.segments;
      const lists = paged.map((segment) => listOf(this.#parts.database, segment));
      try {
        return await rangeOf([...recentLists(rows, isWanted), ...lists], bounds, limit);
      } catch (error) {
        // A merge removes pages; what it made of them is in the new list.
        if (this.#state.segments.paged === paged) throw error;
      }
    }
  }

  async #rangeOfRecords(bounds: readonly [StoreKey, StoreKey], limit: number) {
    const [from, to] = bounds;
    if (!RECORD_KINDS.some(({ first, end }) => to > first && from < end)) return [];
    const wanted = IDBKeyRange.bound(from, to, false, true);
    const inside = ([key]: Entry) => key >= from && key < to;
    const pending = sortedEntries(this.#pending.records).filter(inside);
    const most = limit + pending.length;
    const transaction = this.#parts.database.transaction("records", "readonly");
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
      if (this.#journal.bytes > this.#parts.sizes.mostWaitingBytes) await this.#folding;
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
    const bytes = [...this.#pending.batches, ...batches].reduce(
      (sum, batch) => sum + batch.bytes,
      0,
    );
    if (bytes < this.#parts.sizes.mostPendingBytes && !taken.some(({ durable }) => durable)) {
      this.#pending.batches.push(...batches);
      for (const batch of batches) {
        this.#applyRows(batch.rows);
        for (const [key, value] of batch.records) this.#pending.records.set(key, value);
      }
      return;
    }
    await this.#write(batches);
    for (const batch of batches) this.#applyRows(batch.rows);
    this.#foldWhenDue();
  }

  async #write(batches: readonly Batch[]): Promise<void> {
    const batch = joinBatches([...this.#pending.batches, ...batches]);
    if (batch.rows.length === 0 && batch.records.size === 0) return;
    const journal = this.#journal;
    const place = journal.last + 1;
    try {
      await writeBatch(this.#parts.database, batch, { place, before: journal.sum });
    } catch (error) {
      // Whether it was written is unknown to what reads memory: no later write may build on it.
      this.#failed ??= tabFault(this.name, error);
      throw this.#failed;
    }
    this.#pending = { batches: [], records: new Map() };
    if (batch.rows.length === 0) return;
    journal.last = place;
    journal.bytes += batch.rows.length;
    journal.sum = withRecord(journal.sum, place, batch.rows);
  }

  #applyRows(rows: Uint8Array): void {
    for (const [key, value] of rowsOf(rows)) this.#recent.set(key, value);
  }

  /** Nothing is pending here: a fold keeps whole commits. */
  #foldWhenDue(): void {
    const { bytes, sum } = this.#journal;
    const isDue = bytes >= this.#due.bytes || sum.records >= this.#due.records;
    if (!isDue || this.#folding) return;
    this.#folding = this.#fold().finally(() => {
      this.#folding = undefined;
    });
  }

  async #fold(): Promise<void> {
    const { sizes, database } = this.#parts;
    const journal = this.#journal;
    const { bytes, sum, last } = journal;
    const recent = this.#recent;
    this.#frozen = recent;
    this.#recent = new Map();
    try {
      const order = { recent, lastRecord: last, journal: sum, sizes };
      this.#state = await foldJournal(database, this.#state, order);
      this.#frozen = undefined;
      journal.bytes -= bytes;
      journal.sum = withoutRecords(journal.sum, sum);
      this.#due.bytes = sizes.foldBytes;
      this.#due.records = sizes.foldRecords;
      await this.#merge(sizes);
    } catch (error) {
      this.#thaw();
      const fault = tabFault(this.name, error);
      // The journal has everything: without space it only grows longer.
      if (fault.kind !== "full") this.#failed ??= fault;
      this.#due.bytes = Math.max(sizes.foldBytes, 2 * journal.bytes);
      this.#due.records = Math.max(sizes.foldRecords, 2 * journal.sum.records);
    }
  }

  /** What did not fit is not tried again before there is more to merge. */
  async #merge(sizes: StoreSizes): Promise<void> {
    const count = () => this.#state.segments.resident.length + this.#state.segments.paged.length;
    while (count() >= this.#due.segments) {
      try {
        const merged = await mergeOnce(this.#parts.database, this.#state, sizes);
        if (!merged) return;
        this.#state = merged;
        this.#due.segments = 0;
      } catch (error) {
        this.#due.segments = count() + sizes.fan;
        throw error;
      }
    }
  }

  #thaw(): void {
    if (!this.#frozen) return;
    this.#recent = new Map([...this.#frozen, ...this.#recent]);
    this.#frozen = undefined;
  }

  /** Rows as they are now, unaffected by later commits; records of blocks as they come. */
  snapshot(): Store {
    const rows = { ...this.#rows, recent: new Map(this.#recent) };
    const isOfBlocks = (key: StoreKey) => isPlaceKey(key) || isOwnRecord(key);
    return {
      get: (key) => (isOfBlocks(key) ? this.get(key) : rowValue(rows, key)),
      load: async (key) => (isOfBlocks(key) ? this.load(key) : rowValue(rows, key)),
      range: (from, to, limit) => this.#rangeOver(rows, [from, to], limit),
      commit: async () => invariant(false, "a store snapshot does not take writes"),
      close: async () => undefined,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#working;
    // What was not durable may be lost, and a full disk must not keep a group from stopping.
    if (!this.#failed) await this.#write([]).catch(() => undefined);
    await this.#folding;
    this.#parts.database.close();
    await this.#parts.release();
  }
}
