/** What tables hold, checked before anything is sent. Source: console 4.6; precompiles 3 */
import { utf8Bytes } from "../../../../core/bytes/byte-string.ts";
import { SqlFault } from "./sql-fault.ts";
import type { CreateStatement } from "./sql-statement.ts";

const TABLE_NAME = 48;
const FIELD_NAME = 64;
const ALL_FIELDS = 1_024;
const KEY_BYTES = 255;
const VALUE_BYTES = 16 * 1024 * 1024 - 1;
const NAME = /^[0-9a-zA-Z$_@]+$/;

/** @throws SqlFault for a name that no table has */
export function requireTableName(table: string): void {
  if (!NAME.test(table)) {
    throw new SqlFault(
      `Invalid table name "${table}": letters, digits, $, _ and @ are allowed, at most ` +
        `${TABLE_NAME} of them.`,
    );
  }
  if (table.length > TABLE_NAME) {
    throw new SqlFault(
      `The table name has ${table.length} characters; the limit is ${TABLE_NAME}.`,
    );
  }
}

function requireFieldName(field: string): void {
  if (!NAME.test(field) || field.startsWith("_")) {
    throw new SqlFault(
      `Invalid field name "${field}": letters, digits, $, _ and @ are allowed, not _ in front.`,
    );
  }
  if (field.length > FIELD_NAME) {
    throw new SqlFault(
      `The field name "${field}" has ${field.length} characters; the limit is ${FIELD_NAME}.`,
    );
  }
}

/** @throws SqlFault for names that cannot be, or that are too long together */
export function requireColumns({ table, keyField, valueFields }: CreateStatement): void {
  requireTableName(table);
  for (const field of [keyField, ...valueFields]) requireFieldName(field);
  const { length } = valueFields.join(",");
  if (length > ALL_FIELDS)
    throw new SqlFault(`All field names have ${length} characters; the limit is ${ALL_FIELDS}.`);
}

/** @throws SqlFault for a key that is too long */
export function requireKey(key: string): void {
  const { length } = utf8Bytes(key);
  if (length > KEY_BYTES)
    throw new SqlFault(`The key has ${length} bytes; the limit is ${KEY_BYTES}.`);
}

/** @throws SqlFault for a value that is too long */
export function requireValue(field: string, value: string): void {
  const { length } = utf8Bytes(value);
  if (length > VALUE_BYTES) {
    throw new SqlFault(
      `The value of the field "${field}" has ${length} bytes; the limit is ${VALUE_BYTES}.`,
    );
  }
}
