/** Committed rows of a store, with a bounded cache of decoded rows in front. Source: storage 9 */
import type { ByteString } from "../bytes/byte-string.ts";
import type { Store } from "../ports/store.ts";
import { decodeRows, openRows, ROW_BYTES } from "./row-codec.ts";
import { rowsKey } from "./system-tables.ts";
import {
  COLUMN_BYTES,
  columnBytes,
  isLarge,
  type LargeRows,
  type RowSource,
  type StoredRow,
  type StoredRows,
} from "./table.ts";

/** Rows kept in memory by default; `storage.max_capacity`. Source: storage 9 */
export const ROW_CACHE_BYTES = 32 * 1024 * 1024;
/** What an entry costs besides its text: map slots, objects, column maps. Measured on Node 20. */
const ENTRY_BYTES = 320;
/** The rows of a key may take half of the bound. */
const LARGEST_SHARE = 2;
/** Large rows of one key at a time are kept decoded, when they take no more than this. */
const ONE_LARGE_BYTES = 16 * 1024 * 1024;
/** Of them, a record may take the fourth part. */
const RECORD_SHARE = 4;

const NO_ROWS: readonly StoredRow[] = [];

/** Committed rows, cached. */
export interface RowCache extends Required<RowSource> {
  /**
   * Puts rows that have just been committed in place of what was cached; undefined forgets the key.
   */
  replace(key: ByteString, rows: readonly StoredRow[] | undefined): void;
  /** Estimated memory of the cached rows. */
  readonly bytes: number;
}

/**
 * Opens a cache over a store.
 * Two generations stand for a list ordered by use: what is read moves to the young one; when the
 * young one holds half of the bound, the old one is dropped and the young one becomes old.
 *
 * @param limitBytes bound of the estimated memory
 */
export function createRowCache(store: Pick<Store, "get">, limitBytes = ROW_CACHE_BYTES): RowCache {
  let young = new Map<ByteString, StoredRows>();
  let old = new Map<ByteString, StoredRows>();
  let youngBytes = 0;
  let oldBytes = 0;

  /** False for rows that would take the place of too much else: they are read anew each time. */
  const remember = (key: ByteString, rows: StoredRows): boolean => {
    const bytes = weigh(key, rows);
    if (bytes > limitBytes / LARGEST_SHARE) return false;
    const before = young.get(key);
    if (before !== undefined) youngBytes -= weigh(key, before);
    young.set(key, rows);
    youngBytes += bytes;
    if (youngBytes <= limitBytes / 2) return true;
    old = young;
    oldBytes = youngBytes;
    young = new Map();
    youngBytes = 0;
    return true;
  };

  let oneLarge: { readonly key: ByteString; readonly rows: LargeRows } | undefined;
  const keepOne = (key: ByteString, rowKey: ByteString, rows: LargeRows): LargeRows => {
    if (sizeOf(rows) > ONE_LARGE_BYTES) return rows;
    const whole = decodeRows(rowKey, rows.record);
    const kept = { ...rows, [Symbol.iterator]: () => whole[Symbol.iterator]() };
    oneLarge = { key, rows: kept };
    return kept;
  };

  const stored = (table: ByteString, rowKey: ByteString): StoredRows => {
    const key = rowsKey(table, rowKey);
    const cached = young.get(key);
    if (cached !== undefined && !isLarge(cached)) return cached;
    if (oneLarge?.key === key) return oneLarge.rows;
    const rows = cached ?? old.get(key) ?? load(store, key, rowKey);
    if (cached === undefined) remember(key, rows);
    return isLarge(rows) ? keepOne(key, rowKey, rows) : rows;
  };

  const forget = (key: ByteString): void => {
    const known = young.get(key);
    if (known !== undefined) youngBytes -= weigh(key, known);
    young.delete(key);
    const aged = old.get(key);
    if (aged !== undefined) oldBytes -= weigh(key, aged);
    old.delete(key);
  };

  return {
    stored,
    rows: (table, rowKey) => decoded(stored(table, rowKey)),
    replace(key, rows) {
      if (oneLarge?.key === key) oneLarge = undefined;
      if (rows === undefined || !remember(key, rows)) forget(key);
    },
    get bytes() {
      return youngBytes + oldBytes;
    },
  };
}

/** Rows of a key straight from a store. */
export function storedRows(
  store: Pick<Store, "get">,
  table: ByteString,
  rowKey: ByteString,
): readonly StoredRow[] {
  return decoded(load(store, rowsKey(table, rowKey), rowKey));
}

/** Rows straight from a store, each time anew. */
export function storeRows(store: Pick<Store, "get">): RowSource {
  return {
    rows: (table, key) => storedRows(store, table, key),
    stored: (table, key) => load(store, rowsKey(table, key), key),
  };
}

/** Large rows when decoded, by estimate; the columns of a long record are not even counted. */
function sizeOf(rows: LargeRows): number {
  const { length, record } = rows;
  const least = length * ROW_BYTES + record.length;
  if (least > ONE_LARGE_BYTES || record.length > ONE_LARGE_BYTES / RECORD_SHARE) return Infinity;
  return least + rows.countColumns() * COLUMN_BYTES;
}

function decoded(rows: StoredRows): readonly StoredRow[] {
  return isLarge(rows) ? [...rows] : rows;
}

function load(store: Pick<Store, "get">, key: ByteString, rowKey: ByteString): StoredRows {
  const bytes = store.get(key);
  return bytes === undefined ? NO_ROWS : openRows(rowKey, bytes);
}

function weigh(key: ByteString, rows: StoredRows): number {
  let bytes = ENTRY_BYTES + key.length;
  if (isLarge(rows)) return bytes + rows.record.length;
  for (const row of rows) {
    bytes += ENTRY_BYTES;
    bytes += columnBytes(row.columns);
  }
  return bytes;
}
