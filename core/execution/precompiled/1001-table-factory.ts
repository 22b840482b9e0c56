/** TableFactory at 0x1001: makes and opens user tables. Source: precompiles 5 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { ZERO_ADDRESS } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import type { Table } from "../../storage/live-table.ts";
import { familyTable, TABLES_TABLE } from "../../storage/system-tables.ts";
import { requireContractPermission } from "./access-rows.ts";
import { type PrecompiledCall, type PrecompiledContract, registerObject } from "./contract.ts";
import { addressOutput, type MethodCall, type Outcome, systemContract } from "./methods.ts";
import { checkedSchema, type LimitWords, TABLE_WORDS } from "./table-limits.ts";
import { tableMethods, TableObject } from "./table-object.ts";

/** Creates the contract for a suite. */
export function createTableFactory(suite: CryptoSuite): PrecompiledContract {
  const tables = tableMethods(suite);
  return systemContract(suite, {
    "openTable(string)": (call) => {
      const table = openUserTable(call, call.text(0));
      if (table === undefined) return addressOutput(ZERO_ADDRESS);
      return addressOutput(registerObject(call, new TableObject(tables, table)));
    },
    "createTable(string,string,string)": (call) =>
      createUserTable(call, TABLE_WORDS, () => "permissionDenied"),
  });
}

/** Opens a user table; charged for whether it is there or not. */
export function openUserTable(call: PrecompiledCall, name: ByteString): Table | undefined {
  const { overlay } = call.scope;
  call.gas.add("openTable");
  return overlay.open(familyTable("user", name, overlay.options.version));
}

/**
 * Registers the table that the three arguments of `createTable` describe.
 *
 * @param denied what an origin is answered that may make no tables
 * @throws PrecompiledFault for a caller without permission and for every limit
 */
export function createUserTable(
  call: MethodCall,
  words: LimitWords,
  denied: (name: ByteString) => Outcome,
): Outcome {
  const { overlay } = call.scope;
  requireContractPermission(call);
  const request = { name: call.text(0), keyField: call.text(1), fields: call.text(2) };
  const schema = checkedSchema(request, overlay.options.version, words);
  const tables = overlay.systemTable(TABLES_TABLE);
  if (tables.select(schema.name).length > 0) return "tableNameExists";
  if (!overlay.permits(tables, call.origin)) return denied(schema.name);
  overlay.registerForUser(schema);
  call.gas.add("createTable");
  return 0;
}
