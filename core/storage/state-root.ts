/**
 * The state root of a block: a hash over the rows the block changed, in the forms of all versions.
 */
import { bytesOf, type ByteString } from "../bytes/byte-string.ts";
import { joinBytes } from "../bytes/bytes.ts";
import { version, VERSION_RC2, type Version } from "../model/version.ts";
import { compareBytes, compareRows, isHashedColumn, sortedNames, type RowView } from "./table.ts";

/** What the root needs to know of an opened table. */
export interface RootTable {
  readonly name: ByteString;
  readonly keyField: ByteString;
  /** An insert, update or remove was called in this block. */
  readonly touched: boolean;
  /** Stored rows that the block changed. */
  readonly dirty: readonly RowView[];
  /** Rows of this block in order of insertion, withdrawn ones left out. */
  readonly inserted: readonly RowView[];
}

/** The rules of a chain. */
export interface RootRules {
  readonly version: Version;
  /** H from 2.5.0 on; SHA-256 (SM3 on a national chain) before. Source: tx-block-codec 12.4 */
  hash(data: Uint8Array): Uint8Array;
}

const ZERO_32 = new Uint8Array(32);
/** First version that hashes dirty rows before new rows. */
const DIRTY_FIRST = version(2, 2, 0);
/** First version that leaves out tables that were opened but not touched. */
const TOUCHED_ONLY = version(2, 5, 0);

/**
 * The state root over the opened tables that take part in it.
 *
 * @param tables in any order
 * @returns 32 bytes; zero when no table counts
 * Source: storage 5; tx-block-codec 12.4
 */
export function stateRoot(tables: readonly RootTable[], rules: RootRules): Uint8Array {
  const hashes: Uint8Array[] = [];
  for (const table of [...tables].sort((left, right) => compareBytes(left.name, right.name))) {
    if (rules.version >= TOUCHED_ONLY && !table.touched) continue;
    const hash = tableHash(table, rules);
    if (rules.version > VERSION_RC2 || hash !== ZERO_32) hashes.push(hash);
  }
  return hashes.length === 0 ? ZERO_32.slice() : rules.hash(joinBytes(hashes));
}

/** The hash of one table; zero when it was opened but not touched. Source: tx-block-codec 12.4 */
export function tableHash(table: RootTable, rules: RootRules): Uint8Array {
  if (!table.touched) return ZERO_32;
  const bytes = rules.version > VERSION_RC2 ? rowBytes(table, rules.version) : keyedRowBytes(table);
  return rules.hash(bytesOf(bytes));
}

function rowBytes(table: RootTable, chainVersion: Version): ByteString {
  const order = (left: RowView, right: RowView): number => compareRows(table.keyField, left, right);
  const rows =
    chainVersion >= DIRTY_FIRST
      ? [...[...table.dirty].sort(order), ...[...table.inserted].sort(order)]
      : [...table.dirty, ...table.inserted].sort(order);
  let bytes = "";
  for (const row of rows) bytes += columnBytes(row) + String.fromCharCode(row.status);
  return bytes;
}

function columnBytes(row: RowView): ByteString {
  let bytes = "";
  for (const name of sortedNames(row.columns)) {
    if (isHashedColumn(name)) bytes += name + (row.columns.get(name) ?? "");
  }
  return bytes;
}

/**
 * The form of 2.0.0-rc2: keys ascending, the key text, then its rows with their status as a column.
 */
function keyedRowBytes(table: RootTable): ByteString {
  const byKey = new Map<ByteString, RowView[]>();
  for (const row of [...table.dirty, ...table.inserted]) {
    const key = row.columns.get(table.keyField) ?? "";
    byKey.set(key, [...(byKey.get(key) ?? []), row]);
  }
  let bytes = "";
  for (const key of [...byKey.keys()].sort(compareBytes)) {
    bytes += key;
    for (const row of byKey.get(key) ?? []) bytes += columnsWithStatus(row);
  }
  return bytes;
}

function columnsWithStatus(row: RowView): ByteString {
  const columns = new Map([...row.columns].filter(([name]) => isHashedColumn(name)));
  columns.set("_status_", String(row.status));
  return sortedNames(columns).reduce((text, name) => text + name + (columns.get(name) ?? ""), "");
}
