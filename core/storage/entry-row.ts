/**
 * Rows that objects of contracts hold: an entry object that was inserted has the columns of the row
 * itself, and one of a select those of the row when this block made or changed it. What it is given
 * later reaches every row that has them, and no roll-back takes it back.
 * Source: architecture/execution "Rules that recorded ledgers showed"; storage 4
 */
import type { ByteString } from "../bytes/byte-string.ts";
import { ColumnFault, type Table } from "./live-table.ts";
import type { Overlay } from "./overlay.ts";
import {
  type Column,
  COLUMN_BYTES,
  hasOtherStoredKey,
  type LiveRow,
  ROW_NORMAL,
  type RowView,
  textBytes,
} from "./table.ts";

/** A row that no table holds yet. */
export function looseRow(columns: Map<ByteString, ByteString>): LiveRow {
  const places = { copies: 0, tables: new Set<Table>(), storedIn: undefined };
  return { id: 0, status: ROW_NORMAL, columns, withdrawn: false, places };
}

/** The row of a select for an object: itself when this block made or changed it, else a copy. */
export function entryRow(row: RowView, table: Table): LiveRow {
  if (!isLive(row)) return looseRow(new Map(row.columns));
  const storedIn = row.id === 0 ? undefined : table;
  row.places ??= { copies: 1, tables: new Set([table]), storedIn };
  return row;
}

function isLive(row: RowView): row is LiveRow {
  return "withdrawn" in row;
}

/**
 * Gives a row a column, whether or not its tables have it.
 *
 * @throws ColumnFault for the key of a row that an earlier block stored
 */
export function setRowColumn(overlay: Overlay, row: LiveRow, column: Column): void {
  if (hasOtherStoredKey(row, column)) throw new ColumnFault("a stored row keeps its key");
  const { copies = 0, tables = [] } = row.places ?? {};
  const bytes = Math.max(1, copies) * (COLUMN_BYTES + textBytes(column));
  // Asked first: the column stays when the transaction ends for want of room.
  overlay.allowance?.room(bytes);
  overlay.held += bytes;
  for (const table of tables) table.moveRow(row, column);
  row.columns.set(...column);
}
