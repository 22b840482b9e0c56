/**
 * Who may write what: rows of `_sys_table_access_`, committee and operators among them.
 * Source: execution 8; precompiles 9, 12
 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { ACCESS_TABLE } from "../../storage/system-tables.ts";
import type { RowFilter, RowView } from "../../storage/table.ts";
import type { PrecompiledScope } from "./contract.ts";

/** The rows of a table's list; with an address, those of that address. */
export function accessRows(
  scope: PrecompiledScope,
  table: ByteString,
  address?: ByteString,
): readonly RowView[] {
  const filter = address === undefined ? undefined : ofAddress(address);
  return scope.overlay.systemTable(ACCESS_TABLE).select(table, filter);
}

/** Adds an address to a table's list; in force from the next block on. Source: execution 8 */
export function addAccess(scope: PrecompiledScope, table: ByteString, address: ByteString): void {
  scope.overlay.systemTable(ACCESS_TABLE).insert(table, [
    ["address", address],
    ["enable_num", String(scope.parentNumber + 1)],
  ]);
}

/** Takes an address off a table's list; returns the number of rows. */
export function removeAccess(
  scope: PrecompiledScope,
  table: ByteString,
  address: ByteString,
): number {
  return scope.overlay.systemTable(ACCESS_TABLE).remove(table, ofAddress(address));
}

/** Whether the address is in the committee, a grant of this block included. */
export function isCommitteeMember(scope: PrecompiledScope, address: ByteString): boolean {
  return accessRows(scope, ACCESS_TABLE, address).length > 0;
}

/** Whether the origin may change the lists. Source: execution 8 */
export function mayChangeAccess(scope: PrecompiledScope, origin: string): boolean {
  return scope.overlay.permits(scope.overlay.systemTable(ACCESS_TABLE), origin);
}

/** A column of a row; empty when it is missing. */
export function columnOf(row: RowView, name: ByteString): ByteString {
  return row.columns.get(name) ?? "";
}

/** Rows whose column has that value. */
export function whereColumn(name: ByteString, value: ByteString): RowFilter {
  return { test: (row) => columnOf(row, name) === value };
}

function ofAddress(address: ByteString): RowFilter {
  return whereColumn("address", address);
}
