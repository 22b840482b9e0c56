/**
 * One opened table of a block: new rows, dirty rows, and the four operations on them.
 * Source: storage 4
 */
import type { ByteString } from "../bytes/byte-string.ts";
import type { LiveRow, RowFilter, RowView, StoredRow, TableSchema } from "./table.ts";
import { ROW_NORMAL, ROW_REMOVED, textBytes } from "./table.ts";
import type { Overlay } from "./overlay.ts";

/** Columns to set, name and value. */
export type ColumnValues = Iterable<readonly [ByteString, ByteString]>;

/** Thrown when a row would get a column that the table does not have. Source: storage 4 */
export class UnknownColumnFault extends Error {
  override readonly name = "UnknownColumnFault";
}

/** A table opened in a block. */
export interface Table {
  readonly schema: TableSchema;
  /** Addresses that may write, read when the table was opened; empty: everybody. */
  permitted: readonly string[];
  /**
   * An insert, update or remove was called in this block, even without effect.
   * Source: tx-block-codec 12.4
   */
  touched: boolean;
  /**
   * Grows with every operation and every undoing: what was derived from rows at another epoch is
   * out of date.
   */
  readonly epoch: number;
  /** Rows that the last select, update or remove looked at, removed ones too. */
  readonly scanned: number;
  /** Rows inserted in this block, withdrawn ones included, in order of insertion. */
  readonly newRows: readonly LiveRow[];
  /** Private copies of stored rows that this block changed. */
  readonly dirtyRows: ReadonlyMap<number, LiveRow>;
  /** Rows of the key that pass the filter, removed ones left out. */
  select(key: ByteString, filter?: RowFilter): RowView[];
  /** Adds a row with that key. */
  insert(key: ByteString, columns: ColumnValues): LiveRow;
  /**
   * Sets the columns of each selected row; the key column is left alone.
   *
   * @returns number of rows
   * @throws UnknownColumnFault for a column that the table does not have
   */
  update(key: ByteString, columns: ColumnValues, filter?: RowFilter): number;
  /** Marks each selected row as removed; returns their number. */
  remove(key: ByteString, filter?: RowFilter): number;
  /**
   * Counts so many rows of a key that stay until the block is done because something refers to
   * them: the text of what is stored under the key once, whichever of its rows they are.
   */
  pin(key: ByteString, count: number): void;
  /** The copy of a row that this block may change; the row is dirty or new from now on. */
  writable(key: ByteString, row: RowView): LiveRow;
}

/**
 * What each row takes, in units of {@link Overlay.effort}. What stays until the block is done
 * counts for its memory: rows, and the entries of the change log.
 */
const EFFORT = { scan: 24, change: 1_000, insert: 4_000 } as const;

/**
 * Bytes in {@link Overlay.held}: a row with its part in the batch that is written, a table, a
 * reference to a row and a stored row beside its text.
 */
const HELD = { row: 1_000, table: 1_500, reference: 16, stored: 300 } as const;

/** Opens a table over committed rows. */
export function createTable(schema: TableSchema, overlay: Overlay): Table {
  return new LiveTable(schema, overlay);
}

class LiveTable implements Table {
  readonly schema: TableSchema;
  permitted: readonly string[] = [];
  touched = false;
  epoch = 0;
  scanned = 0;
  readonly newRows: LiveRow[] = [];
  readonly dirtyRows = new Map<number, LiveRow>();
  readonly #newByKey = new Map<ByteString, LiveRow[]>();
  readonly #dirtyByKey = new Map<ByteString, LiveRow[]>();
  /** Keys whose stored rows something refers to. */
  readonly #pinned = new Set<ByteString>();
  readonly #overlay: Overlay;

  constructor(schema: TableSchema, overlay: Overlay) {
    this.schema = schema;
    this.#overlay = overlay;
    overlay.held += HELD.table;
  }

  select(key: ByteString, filter?: RowFilter): RowView[] {
    const stored = this.#overlay.options.source.rows(this.schema.name, key);
    const changed = this.#dirtyByKey.get(key)?.length ?? 0;
    this.scanned = stored.length + changed + (this.#newByKey.get(key)?.length ?? 0);
    this.#overlay.effort += this.scanned * EFFORT.scan;
    const found: RowView[] = [];
    const taken = new Set<number>();
    for (const row of stored) {
      const live = this.#selectStored(row, filter);
      if (live === undefined) continue;
      found.push(live);
      taken.add(row.id);
    }
    this.#selectChanged(key, { filter, taken, found });
    return limit(found, filter);
  }

  insert(key: ByteString, columns: ColumnValues): LiveRow {
    this.#change();
    this.#overlay.effort += EFFORT.insert;
    const row: LiveRow = {
      id: 0,
      status: ROW_NORMAL,
      columns: new Map(columns),
      withdrawn: false,
    };
    this.#overlay.held += HELD.row + textBytes(row.columns.values());
    row.columns.set(this.schema.keyField, key);
    this.newRows.push(row);
    append(this.#newByKey, key, row);
    this.#overlay.record({
      undo: () => {
        this.epoch++;
        row.withdrawn = true;
      },
    });
    return row;
  }

