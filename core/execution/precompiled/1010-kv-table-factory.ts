/** KVTableFactory at 0x1010: tables whose keys have one row. Source: precompiles 14 */
import type { CryptoSuite } from "../../crypto/suite.ts";
import { entryRow } from "../../storage/entry-row.ts";
import { assertColumn, type Table } from "../../storage/live-table.ts";
import { familyTable } from "../../storage/system-tables.ts";
import { createUserTable, openUserTable } from "./1001-table-factory.ts";
import { requireContractPermission } from "./access-rows.ts";
import {
  type PrecompiledCall,
  type PrecompiledContract,
  PrecompiledFault,
  registerObject,
} from "./contract.ts";
import { EntryObject, entryMethods, foundOutput } from "./entry-object.ts";
import {
  addressOutput,
  type MethodCall,
  objectMethods,
  type ObjectRunner,
  systemContract,
} from "./methods.ts";
import { KEY_VALUE_WORDS, rowCapacity } from "./table-limits.ts";
import { newRowOf, noteRows, TableObject } from "./table-object.ts";

/** Creates the contract for a suite. */
export function createKeyValueTableFactory(suite: CryptoSuite): PrecompiledContract {
  const tables = keyValueTableMethods(suite);
  return systemContract(suite, {
    "openTable(string)": (call) => {
      const table = openUserTable(call, call.text(0));
      if (table === undefined) {
        const name = familyTable("user", call.text(0), call.scope.overlay.options.version);
        throw new PrecompiledFault("contract", `${name} does not exist`);
      }
      return addressOutput(registerObject(call, new TableObject(tables, table)));
    },
    "createTable(string,string,string)": (call) =>
      createUserTable(call, KEY_VALUE_WORDS, (name) => {
        throw denied(call, `can't create table ${name}`);
      }),
  });
}

function keyValueTableMethods(suite: CryptoSuite): ObjectRunner<Table> {
  const entries = entryMethods(suite);
  return objectMethods<Table>(suite, {
    "get(string)": (call) => {
      const { target, text } = call;
      const rows = target.select(text(0));
      noteRows(call, rows);
      const [row] = rows;
      if (row === undefined) return foundOutput(undefined);
      target.pin(text(0), [row]);
      return foundOutput(
        registerObject(call, new EntryObject(entries, entryRow(row, target)), row.columns.size),
      );
    },
    "set(string,address)": set,
    "newEntry()": (call) => addressOutput(registerObject(call, new EntryObject(entries))),
  });
}

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
