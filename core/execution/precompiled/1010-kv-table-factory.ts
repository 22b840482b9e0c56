/** KVTableFactory at 0x1010: tables whose keys have one row. Source: precompiles 14 */
import { entryRow, looseRow } from "../../storage/entry-row.ts";
import { assertColumn, type Table } from "../../storage/live-table.ts";
import { createUserTable, openUserTable, userTable } from "./1001-table-factory.ts";
import { requireContractPermission } from "./access-rows.ts";
import { addressOutput, type PrecompiledCall, PrecompiledFault } from "./contract.ts";
import { ENTRY, foundOutput } from "./entry-object.ts";
import { type MethodCall, ObjectKind, systemContract } from "./methods.ts";
import { KEY_VALUE_WORDS, rowCapacity } from "./table-limits.ts";
import { newRowOf, noteRows } from "./table-object.ts";

const KEY_VALUE_TABLE = new ObjectKind<Table>({
  "get(string)": (call) => {
    const { target, text } = call;
    const rows = target.select(text(0));
    noteRows(call, rows);
    const [row] = rows;
    if (row === undefined) return foundOutput(undefined);
    target.pin(text(0), [row]);
    return foundOutput(ENTRY.register(call, entryRow(row, target), row.columns.size));
  },
  "set(string,address)": set,
  "newEntry()": (call) => addressOutput(ENTRY.register(call, looseRow(new Map()))),
});

/** The contract. */
export const KEY_VALUE_TABLE_FACTORY = systemContract({
  methods: {
    "openTable(string)": (call) => {
      const table = openUserTable(call, call.text(0));
      if (table !== undefined) return addressOutput(KEY_VALUE_TABLE.register(call, table));
      throw new PrecompiledFault("contract", `${userTable(call, call.text(0))} does not exist`);
    },
    "createTable(string,string,string)": (call) =>
      createUserTable(call, KEY_VALUE_WORDS, (name) => {
        throw denied(call, `can't create table ${name}`);
      }),
  },
});

function set(call: MethodCall<Table>): number {
  const { target } = call;
  requireContractPermission(call);
  const { key, row } = newRowOf(call, KEY_VALUE_WORDS);
  const { columns } = row;
  const rows = target.select(key);
  noteRows(call, rows);
  if (!call.scope.overlay.permits(target, call.origin))
    throw denied(call, `can't write ${target.schema.name}`);
  if (rows.length > 0) {
    const count = target.update(key, columns);
    call.gas.setMemory(rowCapacity(columns) * count);
    call.gas.add("update", count);
    return count;
  }
  for (const name of columns.keys()) assertColumn(target.schema, name);
  call.gas.setMemory(rowCapacity(target.adopt(key, row).columns));
  call.gas.add("insert");
  return 1;
}

function denied(call: PrecompiledCall, what: string): PrecompiledFault {
  return new PrecompiledFault("contract", `Permission denied. ${call.origin.slice(2)} ${what}`);
}
