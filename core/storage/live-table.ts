/** An opened table of a block: new rows, dirty rows, four operations on them. Source: storage 4 */
import type { ByteString } from "../bytes/byte-string.ts";
import type {
  Column,
  LargeRows,
  LiveRow,
  RowFilter,
  RowHolder,
  RowView,
  StoredRow,
  StoredRows,
  TableOverlay,
  TableSchema,
} from "./table.ts";
import {
  columnBytes,
  hasOtherStoredKey,
  isHashedColumn,
  isLarge,
  ROW_NORMAL,
  ROW_REMOVED,
  storedUnder,
  textBytes,
} from "./table.ts";

/** Thrown when a row would get a column or a key that it cannot have. Source: storage 4 */
export class ColumnFault extends Error {
  override readonly name = "ColumnFault";
}

/** Rows that an update made dirty; in order of row id when `sorted`. */
interface UpdatedRows {
  rows: LiveRow[];
  sorted: boolean;
}

/**
 * What each row takes, in units of {@link Overlay.effort}. What stays until the block is done
 * counts for its memory: rows, and the entries of the change log.
 */
const EFFORT = { scan: 24, change: 1_000, insert: 4_000 } as const;
/** What decoding takes in the same units, as measured: a row, a column, a byte. */
const DECODE = { row: 200, column: 70, byte: 2.5 } as const;
/** Bytes of a stored form that are fetched for a unit. */
const READ_BYTES = 2;
/** Work of large rows that is done between two questions whether to go on: a millisecond. */
const STRIDE = 200_000;

/**
 * Bytes in {@link Overlay.held}: a row with its part in the batch that is written, a table, a
 * reference to a row, a key that a row moved to; next to its text, a stored row when it is decoded,
 * and its part of a record.
 */
const HELD = { row: 1_000, table: 1_500, reference: 16, key: 48, stored: 300, part: 16 } as const;

/** Copies of fewer rows are counted when they are all made. */
const MANY_ROWS = 1_000;

/** A table opened in a block over committed rows. */
export class Table implements RowHolder {
  readonly schema: TableSchema;
  /** Addresses that may write, read when the table was opened; empty: everybody. */
  permitted: readonly string[] = [];
  /** An insert, update or remove was called, even without effect. Source: tx-block-codec 12.4 */
  touched = false;
  /** Grows with every operation and undoing: what was derived at another epoch is out of date. */
  epoch = 0;
  /** Rows that the last select, update or remove examined, removed ones too. */
  scanned = 0;
  /** Rows inserted in this block, withdrawn ones included, in order of insertion. */
  readonly newRows: LiveRow[] = [];
  /** Private copies of stored rows that this block changed. */
  readonly dirtyRows = new Map<number, LiveRow>();
  readonly #newByKey = new Map<ByteString, LiveRow[]>();
  readonly #dirtyKeys = new Set<ByteString>();
  /** Keys that objects gave to rows after their insertion. */
  readonly #movedKeys = new Set<ByteString>();
  /** Dirty rows that a select finds when only now they match. */
  readonly #updatedByKey = new Map<ByteString, UpdatedRows>();
  /** What something refers to until the block is done: given again, so that there is one copy. */
  readonly #pinned = new Map<ByteString, readonly StoredRow[]>();
  readonly #overlay: TableOverlay;
  /** A condition on an internal column would be ignored. */
  readonly #comparesKey: boolean;

  /** Opens a table. */
  constructor(schema: TableSchema, overlay: TableOverlay) {
    this.schema = schema;
    this.#comparesKey = isHashedColumn(schema.keyField);
    this.#overlay = overlay;
    overlay.held += HELD.table;
  }

