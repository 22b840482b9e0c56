/** Table objects of a block: the rows of one user table. Source: precompiles 5 (Table) */
import type { ByteString } from "../../bytes/byte-string.ts";
import { looseRow } from "../../storage/entry-row.ts";
import { assertColumn, type Table } from "../../storage/live-table.ts";
import { COLUMN_BYTES, type LiveRow, type RowView } from "../../storage/table.ts";
import { requireContractPermission } from "./access-rows.ts";
import { CONDITION } from "./condition-object.ts";
import { addressOutput, type PrecompiledCall } from "./contract.ts";
import { ENTRIES, ENTRY } from "./entry-object.ts";
import { type MethodCall, ObjectKind, type Outcome } from "./methods.ts";
import { type ConditionFilter, RowCondition } from "./row-condition.ts";
import {
  checkKey,
  checkValues,
  type LimitWords,
  rowCapacity,
  TABLE_WORDS,
} from "./table-limits.ts";

type TableCall = MethodCall<Table>;

/** Tables. */
export const TABLE = new ObjectKind<Table>({
  "select(string,address)": (call) => {
    const { target, text } = call;
    const filter = filterOf(call, CONDITION.at(call, call.address(1)));
    const rows = target.select(text(0), filter);
    countScan(call, target, filter);
    noteRows(call, rows);
    target.pin(text(0), rows);
    return addressOutput(ENTRIES.register(call, { rows, table: target }));
  },
  "insert(string,address)": (call) => {
    requireContractPermission(call);
    return insertRow(call, call.target, newRowOf(call, TABLE_WORDS));
  },
  "update(string,address,address)": update,
  "remove(string,address)": remove,
  "newCondition()": (call) => addressOutput(CONDITION.register(call, new RowCondition())),
  "newEntry()": (call) => addressOutput(ENTRY.register(call, looseRow(new Map()))),
});

/** Work per column compared; see PrecompiledCall.work. */
const COLUMN_WORK = 60;

/** Counts the columns that an operation has just compared: gas counts only rows that it found. */
export function countScan(call: PrecompiledCall, table: Table, { columns }: ConditionFilter): void {
  call.work(table.scanned * COLUMN_WORK * columns);
}

/** Notes what reading rows costs. Source: precompiles 2 */
export function noteRows(call: PrecompiledCall, rows: readonly RowView[]): void {
  call.gas.noteMemory(rows.reduce((sum, row) => sum + rowCapacity(row.columns), 0));
  call.gas.add("select", rows.length);
}

/** The rows of the key, the first argument, that a condition means; it keeps the last key. */
function filterOf({ scope, target, text }: TableCall, condition: RowCondition): ConditionFilter {
  const { overlay } = scope;
  const known = condition.size;
  const filter = condition.filter(target.schema, text(0), overlay.options.version);
  overlay.held += text(0).length + (condition.size - known) * COLUMN_BYTES;
  return filter;
}

function update(call: TableCall): Outcome {
  const { target, text, address } = call;
  requireContractPermission(call);
  const { columns } = ENTRY.at(call, address(1));
  const condition = CONDITION.at(call, address(2));
  checkValues(columns, TABLE_WORDS);
  if (!call.scope.overlay.permits(target, call.origin)) return "permissionDenied";
  for (const name of columns.keys()) assertColumn(target.schema, name);
  const filter = filterOf(call, condition);
  const count = target.update(text(0), columns, filter);
  countScan(call, target, filter);
  // The size of the call data counts only while no row is changed, as recorded receipts show.
  if (count > 0) call.gas.setMemory(rowCapacity(columns) * count);
  call.gas.add("update", count);
  return count;
}

function remove(call: TableCall): Outcome {
  const { target, text } = call;
  requireContractPermission(call);
  const condition = CONDITION.at(call, call.address(1));
  if (!call.scope.overlay.permits(target, call.origin)) return "permissionDenied";
  const filter = filterOf(call, condition);
  const count = target.remove(text(0), filter);
  countScan(call, target, filter);
  call.gas.add("remove", count);
  return count;
}

/** A row to insert. */
interface NewRow {
  readonly key: ByteString;
  readonly row: LiveRow;
}

/** The row that key and entry make, the first two arguments. @throws PrecompiledFault */
export function newRowOf(call: TableCall, words: LimitWords): NewRow {
  const key = call.text(0);
  const row = ENTRY.at(call, call.address(1));
  checkKey(key, words);
  checkValues(row.columns, words);
  return { key, row };
}

/** Adds a row where the table's list permits it: 1, or the code for a refusal. */
export function insertRow(call: PrecompiledCall, table: Table, { key, row }: NewRow): Outcome {
  if (!call.scope.overlay.permits(table, call.origin)) return "permissionDenied";
  for (const name of row.columns.keys()) assertColumn(table.schema, name);
  const { columns } = table.adopt(key, row);
  call.gas.noteMemory(rowCapacity(columns));
  call.gas.add("insert");
  return 1;
}
