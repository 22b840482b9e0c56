/** The tables every group has, and where their rows lie in the store. */
import type { ByteString } from "../bytes/byte-string.ts";
import type { TableSchema } from "./table.ts";
import { version, type Version } from "../model/version.ts";

/** Schemas of user and account tables. Source: storage 2 */
export const TABLES_TABLE = "_sys_tables_";
/** Roles of nodes. Source: storage 2 */
export const CONSENSUS_TABLE = "_sys_consensus_";
/** Permitted writers per table. Source: storage 2; execution 8 */
export const ACCESS_TABLE = "_sys_table_access_";
/** System configuration. Source: storage 2 */
export const CONFIG_TABLE = "_sys_config_";
/** Contract names. Source: storage 2 */
export const CNS_TABLE = "_sys_cns_";
/** Counters of the ledger: the one table of rows outside the state root. Source: storage 2 */
export const CURRENT_STATE_TABLE = "_sys_current_state_";

function schema(name: string, keyField: string, fields: readonly string[]): TableSchema {
  return { name, keyField, fields, hashed: true };
}

/** The system tables that execution may open. Source: storage 2 */
const SYSTEM_TABLES: ReadonlyMap<ByteString, TableSchema> = new Map(
  [
    schema(TABLES_TABLE, "table_name", ["key_field", "value_field"]),
    schema(CONSENSUS_TABLE, "name", ["type", "node_id", "enable_num"]),
    schema(ACCESS_TABLE, "table_name", ["address", "enable_num"]),
    schema(CONFIG_TABLE, "key", ["value", "enable_num"]),
    schema(CNS_TABLE, "name", ["version", "address", "abi"]),
    { ...schema(CURRENT_STATE_TABLE, "key", ["value"]), hashed: false },
  ].map((table) => [table.name, table]),
);

/**
 * Tables of the block store: their content lies under keys of its own, but their rows take ids.
 * Source: storage 6; tx-block-codec 12.5
 */
export const BLOCK_TABLES = {
  nonces: "_sys_block_2_nonces_",
  block: "_sys_hash_2_block_",
  header: "_sys_hash_2_header_",
  number: "_sys_number_2_hash_",
  transaction: "_sys_tx_hash_2_block_",
} as const;

/** Schema of a system table; undefined for every other name. */
export function systemTable(name: ByteString): TableSchema | undefined {
  return SYSTEM_TABLES.get(name);
}

/** Families of tables whose names changed with 2.2.0. Source: storage 2; tx-block-codec 12.2 */
const FAMILY_NAMES = {
  account: { now: ["c_", ""], before: ["_contract_data_", "_"] },
  user: { now: ["u_", ""], before: ["_user_", ""] },
  parallel: { now: ["cp_", ""], before: ["_contract_parafunc_", "_"] },
} as const;

/**
 * Name of a table of a family.
 *
 * @param name user's table name, or 40 lower-case hexadecimal digits
 * Source: storage 2
 */
export function familyTable(
  family: keyof typeof FAMILY_NAMES,
  name: ByteString,
  chainVersion: Version,
): ByteString {
  const forms = FAMILY_NAMES[family];
  const [before, after] = chainVersion >= version(2, 2, 0) ? forms.now : forms.before;
  return before + name + after;
}

/** Name of an account's table. @param address `0x` and 40 lower-case hexadecimal digits */
export function accountTable(address: string, chainVersion: Version): ByteString {
  return familyTable("account", address.slice(2), chainVersion);
}

/** Store key of the rows of a row key. Source: architecture/storage "Keys of the store" */
export function rowsKey(table: ByteString, rowKey: ByteString): ByteString {
  return `r${table}\0${rowKey}`;
}