  /** Rows of the key that pass the filter, removed ones left out. */
  select(key: ByteString, filter?: RowFilter): RowView[] {
    const stored = this.#stored(key);
    const changed = this.#updatedByKey.get(key)?.rows.length ?? 0;
    this.scanned = stored.length + changed + (this.#newByKey.get(key)?.length ?? 0);
    this.#overlay.effort += this.scanned * EFFORT.scan;
    if (isLarge(stored)) return this.#selectLarge(key, stored, filter);
    const found: RowView[] = [];
    const taken = new Set<number>();
    for (const row of stored) {
      const live = this.#selectStored(key, row, filter);
      if (live === undefined) continue;
      found.push(live);
      taken.add(row.id);
    }
    this.#selectChanged(key, { filter, taken, found });
    return limit(found, filter);
  }

  /** Adds a row with that key. */
  insert(key: ByteString, columns: Iterable<Column>): LiveRow {
    return this.#add(key, newRow(new Map(columns)));
  }

  /**
   * Adds a row that has the columns of the row of an entry object, which gets that key; a copy of
   * them when the row is stored under another key.
   */
  adopt(key: ByteString, given: LiveRow): LiveRow {
    const keyColumn = [this.schema.keyField, key] as const;
    if (hasOtherStoredKey(given, keyColumn)) return this.insert(key, given.columns);
    const { columns, places } = given;
    for (const table of places?.tables ?? []) table.moveRow(given, keyColumn);
    places?.tables.add(this);
    if (places) places.copies++;
    return this.#add(key, { ...newRow(columns), places });
  }

  /** As {@link RowHolder} has it. */
  moveRow(row: LiveRow, [name, text]: Column): void {
    const overlay = this.#overlay;
    overlay.effort += EFFORT.scan;
    if (name !== this.schema.keyField || row.columns.get(name) === text) return;
    if (this.#isRewritten(text)) return;
    overlay.allowance?.room(HELD.key);
    overlay.effort += EFFORT.change;
    overlay.held += HELD.key;
    this.#rewrite(text);
    this.#movedKeys.add(text);
  }

  #add(key: ByteString, row: LiveRow): LiveRow {
    this.#change();
    this.#rewrite(key);
    this.#overlay.effort += EFFORT.insert;
    this.#overlay.held += HELD.row + columnBytes(row.columns);
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

  /**
   * Sets the columns of each selected row; the key column is left alone.
   *
   * @returns number of rows
   * @throws ColumnFault for a column that the table does not have
   */
  update(key: ByteString, columns: Iterable<Column>, filter?: RowFilter): number {
    const values = [...columns].filter(
      ([name]) => name !== this.schema.keyField && name !== "_id_",
    );
    // Before anything counts as changed, as the root of a recorded block shows.
    for (const [name] of values) assertColumn(this.schema, name);
    this.#change();
    const rows = this.select(key, filter);
    this.#overlay.effort += rows.length * EFFORT.change;
    // The rows share the text.
    const bytes = textBytes(values.map(([, value]) => value));
    if (rows.length > 0) this.#overlay.held += bytes;
    for (const row of rows) {
      this.#askRoom(rows);
      const live = this.writable(key, row);
      if (live.places) this.#overlay.held += live.places.copies * bytes;
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

  /** Marks each selected row as removed; returns their number. */
  remove(key: ByteString, filter?: RowFilter): number {
    this.#change();
    const rows = this.select(key, filter);
    this.#overlay.effort += rows.length * EFFORT.change;
    for (const row of rows) {
      this.#askRoom(rows);
      const live = this.#copyOf(key, row);
      live.status = ROW_REMOVED;
      this.#overlay.record({
        undo: () => {
          this.epoch++;
          // Also of a row that was removed before, which below 2.5.0 is still found.
          live.status = ROW_NORMAL;
        },
      });
    }
    return rows.length;
  }

  /**
   * Counts rows of a key that stay until the block is done because something refers to them: the
   * text of what is stored under the key once, whichever of its rows they are; of large rows, which
   * are decoded at each look, these.
   */
  pin(key: ByteString, rows: readonly RowView[]): void {
    this.#overlay.held += rows.length * HELD.reference;
    if (rows.length === 0 || this.#pinned.has(key)) return;
    const stored = this.#stored(key);
    // Each reading of large rows makes copies of its own.
    if (!isLarge(stored)) this.#pinned.set(key, stored);
    for (const { columns } of isLarge(stored) ? rows : stored)
      this.#overlay.held += HELD.stored + columnBytes(columns);
  }

  /** The copy of a row that this block updates; the row is dirty or new from now on. */
  writable(key: ByteString, row: RowView): LiveRow {
    const isFirst = row.id !== 0 && !this.dirtyRows.has(row.id);
    const live = this.#copyOf(key, row);
    if (isFirst) this.#noteUpdated(key, live);
    return live;
  }

  /** A row that a remove made dirty is not found by what it becomes. Source: storage 4 */
  #noteUpdated(key: ByteString, live: LiveRow): void {
    const updated = this.#updatedByKey.get(key);
    if (updated === undefined) {
      this.#updatedByKey.set(key, { rows: [live], sorted: true });
      return;
    }
    updated.sorted &&= live.id > (updated.rows.at(-1)?.id ?? 0);
    updated.rows.push(live);
  }

  #copyOf(key: ByteString, row: RowView): LiveRow {
    this.touched = true;
    if (row.id === 0) return row as LiveRow;
    const dirty = this.dirtyRows.get(row.id);
    if (dirty !== undefined) return dirty;
    if (!this.#dirtyKeys.has(key)) {
      this.#rewrite(key);
      this.#reencode(key);
      this.#dirtyKeys.add(key);
    }
    const { id, status } = row;
    const columns = new Map(row.columns);
    const copy: LiveRow = { id, status, columns, withdrawn: false, places: undefined };
    this.#overlay.held += HELD.row + columnBytes(copy.columns);
    this.dirtyRows.set(row.id, copy);
    return copy;
  }

  #change(): void {
    this.touched = true;
    this.epoch++;
  }

