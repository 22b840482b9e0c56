/**
 * Who may write what: rows of `_sys_table_access_`, committee and operators among them, and the
 * list of a calling contract's own table. Source: execution 8; precompiles 5, 8, 9, 12
 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { type Address, ZERO_ADDRESS } from "../../bytes/ids.ts";
import type { Table } from "../../storage/live-table.ts";
import { ACCESS_TABLE } from "../../storage/system-tables.ts";
import type { Column, RowFilter, RowView } from "../../storage/table.ts";
import { type PrecompiledCall, PrecompiledFault, type PrecompiledScope } from "./contract.ts";

/** The rows of a table's list; with an address, those of that address. */
export function accessRows(
  scope: PrecompiledScope,
  table: ByteString,
  address?: ByteString,
): readonly RowView[] {
  const filter = address === undefined ? undefined : whereColumn("address", address);
  return scope.overlay.systemTable(ACCESS_TABLE).select(table, filter);
}

/** Adds an address to a table's list; in force from the next block on. Source: execution 8 */
export function addAccess(scope: PrecompiledScope, table: ByteString, address: ByteString): void {
  scope.overlay.systemTable(ACCESS_TABLE).insert(table, fromNextBlock(scope, { address }));
}

/** Takes an address off a table's list; returns the number of rows. */
export function removeAccess(
  scope: PrecompiledScope,
  table: ByteString,
  address: ByteString,
): number {
  return scope.overlay.systemTable(ACCESS_TABLE).remove(table, whereColumn("address", address));
}

/** Whether the address is in the committee, a grant of this block included. */
export function isCommitteeMember(scope: PrecompiledScope, address: ByteString): boolean {
  return accessRows(scope, ACCESS_TABLE, address).length > 0;
}

/** Whether the origin may change the lists. Source: execution 8 */
export function mayChangeAccess(scope: PrecompiledScope, origin: string): boolean {
  return scope.overlay.permits(scope.overlay.systemTable(ACCESS_TABLE), origin);
}

/**
 * Refuses an origin that the list of the calling contract leaves out; from 2.3.0 on.
 *
 * @throws PrecompiledFault with a text that receipts show
 */
export function requireContractPermission(call: PrecompiledCall): void {
  const { overlay, accounts } = call.scope;
  if (!overlay.since(2, 3, 0)) return;
  const table = accounts.get(call.sender)?.table;
  if (table === undefined || overlay.permits(table, call.origin)) return;
  const [origin, contract] = [call.origin.slice(2), call.sender.slice(2)];
  throw new PrecompiledFault(
    "contract",
    `Permission denied. ${origin} can't call contract ${contract}`,
  );
}

/** A column of a row; empty when it is missing. */
export function columnOf(row: RowView, name: ByteString): ByteString {
  return row.columns.get(name) ?? "";
}

/** Rows whose column has that value. */
export function whereColumn(name: ByteString, value: ByteString): RowFilter {
  return { test: (row) => columnOf(row, name) === value };
}

/** Updates the rows of the key that pass the filter, or adds one; returns their number. */
export function putRow(
  table: Table,
  key: ByteString,
  columns: readonly Column[],
  filter: RowFilter,
): number {
  if (table.select(key, filter).length > 0) return table.update(key, columns, filter);
  table.insert(key, columns);
  return 1;
}

/** Columns of a row that is in force from the next block on. */
export function fromNextBlock(
  { parentNumber }: PrecompiledScope,
  columns: Readonly<Record<string, ByteString>>,
): readonly Column[] {
  return [...Object.entries(columns), ["enable_num", String(parentNumber + 1)]];
}

const HEX_TEXT = /^(?:0x)?[0-9a-fA-F]*$/;
const ADDRESS_DIGITS = /^(?:0x)?([0-9a-fA-F]{40})$/;

/** Only other characters than hexadecimal digits make a text unacceptable, not its length. */
export function isHexText(text: ByteString): boolean {
  return HEX_TEXT.test(text);
}

/** The address of a hexadecimal text; the zero address when it has another length. */
export function addressOfText(text: ByteString): Address {
  const digits = ADDRESS_DIGITS.exec(text)?.[1];
  return digits === undefined ? ZERO_ADDRESS : (`0x${digits.toLowerCase()}` as Address);
}
