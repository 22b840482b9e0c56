/** What tables, rows and their names may be, by version. Source: precompiles 3 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { version, type Version } from "../../model/version.ts";
import { familyTable } from "../../storage/system-tables.ts";
import type { RowView, TableSchema } from "../../storage/table.ts";
import { columnOf } from "./access-rows.ts";
import { PrecompiledFault, type PrecompiledFaultKind, stringsOutput } from "./contract.ts";
import { compactJson, type JsonValue } from "./json-text.ts";

const TABLE_NAME_LIMIT = 50;
/** Until 2.1.0, and in the message until 2.9.0. */
const OLD_TABLE_NAME_LIMIT = 64;
const FIELD_NAME_LIMIT = 64;
const FIELD_NAMES_LIMIT = 1_024;
const KEY_LIMIT = 255;
const VALUE_LIMIT = 16_777_215;

const NAME = /^[A-Za-z0-9$_@]*$/;
const NAME_HINT =
  'must be letters or numbers, and only supports "{$, _, @}" as special character set';
/** White space of the C locale. */
const BLANKS = " \t\n\v\f\r";

/** How the two table factories say the same. */
export interface LimitWords {
  readonly kind: PrecompiledFaultKind;
  badTable(name: ByteString): string;
  /** A name that is empty or begins with `_`. */
  reservedField(name: ByteString): string;
  badField(name: ByteString): string;
  duplicateField(name: ByteString): string;
}

/** Words of TableFactory, Table and CRUD. Source: precompiles 3 */
export const TABLE_WORDS: LimitWords = {
  kind: "storage",
  badTable: (name) => `Invalid table name "${name}", the table name ${NAME_HINT}`,
  reservedField: (name) =>
    `Invalid field "${name}", the size of the field must be larger than 0 and the field ` +
    `can't start with "_"`,
  badField: (name) => `Invalid field "${name}", the field name ${NAME_HINT}`,
  duplicateField: (name) => `duplicate field:${name}`,
};

/** Words of KVTableFactory and KVTable. Source: precompiles 3 */
export const KEY_VALUE_WORDS: LimitWords = {
  kind: "contract",
  badTable: (name) => `invalid tablename:${name}`,
  reservedField: (name) => `invalid field:${name}`,
  badField: (name) => `invalid field:${name}`,
  // As the reference spells it.
  duplicateField: (name) => `dumplicate field:${name}`,
};

/** A table as `createTable` is asked for. */
export interface TableRequest {
  readonly name: ByteString;
  readonly keyField: ByteString;
  /** Names joined by commas. */
  readonly fields: ByteString;
}

/**
 * The schema that a request means.
 *
 * @throws PrecompiledFault in the given words when it breaks a limit
 */
export function checkedSchema(
  request: TableRequest,
  chainVersion: Version,
  words: LimitWords,
): TableSchema {
  const keyField = trim(request.keyField);
  const fields = request.fields.split(",").map(trim);
  for (const field of [keyField, ...fields]) {
    if (field.length > FIELD_NAME_LIMIT)
      refuse(words, `table field name length overflow ${FIELD_NAME_LIMIT}`);
  }
  if (chainVersion >= version(2, 2, 0)) checkNames(request.name, [keyField, ...fields], words);
  if (fields.join(",").length > FIELD_NAMES_LIMIT)
    refuse(words, `total table field name length overflow ${FIELD_NAMES_LIMIT}`);
  const name = familyTable("user", request.name, chainVersion);
  const old = chainVersion <= version(2, 1, 0);
  if (name.length > (old ? OLD_TABLE_NAME_LIMIT : TABLE_NAME_LIMIT)) {
    const told = chainVersion < version(2, 9, 0) ? OLD_TABLE_NAME_LIMIT : TABLE_NAME_LIMIT;
    refuse(words, `tableName length overflow ${told}`);
  }
  return { name, keyField, fields, hashed: true };
}

function checkNames(table: ByteString, fields: readonly ByteString[], words: LimitWords): void {
  if (!NAME.test(table)) refuse(words, words.badTable(table));
  const seen = new Set<ByteString>();
  for (const field of fields) {
    if (seen.has(field)) refuse(words, words.duplicateField(field));
    seen.add(field);
    if (field === "" || field.startsWith("_")) refuse(words, words.reservedField(field));
    if (!NAME.test(field)) refuse(words, words.badField(field));
  }
}

/** @throws PrecompiledFault for a row key that is too long */
export function checkKey(key: ByteString, words: LimitWords): void {
  if (key.length > KEY_LIMIT) refuse(words, `size of value/key greater than${KEY_LIMIT}`);
}

/** @throws PrecompiledFault for a value that is too long */
export function checkValues(columns: ReadonlyMap<ByteString, ByteString>, words: LimitWords): void {
  for (const value of columns.values()) {
    if (value.length > VALUE_LIMIT) refuse(words, `size of value/key greater than${VALUE_LIMIT}`);
  }
}

/** Size of a row as gas counts it: names and values of its columns. Source: precompiles 2 */
export function rowCapacity(columns: ReadonlyMap<ByteString, ByteString>): number {
  let bytes = 0;
  for (const [name, value] of columns) bytes += name.length + value.length;
  return bytes;
}

/** Bytes of rows that are shown as one text: their memory alone would cost 540,000,000 gas. */
const SHOWN_LIMIT = 16 * 1024 * 1024;
/** What a control character takes more than other bytes: an escape of six. */
const ESCAPE_BYTES = 5;
const FIRST_PRINTABLE = 0x20;

/**
 * Bounds the text that is made of rows before it is made: gas, which would refuse it, is known
 * behind it only, and engines end with an error of their own at half a gigabyte.
 *
 * @throws PrecompiledFault
 */
export function requireShowable(rows: readonly RowView[]): void {
  let bytes = 0;
  for (const { columns } of rows) {
    bytes += rowCapacity(columns);
    if (bytes > SHOWN_LIMIT) break;
    for (const value of columns.values()) bytes += ESCAPE_BYTES * controlCharacters(value);
  }
  if (bytes > SHOWN_LIMIT) throw new PrecompiledFault("other", "too much to be shown");
}

function controlCharacters(text: ByteString): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < FIRST_PRINTABLE) count++;
  return count;
}

/** These columns of the rows, as a text. @throws PrecompiledFault for too many rows */
export function rowsOutput(rows: readonly RowView[], names: readonly string[]): Uint8Array {
  requireShowable(rows);
  return stringsOutput([compactJson(shownRows(rows, names))]);
}

/** These columns of the rows as JSON objects. */
export function shownRows(rows: readonly RowView[], names: readonly string[]): JsonValue[] {
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, columnOf(row, name)])));
}

function trim(text: ByteString): ByteString {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.includes(text.charAt(start))) start++;
  while (start < end && BLANKS.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function refuse(words: LimitWords, message: string): never {
  throw new PrecompiledFault(words.kind, message);
}