  #stored(key: ByteString): StoredRows {
    const pinned = this.#pinned.get(key);
    if (pinned !== undefined) return pinned;
    const { looked, options } = this.#overlay;
    if (looked.table === this && looked.key === key) return looked.rows;
    const rows = storedUnder(options.source, this.schema.name, key);
    if (isLarge(rows)) return rows;
    looked.table = this;
    looked.key = key;
    looked.rows = rows;
    return rows;
  }

  /** As {@link select} does it: what is found is all that is kept, work is asked for on the way. */
  #selectLarge(key: ByteString, stored: LargeRows, filter: RowFilter | undefined): RowView[] {
    const { allowance } = this.#overlay;
    const { offset = 0, count = Infinity } = filter ?? {};
    const found: RowView[] = [];
    const taken = new Set<number>();
    let passed = 0;
    let bytes = 0;
    // The record is read from the store as a whole.
    let work = Math.ceil(stored.record.length / READ_BYTES);
    for (const row of stored) {
      if (passed >= offset + count) break;
      if (work >= STRIDE) {
        allowance?.work(work);
        work = 0;
      }
      work += decodingWork(1, row.columns.size, textBytes(row.columns.values()));
      const live = this.#selectStored(key, row, filter);
      if (live === undefined) continue;
      if (this.dirtyRows.has(row.id)) taken.add(row.id);
      if (passed++ < offset) continue;
      bytes += HELD.stored + columnBytes(live.columns);
      allowance?.room(bytes);
      found.push(live);
    }
    allowance?.work(work);
    const changed: RowView[] = [];
    this.#selectChanged(key, { filter, taken, found: changed });
    const skipped = Math.max(0, offset - passed);
    return [...found, ...changed.slice(skipped, skipped + count - found.length)];
  }

  /**
   * Counts the stored rows of a key that this block changes first: all are written again. What a
   * row of its own takes covers a short record.
   */
  #rewrite(key: ByteString): void {
    if (this.#isRewritten(key)) return;
    const bytes = Math.max(0, recordBytes(this.#stored(key)) - HELD.row);
    this.#overlay.held += bytes;
    this.#overlay.effort += bytes;
  }

  #isRewritten(key: ByteString): boolean {
    return this.#newByKey.has(key) || this.#dirtyKeys.has(key) || this.#movedKeys.has(key);
  }

  /** Counts large rows of which this block changes one first: all are decoded and encoded. */
  #reencode(key: ByteString): void {
    const stored = this.#stored(key);
    const { allowance } = this.#overlay;
    if (allowance === undefined || !isLarge(stored)) return;
    const { length, record } = stored;
    allowance.work(record.length);
    allowance.work(2 * decodingWork(length, stored.countColumns(), record.length));
  }

  /** Before a copy of one of many rows is made, between two changes that can be undone. */
  #askRoom({ length }: readonly RowView[]): void {
    if (length > MANY_ROWS) this.#overlay.allowance?.room(0);
  }

  /** The row of this block that stands for a stored row, when it is selected. */
  #selectStored(
    key: ByteString,
    row: StoredRow,
    filter: RowFilter | undefined,
  ): RowView | undefined {
    if (!this.#passes(row, key, filter)) return undefined;
    const dirty = this.dirtyRows.get(row.id);
    if (dirty === undefined) return row;
    // Before 2.5.0 only the stored form is judged: a row that this block removed, or that no longer
    // matches, is still found. Source: precompiles "Version steps"
    if (!this.#overlay.since(2, 5, 0)) return dirty;
    return this.#passes(dirty, key, filter) ? dirty : undefined;
  }

  /**
   * Rows may have another key than they lie under: those of a table that was created twice in a
   * block, and those whose key an object changed.
   */
  #passes(row: RowView, key: ByteString, filter: RowFilter | undefined): boolean {
    if (row.status !== ROW_NORMAL) return false;
    if (this.#comparesKey && row.columns.get(this.schema.keyField) !== key) return false;
    return filter?.test === undefined || filter.test(row);
  }

  /** The rows of a key that an update made dirty, in order of row id. */
  #updated(key: ByteString): readonly LiveRow[] {
    const updated = this.#updatedByKey.get(key);
    if (updated === undefined) return [];
    if (!updated.sorted) updated.rows.sort((left, right) => left.id - right.id);
    updated.sorted = true;
    return updated.rows;
  }

  /** Adds dirty rows that only now pass the filter, from 2.5.0 on, and new rows. */
  #selectChanged(
    key: ByteString,
    result: { filter: RowFilter | undefined; taken: ReadonlySet<number>; found: RowView[] },
  ): void {
    const { filter, taken, found } = result;
    for (const row of this.#overlay.since(2, 5, 0) ? this.#updated(key) : []) {
      if (!taken.has(row.id) && this.#passes(row, key, filter)) found.push(row);
    }
    for (const row of this.#newByKey.get(key) ?? []) {
      if (!row.withdrawn && this.#passes(row, key, filter)) found.push(row);
    }
  }
}

function newRow(columns: Map<ByteString, ByteString>): LiveRow {
  return { id: 0, status: ROW_NORMAL, columns, withdrawn: false, places: undefined };
}

/** A whole number, so that it does not matter in which order work is added up. */
function decodingWork(rows: number, columns: number, bytes: number): number {
  return rows * DECODE.row + columns * DECODE.column + Math.ceil(bytes * DECODE.byte);
}

function recordBytes(rows: StoredRows): number {
  if (isLarge(rows)) return rows.record.length;
  let bytes = 0;
  for (const { columns } of rows) bytes += HELD.part + textBytes(columns.values());
  return bytes;
}

/** Columns of the row itself: taken as plain text whatever the table is. Source: precompiles 6 */
const INTERNAL_COLUMNS: readonly ByteString[] = ["_id_", "_num_", "_status_"];

/** @throws ColumnFault for a column that rows of the table cannot have */
export function assertColumn(schema: TableSchema, name: ByteString): void {
  if (name === schema.keyField || schema.fields.includes(name)) return;
  if (!INTERNAL_COLUMNS.includes(name)) throw new ColumnFault("Invalid key.");
}

function limit(rows: RowView[], filter: RowFilter | undefined): RowView[] {
  const { offset = 0, count } = filter ?? {};
  if (offset === 0 && count === undefined) return rows;
  return rows.slice(offset, count === undefined ? undefined : offset + count);
}

function append<T>(lists: Map<ByteString, T[]>, key: ByteString, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
