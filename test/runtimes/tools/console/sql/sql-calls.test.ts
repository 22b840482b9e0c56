/** Statements as calls of the contract of tables, and the limits. Source: console 4.6 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { parseSql } from "../../../../../runtimes/tools/console/sql/parse-sql.ts";
import {
  changedFields,
  rowChoice,
  rowEntry,
  shownRows,
} from "../../../../../runtimes/tools/console/sql/sql-calls.ts";
import { SqlFault } from "../../../../../runtimes/tools/console/sql/sql-fault.ts";
import { requireColumns } from "../../../../../runtimes/tools/console/sql/sql-limits.ts";
import type {
  CreateStatement,
  InsertStatement,
  SelectStatement,
  UpdateStatement,
} from "../../../../../runtimes/tools/console/sql/sql-statement.ts";

const TABLE = { table: "t", keyField: "name", valueFields: ["item_id", "limit"] };

function refused(message: RegExp): (fault: unknown) => boolean {
  return (fault) => fault instanceof SqlFault && message.test(fault.message);
}

function select(statement: string): SelectStatement {
  return parseSql(statement) as SelectStatement;
}

describe("rows to look for", () => {
  test("the key apart, other conditions and the limit as JSON", () => {
    const { filter } = select("select * from t where item_id >= 1 and name = fruit limit 2, 3");
    assert.deepEqual(rowChoice(TABLE, filter), {
      key: "fruit",
      condition: '{"item_id":{"ge":"1"},"limit":{"limit":"2,3"}}',
    });
  });

  test("a field may be called limit", () => {
    const { filter } = select("select * from t where name = a and `limit` != 1 limit 3");
    const { condition } = rowChoice(TABLE, filter);
    assert.equal(condition, '{"limit":{"ne":"1","limit":"0,3"}}');
  });

  test.each([
    ["select * from t", /add where name = value/],
    ["select * from t where item_id = 1", /add where name = value/],
    ["select * from t where name != a", /add where name = value/],
    ["select * from t where name = a and price = 1", /no field "price", only name, item_id, limit/],
    [`select * from t where name = ${"k".repeat(256)}`, /key has 256 bytes; the limit is 255/],
  ])("%s is refused", (statement, message) => {
    assert.throws(() => rowChoice(TABLE, select(statement).filter), refused(message));
  });
});

describe("rows to write", () => {
  const insert = (statement: string) => rowEntry(TABLE, parseSql(statement) as InsertStatement);
  const update = (statement: string) =>
    changedFields(TABLE, parseSql(statement) as UpdateStatement);

  test("values in the order of the table, or of the fields that are named", () => {
    const row = { key: "fruit", entry: '{"item_id":"1","limit":"2"}' };
    assert.deepEqual(insert("insert into t values (fruit, 1, 2)"), row);
    const named = insert("insert into t (`limit`, name, item_id) values (2, fruit, 1)");
    assert.deepEqual(named.key, "fruit");
    assert.deepEqual(JSON.parse(named.entry), JSON.parse(row.entry));
  });

  test("fields to set, in JSON with its escapes", () => {
    assert.equal(update(`update t set item_id = 'a"b' where name = x`), '{"item_id":"a\\"b"}');
  });

  test("what is missing, unknown, the key or too long", () => {
    assert.throws(
      () => insert("insert into t values (a, 1)"),
      refused(/has 3 fields, .* 2 values/),
    );
    const few = "insert into t (name, item_id) values (a, 1)";
    assert.throws(() => insert(few), refused(/has 3 fields/));
    const other = "insert into t (name, item_id, price) values (a, 1, 2)";
    assert.throws(() => insert(other), refused(/no field "price"/));
    assert.throws(() => update("update t set price = 1"), refused(/no field "price"/));
    assert.throws(() => update("update t set name = 1"), refused(/key field "name".*cannot/));
    const long = `insert into t values (${"ü".repeat(128)}, 1, 2)`;
    assert.throws(() => insert(long), refused(/key has 256 bytes/));
    const huge = {
      kind: "insert",
      table: "t",
      values: ["a", "x".repeat(16_777_216), "b"],
    } as const;
    assert.throws(() => rowEntry(TABLE, huge), refused(/"item_id" has 16777216 bytes/));
  });
});

describe("tables to make", () => {
  const create = (statement: string) => requireColumns(parseSql(statement) as CreateStatement);

  test.each([
    [`create table ${"t".repeat(49)} (a int primary key, b int)`, /49 characters; the limit is 48/],
    ["create table `t-demo` (a int primary key, b int)", /Invalid table name "t-demo"/],
    ["create table 表 (a int primary key, b int)", /Invalid table name "表"/],
    ["create table t (_a int primary key, b int)", /Invalid field name "_a"/],
    ["create table t (a int primary key, `b c` int)", /Invalid field name "b c"/],
    [`create table t (a int primary key, ${"b".repeat(65)} int)`, /65 characters.* 64/],
  ])("%s", (statement, message) => {
    assert.throws(() => create(statement), refused(message));
  });

  test("names that are too long together", () => {
    const fields = Array.from({ length: 20 }, (_, i) => `${"f".repeat(52)}${i + 10}`);
    const columns = { kind: "create", table: "t", keyField: "k", valueFields: fields } as const;
    assert.throws(
      () => requireColumns(columns),
      refused(/have 1099 characters; the limit is 1024/),
    );
    requireColumns({ ...columns, table: "t".repeat(48), valueFields: fields.slice(2) });
  });
});

describe("rows to show", () => {
  const answer = JSON.stringify([
    { _id_: "1", _hash_: "x", _num_: "2", _status_: "0", item_id: "1", limit: "5", name: "fruit" },
  ]);

  test("fields in the order of the table, without those of the chain", () => {
    const rows = shownRows(TABLE, select("select * from t where name = fruit"), answer);
    assert.deepEqual(rows.map(Object.entries), [
      [
        ["name", "fruit"],
        ["item_id", "1"],
        ["limit", "5"],
      ],
    ]);
  });

  test("fields that are asked for, in the order of the question", () => {
    const rows = shownRows(TABLE, select("select item_id, name from t"), answer);
    assert.deepEqual(rows, [{ item_id: "1", name: "fruit" }]);
    assert.throws(
      () => shownRows(TABLE, select("select price from t"), answer),
      refused(/no field "price"/),
    );
  });
});
