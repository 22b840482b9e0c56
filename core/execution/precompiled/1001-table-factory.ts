/** TableFactory at 0x1001: makes and opens user tables. Source: precompiles 5 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { ZERO_ADDRESS } from "../../bytes/ids.ts";
import type { Table } from "../../storage/live-table.ts";
import { familyTable, TABLES_TABLE } from "../../storage/system-tables.ts";
import { requireContractPermission } from "./access-rows.ts";
import { addressOutput, type PrecompiledCall } from "./contract.ts";
import { type MethodCall, type Outcome, systemContract } from "./methods.ts";
import { checkedSchema, type LimitWords, TABLE_WORDS } from "./table-limits.ts";
import { TABLE } from "./table-object.ts";

/** The contract. */
export const TABLE_FACTORY = systemContract({
  methods: {
    "openTable(string)": (call) => {
      const table = openUserTable(call, call.text(0));
      return addressOutput(table === undefined ? ZERO_ADDRESS : TABLE.register(call, table));
    },
    "createTable(string,string,string)": (call) =>
      createUserTable(call, TABLE_WORDS, () => "permissionDenied"),
  },
});

/** Name of a user's table as it is registered. */
export function userTable({ scope }: PrecompiledCall, name: ByteString): ByteString {
  return familyTable("user", name, scope.overlay.options.version);
}

/** Opens a user table. */
export function openUserTable(call: PrecompiledCall, name: ByteString): Table | undefined {
  return openTable(call, userTable(call, name));
}

/** Charged for whether the table is there or not, as recorded receipts show. */
export function openTable(call: PrecompiledCall, name: ByteString): Table | undefined {
  call.gas.add("openTable");
  return call.scope.overlay.open(name);
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