  update(key: ByteString, columns: ColumnValues, filter?: RowFilter): number {
    const values = [...columns].filter(
      ([name]) => name !== this.schema.keyField && name !== "_id_",
    );
    // Before anything counts as changed, as the root of a recorded block shows.
    for (const [name] of values) assertColumn(this.schema, name);
    this.#change();
    const rows = this.select(key, filter);
    this.#overlay.effort += rows.length * EFFORT.change;
    // The rows share the text.
    if (rows.length > 0) this.#overlay.held += textBytes(values.map(([, value]) => value));
    for (const row of rows) {
      const live = this.writable(key, row);
      const before = values.map(([name]) => [name, live.columns.get(name) ?? ""] as const);
      for (const [name, value] of values) live.columns.set(name, value);
      // A column that the row lacked stays, with an empty value. Source: storage 4.1
      this.#overlay.record({
        undo: () => {
          this.epoch++;
          for (const [name, value] of before) live.columns.set(name, value);
        },
      });
    }
    return rows.length;
  }

  remove(key: ByteString, filter?: RowFilter): number {
    this.#change();
    const rows = this.select(key, filter);
    this.#overlay.effort += rows.length * EFFORT.change;
    for (const row of rows) {
      const live = this.writable(key, row);
      const before = live.status;
      live.status = ROW_REMOVED;
      this.#overlay.record({
        undo: () => {
          this.epoch++;
          live.status = before;
        },
      });
    }
    return rows.length;
  }

  pin(key: ByteString, count: number): void {
    const overlay = this.#overlay;
    overlay.held += count * HELD.reference;
    if (count === 0 || this.#pinned.has(key)) return;
    this.#pinned.add(key);
    for (const { columns } of overlay.options.source.rows(this.schema.name, key))
      overlay.held += HELD.stored + textBytes(columns.values());
  }

  writable(key: ByteString, row: RowView): LiveRow {
    this.touched = true;
    if (row.id === 0) return row as LiveRow;
    const dirty = this.dirtyRows.get(row.id);
    if (dirty !== undefined) return dirty;
    const copy: LiveRow = {
      id: row.id,
      status: row.status,
      columns: new Map(row.columns),
      withdrawn: false,
    };
    this.#overlay.held += HELD.row + textBytes(copy.columns.values());
    this.dirtyRows.set(row.id, copy);
    append(this.#dirtyByKey, key, copy);
    return copy;
  }

  #change(): void {
    this.touched = true;
    this.epoch++;
  }

  /** The row of this block that stands for a stored row, when it is selected. */
  #selectStored(row: StoredRow, filter: RowFilter | undefined): RowView | undefined {
    if (row.status !== ROW_NORMAL || !passes(row, filter)) return undefined;
    const dirty = this.dirtyRows.get(row.id);
    if (dirty === undefined) return row;
    // Before 2.5.0 only the stored form is judged: a row that this block removed, or that no longer
    // matches, is still found. Source: ARCHITECTURE, rules that recorded ledgers showed
    if (!this.#overlay.since(2, 5, 0)) return dirty;
    return dirty.status === ROW_NORMAL && passes(dirty, filter) ? dirty : undefined;
  }

  /** Adds dirty rows that only now pass the filter, from 2.5.0 on, and new rows. */
  #selectChanged(
    key: ByteString,
    result: { filter: RowFilter | undefined; taken: ReadonlySet<number>; found: RowView[] },
  ): void {
    const { filter, taken, found } = result;
    const dirty = this.#overlay.since(2, 5, 0) ? this.#dirtyByKey.get(key) : undefined;
    for (const row of dirty ?? []) {
      if (!taken.has(row.id) && row.status === ROW_NORMAL && passes(row, filter)) found.push(row);
    }
    for (const row of this.#newByKey.get(key) ?? []) {
      if (!row.withdrawn && row.status === ROW_NORMAL && passes(row, filter)) found.push(row);
    }
  }
}

/** Columns of the row itself: taken as plain text whatever the table is. Source: precompiles 6 */
const INTERNAL_COLUMNS: readonly ByteString[] = ["_id_", "_num_", "_status_"];

/** @throws UnknownColumnFault for a column that rows of the table cannot have */
export function assertColumn(schema: TableSchema, name: ByteString): void {
  if (name === schema.keyField || schema.fields.includes(name)) return;
  if (!INTERNAL_COLUMNS.includes(name)) throw new UnknownColumnFault("Invalid key.");
}

function passes(row: RowView, filter: RowFilter | undefined): boolean {
  return filter?.test === undefined || filter.test(row);
}

function limit(rows: RowView[], filter: RowFilter | undefined): RowView[] {
  if (filter === undefined || (filter.offset === undefined && filter.count === undefined))
    return rows;
  const offset = filter.offset ?? 0;
  return rows.slice(offset, filter.count === undefined ? undefined : offset + filter.count);
}

function append<T>(lists: Map<ByteString, T[]>, key: ByteString, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
