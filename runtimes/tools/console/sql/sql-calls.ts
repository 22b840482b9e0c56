/**
 * Statements as calls of the contract of tables: the key apart, entries and conditions as JSON.
 * Source: console 4.6; precompiles 6
 */
import { SqlFault } from "./sql-fault.ts";
import { requireKey, requireValue } from "./sql-limits.ts";
import type {
  InsertStatement,
  SelectStatement,
  SqlFilter,
  SqlOperator,
  UpdateStatement,
} from "./sql-statement.ts";

/** The fields of a table. */
export interface TableFields {
  readonly table: string;
  readonly keyField: string;
  readonly valueFields: readonly string[];
}

const OPERATIONS: Readonly<Record<SqlOperator, string>> = {
  "=": "eq",
  "!=": "ne",
  ">": "gt",
  ">=": "ge",
  "<": "lt",
  "<=": "le",
};

function requireField({ table, keyField, valueFields }: TableFields, field: string): void {
  if (field === keyField || valueFields.includes(field)) return;
  const fields = [keyField, ...valueFields].join(", ");
  throw new SqlFault(`The table "${table}" has no field "${field}", only ${fields}.`);
}

/**
 * The key, and the other conditions as JSON.
 * @throws SqlFault without an equality on the key, and for fields that the table has not
 */
export function rowChoice(
  fields: TableFields,
  { conditions, limit }: SqlFilter,
): { readonly key: string; readonly condition: string } {
  for (const { field } of conditions) requireField(fields, field);
  const ofKey = conditions.find(({ field }) => field === fields.keyField);
  if (ofKey?.operator !== "=") {
    throw new SqlFault(
      `The condition must say which key: add where ${fields.keyField} = value. The key of the ` +
        `table "${fields.table}" is ${fields.keyField}.`,
    );
  }
  requireKey(ofKey.value);
  const json: Record<string, Record<string, string>> = {};
  for (const { field, operator, value } of conditions) {
    if (field !== fields.keyField) json[field] = { [OPERATIONS[operator]]: value };
  }
  // A field may have that name, too.
  if (limit) json["limit"] = { ...json["limit"], limit: `${limit.offset},${limit.count}` };
  return { key: ofKey.value, condition: JSON.stringify(json) };
}

/** A row to add, its other fields as JSON. @throws SqlFault for missing, unknown or long ones */
export function rowEntry(
  fields: TableFields,
  { fields: named, values }: InsertStatement,
): { readonly key: string; readonly entry: string } {
  const all = [fields.keyField, ...fields.valueFields];
  const given = named ?? all;
  for (const field of given) requireField(fields, field);
  if (values.length !== all.length) {
    throw new SqlFault(
      `The table "${fields.table}" has ${all.length} fields, ${all.join(", ")}: there are ` +
        `${values.length} values.`,
    );
  }
  const row = new Map(given.map((field, index) => [field, values[index] ?? ""]));
  const key = row.get(fields.keyField) ?? "";
  requireKey(key);
  for (const [field, value] of row) requireValue(field, value);
  row.delete(fields.keyField);
  return { key, entry: JSON.stringify(Object.fromEntries(row)) };
}

/** The fields to set, as JSON. @throws SqlFault for the key, for unknown fields and long values */
export function changedFields(fields: TableFields, { changes }: UpdateStatement): string {
  for (const [field, value] of changes) {
    requireField(fields, field);
    if (field === fields.keyField)
      throw new SqlFault(`The key field "${field}" of a row cannot be changed.`);
    requireValue(field, value);
  }
  return JSON.stringify(Object.fromEntries(changes));
}

/** A row as it is shown. */
export type ShownRow = Readonly<Record<string, string>>;

/** What tables keep besides the fields. Source: console 4.6 */
const SYSTEM_FIELDS: ReadonlySet<string> = new Set(["_id_", "_hash_", "_status_", "_num_"]);

/**
 * The rows of an answer, without what the chain keeps for itself: the fields that were asked for,
 * else all in the order of the table.
 * @throws SqlFault for fields that the table has not
 */
export function shownRows(
  fields: TableFields,
  { fields: wanted }: SelectStatement,
  answer: string,
): readonly ShownRow[] {
  for (const field of wanted ?? []) requireField(fields, field);
  const rows = JSON.parse(answer) as readonly ShownRow[];
  const ordered = wanted ?? [fields.keyField, ...fields.valueFields];
  return rows.map((row) => {
    const others = wanted ? [] : Object.keys(row).filter((name) => !ordered.includes(name));
    const names = [...ordered, ...others].filter((name) => !SYSTEM_FIELDS.has(name));
    return Object.fromEntries(names.map((name) => [name, row[name] ?? ""]));
  });
}
