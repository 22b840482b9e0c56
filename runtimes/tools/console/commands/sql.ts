/** Tables. Source: console 4.6 */
import { type ConsoleCommand, ConsoleFault, type Outcome, usageFault } from "../command.ts";
import { oneLine } from "../foreign-text.ts";
import { codeOf, PRECOMPILED } from "../precompiled.ts";
import { codeText, formatTable, hashLine, outcomeOf } from "../print.ts";
import type { Session } from "../session.ts";
import type { TableFields } from "../sql/sql-calls.ts";
import type {
  CreateStatement,
  DeleteStatement,
  InsertStatement,
  SelectStatement,
  SqlStatement,
  UpdateStatement,
} from "../sql/sql-statement.ts";

/** @throws ConsoleFault when there is no such table */
async function describe(session: Session, table: string): Promise<TableFields> {
  const { requireTableName } = await import("../sql/sql-limits.ts");
  requireTableName(table);
  const signature = "desc(string)(string,string)";
  const [keyField = "", valueFields = ""] = await session.constantCall(
    PRECOMPILED.crud,
    signature,
    [table],
  );
  if (keyField === "") throw new ConsoleFault(`The table "${table}" doesn't exist!`);
  return { table, keyField: String(keyField), valueFields: String(valueFields).split(",") };
}

/** Rows that a transaction changed: what the contract gave back, a code below 0 being a refusal. */
async function change(
  session: Session,
  signature: string,
  args: readonly string[],
): Promise<{ readonly rows: number; readonly transactionHash: string }> {
  const to = signature.startsWith("createTable") ? PRECOMPILED.tableFactory : PRECOMPILED.crud;
  const receipt = await session.send(to, signature, args);
  const { transactionHash } = receipt;
  const code = codeOf(receipt);
  if (code < 0) throw new ConsoleFault(codeText(code), { code, transactionHash });
  return { rows: code, transactionHash };
}

function changed(
  { rows, transactionHash }: Awaited<ReturnType<typeof change>>,
  text: string,
): Outcome {
  return { text: `${hashLine(transactionHash)}\n${text}`, data: { transactionHash, rows } };
}

function affected(rows: number): string {
  return `${rows} row affected.`;
}

async function create(session: Session, statement: CreateStatement): Promise<Outcome> {
  const { requireColumns } = await import("../sql/sql-limits.ts");
  requireColumns(statement);
  const { table, keyField, valueFields } = statement;
  const args = [table, keyField, valueFields.join(",")];
  const done = await change(session, "createTable(string,string,string)", args);
  return changed(done, `Create '${table}' Ok.`);
}

async function insert(session: Session, statement: InsertStatement): Promise<Outcome> {
  const { rowEntry } = await import("../sql/sql-calls.ts");
  const { table } = statement;
  const { key, entry } = rowEntry(await describe(session, table), statement);
  const args = [table, key, entry, ""];
  const done = await change(session, "insert(string,string,string,string)", args);
  return changed(done, `Insert OK: \n${affected(done.rows)}`);
}

async function update(session: Session, statement: UpdateStatement): Promise<Outcome> {
  const { changedFields, rowChoice } = await import("../sql/sql-calls.ts");
  const fields = await describe(session, statement.table);
  const entry = changedFields(fields, statement);
  const { key, condition } = rowChoice(fields, statement.filter);
  const args = [statement.table, key, entry, condition, ""];
  const done = await change(session, "update(string,string,string,string,string)", args);
  return changed(done, affected(done.rows));
}

async function remove(session: Session, statement: DeleteStatement): Promise<Outcome> {
  const { rowChoice } = await import("../sql/sql-calls.ts");
  const fields = await describe(session, statement.table);
  const { key, condition } = rowChoice(fields, statement.filter);
  const args = [statement.table, key, condition, ""];
  const done = await change(session, "remove(string,string,string,string)", args);
  return changed(done, `Remove OK, ${affected(done.rows)}`);
}

async function select(session: Session, statement: SelectStatement): Promise<Outcome> {
  const { rowChoice, shownRows } = await import("../sql/sql-calls.ts");
  const fields = await describe(session, statement.table);
  const { key, condition } = rowChoice(fields, statement.filter);
  // Before anything is asked, too: a field that the table has not.
  shownRows(fields, statement, "[]");
  const signature = "select(string,string,string,string)(string)";
  const args = [statement.table, key, condition, ""];
  const [answer] = await session.constantCall(PRECOMPILED.crud, signature, args);
  const rows = shownRows(fields, statement, String(answer));
  if (rows.length === 0) return { text: "Empty set.", data: rows };
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => row[name] ?? ""));
  const maps = rows.map((row) =>
    oneLine(`{${names.map((name) => `${name}=${row[name]}`).join(", ")}}`),
  );
  const shown = session.options.legacyRows ? maps.join("\n") : formatTable([names, ...cells]);
  return { text: `${shown}\n${rows.length} row(s) in set.`, data: rows };
}

async function desc(session: Session, table: string): Promise<Outcome> {
  const { keyField, valueFields } = await describe(session, table);
  return outcomeOf([{ key_field: keyField, value_field: valueFields.join(",") }]);
}

async function execute(session: Session, statement: SqlStatement): Promise<Outcome> {
  switch (statement.kind) {
    case "create":
      return await create(session, statement);
    case "insert":
      return await insert(session, statement);
    case "select":
      return await select(session, statement);
    case "update":
      return await update(session, statement);
    case "delete":
      return await remove(session, statement);
    case "desc":
      return await desc(session, statement.table);
  }
}

async function run(session: Session, [line = ""]: readonly string[]): Promise<Outcome> {
  const { parseSql } = await import("../sql/parse-sql.ts");
  const { SqlFault } = await import("../sql/sql-fault.ts");
  try {
    return await execute(session, parseSql(line));
  } catch (cause) {
    if (cause instanceof SqlFault) throw usageFault(cause.message);
    throw cause;
  }
}

function statement(name: string, says: string, form: string): ConsoleCommand {
  const parameter = { name: "statement", says: form } as const;
  return { name, says, parameters: [parameter], takesLine: true, run };
}

/** The commands of this family. */
export const SQL_COMMANDS: readonly ConsoleCommand[] = [
  statement("desc", "Show the fields of a table", "desc table"),
  statement(
    "create",
    "Create a table",
    "create table t(name varchar, item_id varchar, primary key(name))",
  ),
  statement("insert", "Insert a row into a table", "insert into t values (fruit, 1)"),
  statement(
    "select",
    "Read rows of a table",
    "select * from t where name = fruit [and item_id >= 1] [limit [offset,] count]",
  ),
  statement(
    "update",
    "Change rows of a table",
    "update t set item_id = 2 where name = fruit [and ...] [limit ...]",
  ),
  statement(
    "delete",
    "Remove rows of a table",
    "delete from t where name = fruit [and ...] [limit ...]",
  ),
];
