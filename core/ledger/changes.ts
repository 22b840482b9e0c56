/** From an executed overlay to rows with ids: what a block changes. Source: storage 6, 7 */
import type { ByteString } from "../bytes/byte-string.ts";
import type { StoreWrite } from "../ports/store.ts";
import type { Table } from "../storage/live-table.ts";
import type { Overlay } from "../storage/overlay.ts";
import { appendRows, encodeRows, encodeSeries } from "../storage/row-codec.ts";
import { BLOCK_TABLES, CURRENT_STATE_TABLE, rowsKey } from "../storage/system-tables.ts";
import {
  compareBytes,
  compareRows,
  isLarge,
  type LargeRows,
  ROW_NORMAL,
  type LiveRow,
  type RowView,
  type StoredRow,
  storedUnder,
} from "../storage/table.ts";
import { version, type Version } from "../model/version.ts";
import { STATE_KEY } from "./state-rows.ts";

/** Rows of one key after the block. */
export interface RowChange {
  readonly key: ByteString;
  /** Undefined when they are large or many: not kept decoded next to what is written. */
  readonly rows: readonly StoredRow[] | undefined;
  readonly write: StoreWrite;
}

/**
 * Larger rows of a key are decoded again when they are asked for. No record of this many bytes is
 * one of large rows, so that what a cache is given is what it would read.
 */
export const KEPT_BYTES = 32_768;
/**
 * This many rows of a block stay decoded until it is written: more than a cache takes is in vain.
 */
const KEPT_ROWS = 100_000;
/** Row id of `current_id` itself. Source: storage 6 */
const CURRENT_ID_ROW = 1;
/** Last id before the first one given out. Source: storage 6 */
const FIRST_COUNTER = 100_001;
/** The same before 2.2.0. */
const OLD_FIRST_COUNTER = 1;

/** The counter of a group that has given out no id. Source: storage 6 */
export function initialIdCounter(chainVersion: Version): number {
  return chainVersion >= version(2, 2, 0) ? FIRST_COUNTER : OLD_FIRST_COUNTER;
}

/** What gives ids besides the overlay. */
interface IdSource {
  /** Last id given out. */
  readonly counter: number;
  /** Rows of the block store that take ids, by table. */
  readonly blockRows: ReadonlyMap<ByteString, number>;
}

/** The rows of the block store that a block adds. Source: tx-block-codec 12.5 */
export function blockStoreRows(
  transactions: number,
  isGenesis: boolean,
): ReadonlyMap<ByteString, number> {
  const counts = new Map<ByteString, number>([
    [BLOCK_TABLES.block, 1],
    [BLOCK_TABLES.number, 1],
  ]);
  if (isGenesis) return counts;
  counts.set(BLOCK_TABLES.nonces, 1).set(BLOCK_TABLES.header, 1);
  return counts.set(BLOCK_TABLES.transaction, transactions);
}

/**
 * Gives ids to the new rows of a block and merges all changed rows with what is stored.
 *
 * @param number the block's number, kept in each changed row
 * Source: storage 6
 */
export function collectChanges(overlay: Overlay, number: number, ids: IdSource): RowChange[] {
  const tables = new Map(overlay.tables().map((table) => [table.schema.name, table]));
  const names = new Set([...tables.keys(), ...ids.blockRows.keys()]);
  const changes: RowChange[] = [];
  let counter = ids.counter;
  let room = KEPT_ROWS;
  const keep = (change: RowChange): RowChange => {
    const { length } = change.rows ?? [];
    if (length > room) return { ...change, rows: undefined };
    room -= length;
    return change;
  };
  for (const name of [...names].sort(compareBytes)) {
    counter += ids.blockRows.get(name) ?? 0;
    const table = tables.get(name);
    if (table === undefined || !table.touched) continue;
    const numbered = numberRows(table, counter, number);
    counter += numbered.length;
    // One by one: a block may change more rows than a call may have arguments.
    for (const change of mergeTable(overlay, table, numbered, number)) changes.push(keep(change));
  }
  changes.push(counterChange(counter, number));
  return changes;
}

function numberRows(table: Table, counter: number, number: number): StoredRow[] {
  const { keyField } = table.schema;
  return table.newRows
    .filter((row) => !row.withdrawn)
    .sort((left, right) => compareRows(keyField, left, right))
    .map((row, index) => stored(row, { id: counter + index + 1, number }));
}

function* mergeTable(
  overlay: Overlay,
  table: Table,
  numbered: readonly StoredRow[],
  number: number,
): Generator<RowChange, void> {
  const { keyField, name } = table.schema;
  const keyOf = (row: RowView): ByteString => row.columns.get(keyField) ?? "";
  const added = new Map<ByteString, StoredRow[]>();
  for (const row of table.dirtyRows.values()) if (!added.has(keyOf(row))) added.set(keyOf(row), []);
  for (const row of numbered) {
    const rows = added.get(keyOf(row));
    if (rows === undefined) added.set(keyOf(row), [row]);
    else rows.push(row);
  }
  const current = (row: StoredRow): StoredRow => {
    const dirty: LiveRow | undefined = table.dirtyRows.get(row.id);
    return dirty === undefined ? row : stored(dirty, { id: row.id, number });
  };
  let dirtyKeys: Set<ByteString> | undefined;
  for (const [key, fresh] of added) {
    const before = storedUnder(overlay.options.source, name, key);
    if (isLarge(before)) {
      dirtyKeys ??= new Set([...table.dirtyRows.values()].map(keyOf));
      const value = dirtyKeys.has(key)
        ? encodeSeries(key, before.length + fresh.length, replaced(before, current, fresh))
        : appendRows(key, before, fresh);
      const place = rowsKey(name, key);
      yield { key: place, rows: undefined, write: { key: place, value } };
    } else yield rowChange(name, key, [...before.map(current), ...fresh]);
  }
}

/** Many rows after the block, made while they are gone through. */
function* replaced(
  rows: LargeRows,
  current: (row: StoredRow) => StoredRow,
  fresh: readonly StoredRow[],
): Generator<StoredRow, void> {
  for (const row of rows) yield current(row);
  yield* fresh;
}

function stored(row: RowView, place: { readonly id: number; readonly number: number }): StoredRow {
  return { ...place, status: row.status, columns: row.columns };
}

function rowChange(table: ByteString, rowKey: ByteString, rows: readonly StoredRow[]): RowChange {
  const key = rowsKey(table, rowKey);
  const value = encodeRows(rowKey, rows);
  return { key, rows: value.length <= KEPT_BYTES ? rows : undefined, write: { key, value } };
}

function counterChange(counter: number, number: number): RowChange {
  const columns = new Map([
    ["key", STATE_KEY.id],
    ["value", String(counter)],
  ]);
  return rowChange(CURRENT_STATE_TABLE, STATE_KEY.id, [
    { id: CURRENT_ID_ROW, number, status: ROW_NORMAL, columns },
  ]);
}
