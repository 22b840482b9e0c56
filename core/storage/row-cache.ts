/** Committed rows of a store, with a bounded cache of decoded rows in front. Source: storage 9 */
import type { ByteString } from "../bytes/byte-string.ts";
import type { Store } from "../ports/store.ts";
import { decodeRows } from "./row-codec.ts";
import { rowsKey } from "./system-tables.ts";
import type { RowSource, StoredRow } from "./table.ts";

/** Rows kept in memory by default; `storage.max_capacity`. Source: storage 9 */
export const ROW_CACHE_BYTES = 32 * 1024 * 1024;
/** What an entry costs beside its text: map slots, objects, column maps. Measured on Node 20. */
const ENTRY_BYTES = 320;

const NO_ROWS: readonly StoredRow[] = [];

/** Committed rows, cached. */
export interface RowCache extends RowSource {
  /**
   * Puts rows that have just been committed in place of what was cached; undefined forgets the key.
   */
  replace(key: ByteString, rows: readonly StoredRow[] | undefined): void;
  /** Forgets everything, when somebody else wrote to the store. */
  clear(): void;
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
  let young = new Map<ByteString, readonly StoredRow[]>();
  let old = new Map<ByteString, readonly StoredRow[]>();
  let youngBytes = 0;
  let oldBytes = 0;

  const remember = (key: ByteString, rows: readonly StoredRow[]): void => {
    const before = young.get(key);
    if (before !== undefined) youngBytes -= weigh(key, before);
    young.set(key, rows);
    youngBytes += weigh(key, rows);
    if (youngBytes <= limitBytes / 2) return;
    old = young;
    oldBytes = youngBytes;
    young = new Map();
    youngBytes = 0;
  };

  return {
    rows(table, rowKey) {
      const key = rowsKey(table, rowKey);
      const cached = young.get(key);
      if (cached !== undefined) return cached;
      const aged = old.get(key);
      const rows = aged ?? load(store, key, rowKey);
      remember(key, rows);
      return rows;
    },
    replace(key, rows) {
      if (rows !== undefined) return remember(key, rows);
      const known = young.get(key);
      if (known !== undefined) youngBytes -= weigh(key, known);
      young.delete(key);
      const aged = old.get(key);
      if (aged !== undefined) oldBytes -= weigh(key, aged);
      old.delete(key);
    },
    clear() {
      young.clear();
      old.clear();
      youngBytes = 0;
      oldBytes = 0;
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
  return load(store, rowsKey(table, rowKey), rowKey);
}

function load(
  store: Pick<Store, "get">,
  key: ByteString,
  rowKey: ByteString,
): readonly StoredRow[] {
  const bytes = store.get(key);
  return bytes === undefined ? NO_ROWS : decodeRows(rowKey, bytes);
}

function weigh(key: ByteString, rows: readonly StoredRow[]): number {
  let bytes = ENTRY_BYTES + key.length;
  for (const row of rows) {
    bytes += ENTRY_BYTES;
    for (const value of row.columns.values()) bytes += value.length;
  }
  return bytes;
}
