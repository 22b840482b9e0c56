/**
 * Rows put into the store of a test chain, as system contracts that are not built will write them.
 */
import type { Address } from "../../../core/bytes/ids.ts";
import { encodeRows } from "../../../core/storage/row-codec.ts";
import { storedRows } from "../../../core/storage/row-cache.ts";
import { accountTable, rowsKey, TABLES_TABLE } from "../../../core/storage/system-tables.ts";
import { openTestChain, type TestChain } from "./test-chain.ts";

const ACCESS = "_sys_table_access_";

/** A row to be added. */
export interface RowAddition {
  readonly table: string;
  readonly key: string;
  readonly columns: Readonly<Record<string, string>>;
}

/** Opens the chain anew with one more row in its store. */
export async function withRow(chain: TestChain, row: RowAddition): Promise<TestChain> {
  const { table, key } = row;
  const columns = new Map(Object.entries(row.columns));
  const added = { id: 900_000, number: 1, status: 0, columns };
  const rows = [...storedRows(chain.store, table, key), added];
  const write = { key: rowsKey(table, key), value: encodeRows(key, rows) };
  await chain.store.commit([write], { durable: true });
  return openTestChain({ store: chain.store, version: chain.version, genesis: chain.genesis });
}

/** Lets an address write a table; others may not from then on. Source: execution 8 */
export function grant(
  chain: TestChain,
  table: string,
  address: Address,
  enabled = "0",
): Promise<TestChain> {
  const columns = { table_name: table, address, enable_num: enabled };
  return withRow(chain, { table: ACCESS, key: table, columns });
}

/** Freezes an account or a contract that has a table. Source: execution 8 */
export function freeze(chain: TestChain, address: Address): Promise<TestChain> {
  return withRow(chain, {
    table: accountTable(address, chain.version),
    key: "frozen",
    columns: { key: "frozen", value: "true" },
  });
}

/** Registers the table of an account and gives it one row. Source: storage 2, 3 */
export async function withAccountRow(
  chain: TestChain,
  address: Address,
  row: { readonly key: string; readonly value: string },
): Promise<TestChain> {
  const table = accountTable(address, chain.version);
  const schema = { table_name: table, key_field: "key", value_field: "value" };
  const registered = await withRow(chain, { table: TABLES_TABLE, key: table, columns: schema });
  return withRow(registered, { table, key: row.key, columns: { ...row } });
}
