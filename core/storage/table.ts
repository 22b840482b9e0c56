/** Tables, rows and the rules that tell which columns and tables a state root covers. */
import type { ByteString } from "../bytes/byte-string.ts";

/** One change that a roll-back can undo. */
export interface Change {
  undo(): void;
}

/** Bounds of a transaction that are asked while it reads rows; both throw what ends it. */
export interface Allowance {
  /** Before this many bytes more are held for a while. */
  room(bytes: number): void;
  /** Counts work that gas does not pay for, in the units of {@link Overlay.effort}. */
  work(amount: number): void;
}

/**
 * Stored rows of a key of an opened table: they stay the same, since nothing is written between the
 * opening of an overlay and the write of its own block.
 */
export interface Looked {
  table: object | undefined;
  key: ByteString;
  rows: readonly StoredRow[];
}

/** What a table needs of the overlay that it is opened in; see there. */
export interface TableOverlay {
  readonly options: { readonly source: RowSource; readonly parentNumber: number };
  effort: number;
  held: number;
  readonly allowance: Allowance | undefined;
  readonly looked: Looked;
  record(change: Change): void;
  /** Whether the chain runs this version of the rules, or a later one. */
  since(major: number, minor: number, patch: number): boolean;
}

/** Status of a removed row; the row stays in storage. Source: storage 1 */
export const ROW_REMOVED = 1;
/** Status of a row in force. Source: storage 1 */
export const ROW_NORMAL = 0;

/** What a reader may see of a row. */
export interface RowView {
  /** Unique in the group; 0 until the row has been committed. */
  readonly id: number;
  readonly status: number;
  /** Column name to value, key column included. */
  readonly columns: ReadonlyMap<ByteString, ByteString>;
}

/** A committed row; shared by all readers, never changed. Source: storage 1 */
export interface StoredRow extends RowView {
  /** Number of the block that changed the row last. */
  readonly number: number;
}

/** A row as an executed block sees it: new in it, or the private copy of a stored row. */
export interface LiveRow extends RowView {
  status: number;
  readonly columns: Map<ByteString, ByteString>;
  /**
   * Rolled back after its insertion: takes no part in select, hash or commit. Source: storage 4.1
   */
  withdrawn: boolean;
  /** Where the row lies when an entry object holds it. */
  places: RowPlaces | undefined;
}

/** The tables of a row that an object of a contract goes on changing. */
interface RowPlaces {
  /** Rows that have its columns. */
  copies: number;
  readonly tables: Set<RowHolder>;
  /** The table in which an earlier block stored it. */
  readonly storedIn: RowHolder | undefined;
}

/** A table that is told before an object sets a column of one of its rows. */
export interface RowHolder {
  readonly schema: TableSchema;
  /** Counts what is written again under the key when the column is one that the row lies under. */
  moveRow(row: LiveRow, column: Column): void;
}

/** Name and value of a column. */
export type Column = readonly [name: ByteString, value: ByteString];

/** True when the column would give another key to a row that an earlier block stored. */
export function hasOtherStoredKey({ columns, places }: LiveRow, [name, value]: Column): boolean {
  return places?.storedIn?.schema.keyField === name && columns.get(name) !== value;
}

/** Name and columns of a table. */
export interface TableSchema {
  readonly name: ByteString;
  readonly keyField: ByteString;
  /** Value columns, in the order of their declaration. */
  readonly fields: readonly ByteString[];
  /** True when the table takes part in the state root. Source: storage 2 */
  readonly hashed: boolean;
}

/** Which rows of a key are meant; an absent test accepts every row. */
export interface RowFilter {
  readonly test?: (row: RowView) => boolean;
  /** Rows skipped at the front of the result. */
  readonly offset?: number;
  /** Most rows returned. */
  readonly count?: number;
}

/** Committed rows of a key that are too many to be kept: decoded while they are read. */
export interface LargeRows extends Iterable<StoredRow> {
  readonly length: number;
  /** Their stored form. */
  readonly record: Uint8Array;
  /** The columns of all of them. @throws StoreFault `corrupt` */
  countColumns(): number;
}

/** Committed rows of a key, removed rows included. */
export type StoredRows = readonly StoredRow[] | LargeRows;

/** Committed rows by table and key, removed rows included. */
export interface RowSource {
  /** All rows of a key, decoded. */
  rows(table: ByteString, key: ByteString): readonly StoredRow[];
  /** The same for who goes through rows that may be many; where absent, no key has many. */
  stored?(table: ByteString, key: ByteString): StoredRows;
}

/** The rows of a key of a source. */
export function storedUnder(source: RowSource, table: ByteString, key: ByteString): StoredRows {
  return source.stored === undefined ? source.rows(table, key) : source.stored(table, key);
}

/** True for rows that are decoded at each reading. */
export function isLarge(rows: StoredRows): rows is LargeRows {
  return "record" in rows;
}

/** Whether a column enters the state root: no `_` begins or ends its name. Source: storage 1 */
export function isHashedColumn(name: ByteString): boolean {
  return !name.startsWith("_") && !name.endsWith("_");
}

/** Compares byte strings by bytes. */
export function compareBytes(left: ByteString, right: ByteString): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/**
 * Orders rows for hashing and for giving out ids: id, value of the key column, number of columns,
 * then the columns in name order, name before value. Source: storage 5; tx-block-codec 12.5
 */
export function compareRows(keyField: ByteString, left: RowView, right: RowView): number {
  if (left.id !== right.id) return left.id - right.id;
  const byKey = compareBytes(left.columns.get(keyField) ?? "", right.columns.get(keyField) ?? "");
  if (byKey !== 0) return byKey;
  if (left.columns.size !== right.columns.size) return left.columns.size - right.columns.size;
  return compareColumns(left.columns, right.columns);
}

/** The names of the columns in ascending byte order. */
export function sortedNames(columns: ReadonlyMap<ByteString, ByteString>): ByteString[] {
  return [...columns.keys()].sort(compareBytes);
}

type Columns = ReadonlyMap<ByteString, ByteString>;

function compareColumns(left: Columns, right: Columns): number {
  const leftNames = sortedNames(left);
  const rightNames = sortedNames(right);
  for (const [index, name] of leftNames.entries()) {
    const byName = compareBytes(name, rightNames[index] ?? "");
    if (byName !== 0) return byName;
    const byValue = compareBytes(left.get(name) ?? "", right.get(name) ?? "");
    if (byValue !== 0) return byValue;
  }
  return 0;
}

/** Columns that the estimate of a row covers. */
const PLAIN_COLUMNS = 4;
/** Memory of a column next to its text. Measured on Node 20. */
export const COLUMN_BYTES = 64;

/** Bytes of the columns beyond those that the estimate of a row covers. */
export function wideBytes(columns: number): number {
  return columns > PLAIN_COLUMNS ? (columns - PLAIN_COLUMNS) * COLUMN_BYTES : 0;
}

/** Bytes that a row takes besides what any row takes: its text, its columns when they are many. */
export function columnBytes(columns: ReadonlyMap<ByteString, ByteString>): number {
  return textBytes(columns.values()) + wideBytes(columns.size);
}

/** Bytes of text. */
export function textBytes(texts: Iterable<ByteString>): number {
  let bytes = 0;
  for (const { length } of texts) bytes += length;
  return bytes;
}
