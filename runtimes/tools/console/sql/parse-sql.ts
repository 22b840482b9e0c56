/** Reads the statements that tables of a chain understand. Source: console 4.6 */
import { SqlFault } from "./sql-fault.ts";
import { SqlReader } from "./sql-reader.ts";
import type {
  CreateStatement,
  InsertStatement,
  SqlCondition,
  SqlFilter,
  SqlLimit,
  SqlOperator,
  SqlStatement,
  UpdateStatement,
} from "./sql-statement.ts";

const OPERATORS: Readonly<Record<string, SqlOperator>> = {
  "=": "=",
  "!=": "!=",
  "<>": "!=",
  ">": ">",
  ">=": ">=",
  "<": "<",
  "<=": "<=",
};

function listOf(reader: SqlReader, readItem: () => string): string[] {
  reader.wantSign("(");
  const items = [readItem()];
  while (reader.takeSign(",")) items.push(readItem());
  reader.wantSign(")");
  return items;
}

function requireOnce(names: readonly string[], what: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new SqlFault(`The field "${twice}" has ${what} twice.`);
}

/**
 * `(a varchar, b varchar, primary key(a))`: the fields, and those that are reported to be the key.
 */
interface Columns {
  readonly fields: string[];
  readonly keys: string[];
}

function readColumn(reader: SqlReader, { fields, keys }: Columns): void {
  if (reader.takeWord("PRIMARY")) {
    reader.wantWord("KEY");
    keys.push(...listOf(reader, () => reader.wantName("a field")));
    return;
  }
  const field = reader.wantName("a field");
  fields.push(field);
  // Types are not examined: every value is a text.
  const { kind, text } = reader.peek();
  if (kind === "word" && text.toUpperCase() !== "PRIMARY") {
    if (text.toUpperCase() === "NOT") throw reader.unexpected("a type");
    reader.next();
    if (reader.peek().text === "(") listOf(reader, () => `${reader.wantCount("a length")}`);
  }
  if (reader.takeWord("NOT")) reader.wantWord("NULL");
  if (reader.takeWord("PRIMARY")) {
    reader.wantWord("KEY");
    keys.push(field);
  }
}

function readCreate(reader: SqlReader): CreateStatement {
  reader.wantWord("TABLE");
  const table = reader.wantName("a table");
  const columns: Columns = { fields: [], keys: [] };
  reader.wantSign("(");
  do readColumn(reader, columns);
  while (reader.takeSign(","));
  reader.wantSign(")");
  const { fields, keys } = columns;
  const [keyField] = keys;
  if (keyField === undefined)
    throw new SqlFault("The table has no primary key: add primary key(field).");
  if (keys.length > 1)
    throw new SqlFault(`A table has one primary key of one field, not ${keys.join(", ")}.`);
  if (!fields.includes(keyField))
    throw new SqlFault(`The primary key "${keyField}" is no field of the table.`);
  requireOnce(fields, "been declared");
  const valueFields = fields.filter((field) => field !== keyField);
  if (valueFields.length === 0)
    throw new SqlFault("The table needs a field besides its primary key.");
  return { kind: "create", table, keyField, valueFields };
}

function readInsert(reader: SqlReader): InsertStatement {
  reader.wantWord("INTO");
  const table = reader.wantName("a table");
  const { kind, text } = reader.peek();
  const isList = kind === "sign" && text === "(";
  const fields = isList ? listOf(reader, () => reader.wantName("a field")) : undefined;
  if (reader.takeWord("SELECT"))
    throw new SqlFault("INSERT with SELECT is not supported: give the values of one row.");
  reader.wantWord("VALUES");
  const values = listOf(reader, () => reader.wantValue());
  if (reader.takeSign(",")) throw new SqlFault("INSERT takes the values of one row.");
  if (fields) requireOnce(fields, "a value");
  if (fields && fields.length !== values.length)
    throw new SqlFault(`There are ${fields.length} fields, but ${values.length} values.`);
  return { kind: "insert", table, fields, values };
}

function readConditions(reader: SqlReader): SqlCondition[] {
  const conditions: SqlCondition[] = [];
  if (!reader.takeWord("WHERE")) return conditions;
  do {
    const field = reader.wantName("a field");
    const operator = reader.peek().kind === "sign" ? OPERATORS[reader.peek().text] : undefined;
    if (operator === undefined) throw reader.unexpected("one of = != > >= < <=");
    reader.next();
    conditions.push({ field, operator, value: reader.wantValue() });
  } while (reader.takeWord("AND"));
  requireOnce(
    conditions.map(({ field }) => field),
    "a condition",
  );
  return conditions;
}

function readLimit(reader: SqlReader): SqlLimit | undefined {
  if (!reader.takeWord("LIMIT")) return undefined;
  const first = reader.wantCount("a limit");
  return reader.takeSign(",")
    ? { offset: first, count: reader.wantCount("a limit") }
    : { offset: 0, count: first };
}

function readFilter(reader: SqlReader): SqlFilter {
  const conditions = readConditions(reader);
  return { conditions, limit: readLimit(reader) };
}

/** The table of a statement that reads one. */
function readTable(reader: SqlReader): string {
  const table = reader.wantName("a table");
  if (reader.peek().text === ",")
    throw new SqlFault("JOIN is not supported: a statement reads one table.");
  return table;
}

function readSelect(reader: SqlReader): SqlStatement {
  const fields: string[] = [];
  const isAll = reader.takeSign("*");
  if (!isAll) {
    do fields.push(reader.wantName("a field or *"));
    while (reader.takeSign(","));
    requireOnce(fields, "been asked for");
  }
  reader.wantWord("FROM");
  if (reader.peek().text === "(")
    throw new SqlFault("Statements within statements are not supported.");
  const table = readTable(reader);
  return { kind: "select", table, ...(isAll ? {} : { fields }), filter: readFilter(reader) };
}

function readUpdate(reader: SqlReader): UpdateStatement {
  const table = readTable(reader);
  reader.wantWord("SET");
  const changes: (readonly [string, string])[] = [];
  do {
    const field = reader.wantName("a field");
    reader.wantSign("=");
    changes.push([field, reader.wantValue()]);
  } while (reader.takeSign(","));
  requireOnce(
    changes.map(([field]) => field),
    "been set",
  );
  return { kind: "update", table, changes: new Map(changes), filter: readFilter(reader) };
}

function readDelete(reader: SqlReader): SqlStatement {
  reader.wantWord("FROM");
  const table = readTable(reader);
  return { kind: "delete", table, filter: readFilter(reader) };
}

const READERS: Readonly<Record<string, (reader: SqlReader) => SqlStatement>> = {
  create: readCreate,
  insert: readInsert,
  select: readSelect,
  update: readUpdate,
  delete: readDelete,
  desc: (reader) => ({ kind: "desc", table: reader.wantName("a table") }),
};

/**
 * Reads a statement, with or without a semicolon behind it. Words of the language have any case.
 * @throws SqlFault with its own message for each thing that is not supported
 * Source: console 4.6
 */
export function parseSql(statement: string): SqlStatement {
  const reader = new SqlReader(statement);
  const { kind, text } = reader.peek();
  const read = kind === "word" ? READERS[text.toLowerCase()] : undefined;
  if (read === undefined) throw reader.unexpected("create, insert, select, update, delete or desc");
  reader.next();
  const found = read(reader);
  reader.wantEnd();
  return found;
}
