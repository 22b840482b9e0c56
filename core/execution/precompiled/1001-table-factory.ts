/** TableFactory at 0x1001: makes and opens user tables. Source: precompiles 5 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { ZERO_ADDRESS } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import type { Table } from "../../storage/live-table.ts";
import { familyTable, TABLES_TABLE } from "../../storage/system-tables.ts";
import type { TableSchema } from "../../storage/table.ts";
import { requireContractPermission } from "./contract-permission.ts";
import {
  int256Output,
  type PrecompiledCall,
  type PrecompiledContract,
  registerObject,
} from "./contract.ts";
import { addressOutput, type ObjectCall, objectMethods } from "./object-methods.ts";
import { checkedSchema, type LimitWords, TABLE_WORDS } from "./table-limits.ts";
import { tableMethods, TableObject } from "./table-object.ts";

/** Creates the contract for a suite. */
export function createTableFactory(suite: CryptoSuite): PrecompiledContract {
  const tables = tableMethods(suite);
  const methods = objectMethods<undefined>(suite, {
    "openTable(string)": ({ call, text }) => {
      const table = openUserTable(call, text(0));
      if (table === undefined) return addressOutput(ZERO_ADDRESS);
      return addressOutput(registerObject(call, new TableObject(tables, table)));
    },
    "createTable(string,string,string)": (request) => {
      const { call } = request;
      const made = createUserTable(request, TABLE_WORDS);
      if (made.result === "denied") return int256Output(precompiledCode("permissionDenied"));
      if (made.result === "exists") return int256Output(precompiledCode("tableNameExists"));
      call.gas.add("createTable");
      return int256Output(0);
    },
  });
  return { run: (call) => methods(call, undefined) };
}

/** Opens a user table; charged for whether it is there or not. */
export function openUserTable(call: PrecompiledCall, name: ByteString): Table | undefined {
  const { overlay } = call.scope;
  call.gas.add("openTable");
  return overlay.open(familyTable("user", name, overlay.options.version));
}

/** What came of creating a table. */
export interface TableCreation {
  readonly result: "made" | "exists" | "denied";
  readonly schema: TableSchema;
}

/**
 * Registers the table that the three arguments of `createTable` describe.
 *
 * @throws PrecompiledFault for a caller without permission and for every limit
 */
export function createUserTable(
  { call, text }: ObjectCall<undefined>,
  words: LimitWords,
): TableCreation {
  const { overlay } = call.scope;
  requireContractPermission(call);
  const request = { name: text(0), keyField: text(1), fields: text(2) };
  const schema = checkedSchema(request, overlay.options.version, words);
  const tables = overlay.systemTable(TABLES_TABLE);
  if (tables.select(schema.name).length > 0) return { result: "exists", schema };
  if (!overlay.permits(tables, call.origin)) return { result: "denied", schema };
  overlay.registerForUser(schema);
  return { result: "made", schema };
}
