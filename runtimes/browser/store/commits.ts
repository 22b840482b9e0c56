/** What commits write: rows packed for the journal, and records of blocks under their own keys. */
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { isBlockRecord, isPlaceKey } from "../../../core/ledger/keys.ts";
import type { StoreKey, StoreWrite } from "../../../core/ports/store.ts";
import { finish, STRICT, type TabDatabase } from "./database.ts";
import { changeMark, type JournalSum, withRecord } from "./marks.ts";
import { type Entry, Packed, packEntries } from "./packed.ts";

/** Whether a record lies in the database under its own key, and never in memory. */
export function isOwnRecord(key: StoreKey): boolean {
  return isBlockRecord(key) && !isPlaceKey(key);
}

/** One commit or several, apart by where they go. */
export interface Batch {
  readonly rows: Uint8Array<ArrayBuffer>;
  readonly records: ReadonlyMap<StoreKey, Uint8Array | undefined>;
  /** Bytes of keys and values as they were given. */
  readonly bytes: number;
}

/** An array of its own: a view would be stored with everything around it. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? new Uint8Array(buffer) : bytes.slice();
}

/** Packs the writes of a commit. */
export function batchOf(writes: readonly StoreWrite[]): Batch {
  const rows: Entry[] = [];
  const records = new Map<StoreKey, Uint8Array | undefined>();
  let bytes = 0;
  for (const { key, value } of writes) {
    bytes += key.length + (value?.length ?? 0);
    if (isOwnRecord(key)) records.set(key, value);
    else rows.push([key, value]);
  }
  return { rows: packEntries(rows), records, bytes };
}

/** Several batches as one. */
export function joinBatches(batches: readonly Batch[]): Batch {
  const [only, ...more] = batches;
  if (only && more.length === 0) return only;
  return {
    rows: concatBytes(...batches.map(({ rows }) => rows)) as Uint8Array<ArrayBuffer>,
    records: new Map(batches.flatMap(({ records }) => [...records])),
    bytes: batches.reduce((sum, batch) => sum + batch.bytes, 0),
  };
}

/** The rows of a batch in order of writing. */
export function rowsOf(rows: Uint8Array): Generator<Entry> {
  return new Packed(rows).from(0);
}

/** A place in the journal, and what that held before. */
export interface JournalPlace {
  readonly place: number;
  readonly before: JournalSum;
}

/** Writes a batch in one transaction. On disk when resolved. */
export async function writeBatch(
  database: TabDatabase,
  { rows, records }: Batch,
  { place, before }: JournalPlace,
): Promise<void> {
  const stores = ["journal", "records", "meta"] as const;
  const transaction = database.transaction(stores, "readwrite", STRICT);
  await finish(transaction, (add) => {
    if (rows.length > 0) {
      add(transaction.objectStore("journal").put(rows, place));
      const meta = transaction.objectStore("meta");
      add(changeMark(meta, before, (mark) => ({ ...mark, ...withRecord(mark, place, rows) })));
    }
    const store = transaction.objectStore("records");
    for (const [key, value] of records)
      add(value === undefined ? store.delete(key) : store.put(owned(value), key));
  });
}
