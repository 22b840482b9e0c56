/** CRUD at 0x1002: rows of user tables by name, in JSON. Source: precompiles 6 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { looseRow } from "../../storage/entry-row.ts";
import { TABLES_TABLE } from "../../storage/system-tables.ts";
import { isHashedColumn } from "../../storage/table.ts";
import { openTable, openUserTable, userTable } from "./1001-table-factory.ts";
import { type PrecompiledCall, PrecompiledFault, stringsOutput } from "./contract.ts";
import { membersOf, readJson, textOf } from "./json-reader.ts";
import { sortedMembers, styledRows } from "./json-text.ts";
import { type Answer, type MethodCall, type Outcome, systemContract } from "./methods.ts";
import { isOperator, RowCondition } from "./row-condition.ts";
import {
  checkKey,
  checkValues,
  requireShowable,
  rowCapacity,
  TABLE_WORDS,
} from "./table-limits.ts";
import { countScan, insertRow, noteRows } from "./table-object.ts";

/** The contract. */
export const CRUD = systemContract({
  unknown: "unknownFunction",
  methods: {
    "insert(string,string,string,string)": insert,
    "update(string,string,string,string,string)": update,
    "remove(string,string,string,string)": remove,
    "select(string,string,string,string)": select,
    "desc(string)": describe,
  },
});

function insert(call: MethodCall): Outcome {
  const key = call.text(1);
  checkKey(key, TABLE_WORDS);
  const table = openUserTable(call, call.text(0));
  if (table === undefined) return "tableMissing";
  const columns = readEntry(call.text(2));
  if (columns === undefined) return "entryUnreadable";
  checkValues(columns, TABLE_WORDS);
  return insertRow(call, table, { key, row: looseRow(columns) });
}

function update(call: MethodCall): Outcome {
  const { overlay } = call.scope;
  const key = call.text(1);
  const table = openUserTable(call, call.text(0));
  if (table === undefined) return "tableMissing";
  const columns = readEntry(call.text(2));
  if (columns === undefined) return "entryUnreadable";
  if (overlay.since(2, 7, 0) && columns.has(table.schema.keyField)) return "keyFieldInEntry";
  const condition = readCondition(call, call.text(3));
  if (typeof condition === "string") return condition;
  checkValues(columns, TABLE_WORDS);
  if (!overlay.permits(table, call.origin)) return "permissionDenied";
  const filter = condition.filter(table.schema, key, overlay.options.version);
  const count = table.update(key, columns, filter);
  countScan(call, table, filter);
  call.gas.noteMemory(rowCapacity(columns) * count);
  call.gas.add("update", count);
  return count;
}

function remove(call: MethodCall): Outcome {
  const { overlay } = call.scope;
  const key = call.text(1);
  const table = openUserTable(call, call.text(0));
  if (table === undefined) return "tableMissing";
  const condition = readCondition(call, call.text(2));
  if (typeof condition === "string") return condition;
  if (!overlay.permits(table, call.origin)) return "permissionDenied";
  const filter = condition.filter(table.schema, key, overlay.options.version);
  const count = table.remove(key, filter);
  countScan(call, table, filter);
  call.gas.add("remove", count);
  return count;
}

function select(call: MethodCall): Answer {
  const [name, key] = [call.text(0), call.text(1)];
  const { overlay } = call.scope;
  const table = name === TABLES_TABLE ? openTable(call, TABLES_TABLE) : openUserTable(call, name);
  if (table === undefined) return "tableMissing";
  const condition = readCondition(call, call.text(2));
  if (typeof condition === "string") return condition;
  const filter = condition.filter(table.schema, key, overlay.options.version);
  const rows = table.select(key, filter);
  countScan(call, table, filter);
  noteRows(call, rows);
  requireShowable(rows);
  return stringsOutput([styledRows(rows)]);
}

/**
 * Key column and value columns of a user table; both empty when there is no such table. Read, and
 * charged, as a row of the table of tables: recorded receipts show it.
 */
function describe(call: MethodCall): Uint8Array {
  const tables = openTable(call, TABLES_TABLE);
  const rows = tables?.select(userTable(call, call.text(0))) ?? [];
  noteRows(call, rows);
  const columns = rows[0]?.columns;
  return stringsOutput([columns?.get("key_field") ?? "", columns?.get("value_field") ?? ""]);
}

/**
 * The columns of a JSON object; undefined for text that is not JSON.
 *
 * @throws PrecompiledFault for JSON that is no flat object
 */
function readEntry(text: ByteString): Map<ByteString, ByteString> | undefined {
  const node = readJson(text);
  if (node === undefined) return undefined;
  return new Map([...membersOf(node)].map(([name, value]) => [name, textOf(value)]));
}

/**
 * The condition of a JSON object, or the code that refuses it.
 *
 * @throws PrecompiledFault for JSON of another shape
 */
function readCondition(
  call: PrecompiledCall,
  text: ByteString,
): RowCondition | "conditionUnreadable" | "conditionOperationUnknown" {
  const node = readJson(text);
  if (node === undefined) return "conditionUnreadable";
  const condition = new RowCondition();
  // By name, as the reference keeps them; the last operator on a column's side counts.
  for (const [column, operations] of sortedMembers(membersOf(node))) {
    if (!isHashedColumn(column)) continue;
    for (const [operation, value] of sortedMembers(membersOf(operations))) {
      if (isOperator(operation)) {
        condition.add(operation, column, textOf(value));
        call.gas.add(operation);
      } else if (operation === "limit") {
        readLimit(condition, textOf(value));
        call.gas.add("limit");
      } else return "conditionOperationUnknown";
    }
  }
  return condition;
}

const LARGEST_COUNT = 2 ** 31 - 1;
const SMALLEST_COUNT = -(2 ** 31);
const COUNT = /^[+-]?[0-9]+$/;

/** What follows a second comma is not examined. */
function readLimit(condition: RowCondition, text: ByteString): void {
  const [offset, count] = text.split(",", 2).map(readCount);
  if (offset === undefined || count === undefined)
    throw new PrecompiledFault("other", "a limit needs two numbers");
  condition.limit(offset, count);
}

/** A signed number of 32 bits. */
function readCount(text: ByteString): number | undefined {
  const count = COUNT.test(text) ? Number(text) : Number.NaN;
  return count >= SMALLEST_COUNT && count <= LARGEST_COUNT ? count : undefined;
}
