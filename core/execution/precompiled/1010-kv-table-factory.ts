/** KVTableFactory at 0x1010: tables whose keys have one row. Source: precompiles 14 */
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import { entryRow } from "../../storage/entry-row.ts";
import { assertColumn, type Table } from "../../storage/live-table.ts";
import { familyTable } from "../../storage/system-tables.ts";
import { createUserTable, openUserTable } from "./1001-table-factory.ts";
import { requireContractPermission } from "./contract-permission.ts";
import {
  int256Output,
  type PrecompiledCall,
  type PrecompiledContract,
  PrecompiledFault,
  registerObject,
} from "./contract.ts";
import { EntryObject, entryMethods, foundOutput } from "./entry-object.ts";
import {
  addressOutput,
  type ObjectCall,
  objectMethods,
  type ObjectRunner,
} from "./object-methods.ts";
import { KEY_VALUE_WORDS, rowCapacity } from "./table-limits.ts";
import { newRowOf, noteRows, TableObject } from "./table-object.ts";

/** Creates the contract for a suite. */
export function createKeyValueTableFactory(suite: CryptoSuite): PrecompiledContract {
  const tables = keyValueTableMethods(suite);
  const methods = objectMethods<undefined>(suite, {
    "openTable(string)": ({ call, text }) => {
      const table = openUserTable(call, text(0));
      if (table === undefined) {
        const name = familyTable("user", text(0), call.scope.overlay.options.version);
        throw new PrecompiledFault("contract", `${name} does not exist`);
      }
      return addressOutput(registerObject(call, new TableObject(tables, table)));
    },
    "createTable(string,string,string)": createTable,
  });
  return { run: (call) => methods(call, undefined) };
}

function createTable(request: ObjectCall<undefined>): Uint8Array {
  const { call } = request;
  const { result, schema } = createUserTable(request, KEY_VALUE_WORDS);
  if (result === "denied") throw denied(call, `can't create table ${schema.name}`);
  if (result === "exists") return int256Output(precompiledCode("tableNameExists"));
  call.gas.add("createTable");
  return int256Output(0);
}

function keyValueTableMethods(suite: CryptoSuite): ObjectRunner<Table> {
  const entries = entryMethods(suite);
  return objectMethods<Table>(suite, {
    "get(string)": ({ call, target, text }) => {
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
    "newEntry()": ({ call }) => addressOutput(registerObject(call, new EntryObject(entries))),
  });
}

function set(request: ObjectCall<Table>): Uint8Array {
  const { call, target } = request;
  requireContractPermission(call);
  const { key, row } = newRowOf(request, KEY_VALUE_WORDS);
  const { columns } = row;
  const rows = target.select(key);
  noteRows(call, rows);
  if (!call.scope.overlay.permits(target, call.origin))
    throw denied(call, `can't write ${target.schema.name}`);
  if (rows.length > 0) {
    const count = target.update(key, columns);
    call.gas.setMemory(rowCapacity(columns) * count);
    call.gas.add("update", count);
    return int256Output(count);
  }
  for (const name of columns.keys()) assertColumn(target.schema, name);
  call.gas.setMemory(rowCapacity(target.adopt(key, row).columns));
  call.gas.add("insert");
  return int256Output(1);
}

function denied(call: PrecompiledCall, what: string): PrecompiledFault {
  return new PrecompiledFault("contract", `Permission denied. ${call.origin.slice(2)} ${what}`);
}
