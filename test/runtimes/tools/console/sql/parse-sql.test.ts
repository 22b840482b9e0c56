/** Statements, and what is reported of those that tables do not know. Source: console 4.6 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { parseSql } from "../../../../../runtimes/tools/console/sql/parse-sql.ts";
import { SqlFault } from "../../../../../runtimes/tools/console/sql/sql-fault.ts";

const all = { conditions: [], limit: undefined };

describe("statements", () => {
  test.each([
    "create table t_demo(name varchar, item_id varchar, item_name varchar, primary key(name))",
    "CREATE TABLE t_demo (name varchar primary key, item_id varchar(20), item_name int not null);",
  ])("create: %s", (statement) => {
    assert.deepEqual(parseSql(statement), {
      kind: "create",
      table: "t_demo",
      keyField: "name",
      valueFields: ["item_id", "item_name"],
    });
  });

  test.each([
    ["insert into t_demo values (fruit, 1, apple1)", undefined],
    [
      `Insert Into t_demo (name, item_id, item_name) values ("fruit", '1', apple1);`,
      ["name", "item_id", "item_name"],
    ],
  ])("insert: %s", (statement, fields) => {
    const values = ["fruit", "1", "apple1"];
    assert.deepEqual(parseSql(statement), { kind: "insert", table: "t_demo", fields, values });
  });

  test("select, with fields, every operator and a limit", () => {
    const statement =
      "select name, `item_id` from t where name = 'a b' and a != 1 and b > -2 and c >= 1.5 " +
      "and d < 3 and e <= 4 and f <> x limit 2, 5;";
    assert.deepEqual(parseSql(statement), {
      kind: "select",
      table: "t",
      fields: ["name", "item_id"],
      filter: {
        conditions: [
          { field: "name", operator: "=", value: "a b" },
          { field: "a", operator: "!=", value: "1" },
          { field: "b", operator: ">", value: "-2" },
          { field: "c", operator: ">=", value: "1.5" },
          { field: "d", operator: "<", value: "3" },
          { field: "e", operator: "<=", value: "4" },
          { field: "f", operator: "!=", value: "x" },
        ],
        limit: { offset: 2, count: 5 },
      },
    });
    const plain = {
      kind: "select",
      table: "t",
      filter: { ...all, limit: { offset: 0, count: 3 } },
    };
    assert.deepEqual(parseSql("select * from t limit 3"), plain);
  });

  test("update and delete", () => {
    const filter = { conditions: [{ field: "k", operator: "=", value: "x" }], limit: undefined };
    assert.deepEqual(parseSql("update t set f = 'v', g = 2 where k = x"), {
      kind: "update",
      table: "t",
      changes: new Map([
        ["f", "v"],
        ["g", "2"],
      ]),
      filter,
    });
    assert.deepEqual(parseSql("delete from t where k = x;"), {
      kind: "delete",
      table: "t",
      filter,
    });
  });

  test("desc, with and without a semicolon", () => {
    assert.deepEqual(parseSql("desc t_demo"), { kind: "desc", table: "t_demo" });
    assert.deepEqual(parseSql("desc t_demo;"), { kind: "desc", table: "t_demo" });
  });

  test("quotes in texts are doubled or follow a backslash; words in quotes are no keywords", () => {
    const { values } = parseSql(
      `insert into t values ('it''s', "say \\"or\\"", 'a\\\\b', '；')`,
    ) as { values: readonly string[] };
    assert.deepEqual(values, ["it's", 'say "or"', "a\\b", "；"]);
  });
});

/** Each with the beginning or a part of its message. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["select * from t where a = 1 or b = 2", /^OR is not supported/],
  ["select * from t where not a = 1", /^NOT is not supported/],
  ["select * from t where a in (1, 2)", /^IN is not supported/],
  ["select * from t where a like 'x%'", /^LIKE is not supported/],
  ["select * from t where a is null", /^IS NULL is not supported/],
  ["select * from t where a = null", /^NULL is not supported/],
  ["select * from t where a between 1 and 2", /^BETWEEN is not supported/],
  ["select * from t where exists (select * from u)", /^EXISTS is not supported/],
  ["select * from t where a = (select b from u)", /^Statements within statements/],
  ["select * from (select * from t)", /^Statements within statements/],
  ["select * from t where upper(a) = 1", /^Functions such as upper\(\) are not supported/],
  ["select * from t where a = upper(b)", /^Functions such as upper\(\) are not supported/],
  ["select count(*) from t", /^Functions such as count\(\) are not supported/],
  ["select * from t where a = 1 order by a", /^ORDER BY is not supported/],
  ["select * from t group by a", /^GROUP BY is not supported/],
  ["select * from t having a = 1", /^HAVING is not supported/],
  ["select * from t join u", /^JOIN is not supported/],
  ["select * from t left join u", /^JOIN is not supported/],
  ["select * from t, u", /^JOIN is not supported/],
  ["select top 3 * from t", /^TOP is not supported/],
  ["select distinct a from t", /^DISTINCT is not supported/],
  ["select a as b from t", /^AS is not supported/],
  ["select * from t union select * from u", /^UNION is not supported/],
  ["select * from t limit 1 offset 2", /^OFFSET is not supported: write LIMIT offset, count/],
  ["insert into t select * from u", /^INSERT with SELECT is not supported/],
  ["insert into t values (1, 2), (3, 4)", /^INSERT takes the values of one row/],
  ["create table if not exists t (a int primary key, b int)", /^IF \[NOT\] EXISTS/],
  ["create table t (a int primary key, b int default 1)", /^DEFAULT is not supported/],
  ["create table t (a int, b int, unique(b), primary key(a))", /^UNIQUE is not supported/],
  ["create table t (a int, b int)", /has no primary key/],
  ["create table t (a int primary key, b int primary key)", /one primary key of one field, not a/],
  ["create table t (a int, b int, primary key(a, b))", /one primary key of one field, not a, b/],
  ["create table t (a int, b int, primary key(c))", /"c" is no field/],
  ["create table t (a int, b int, b int, primary key(a))", /"b" has been declared twice/],
  ["create table t (a int primary key)", /needs a field besides its primary key/],
  ["insert into t (a, b) values (1)", /2 fields, but 1 values/],
  ["insert into t (a, a) values (1, 2)", /"a" has a value twice/],
  ["select * from t where a = 1 and a = 2", /"a" has a condition twice/],
  ["update t set a = 1, a = 2 where k = 1", /"a" has been set twice/],
  ["select * from t limit many", /^Could not parse SQL statement\. Expected a limit/],
  ["select * from t where a", /^Could not parse SQL statement\. Expected one of = !=/],
  ["select from t", /^Could not parse SQL statement\. Expected a field or \*/],
  ["select * from t extra", /^Could not parse SQL statement\. Expected the end/],
  ["select * from", /^Could not parse SQL statement\. Expected a table, but the statement ends/],
  ["drop table t", /^Could not parse SQL statement\. Expected create, insert/],
  ["insert into t values ('open", /^Could not parse SQL statement\..*has no end quote/],
  ["select * from t where a = 1%2", /^Could not parse SQL statement\. It has the sign %/],
  ["select * from t；", /full-width sign ；: write ; in its place/],
  ["select a，b from t", /full-width sign ，: write , in its place/],
  ["insert into t values （1）", /full-width sign （: write \( in its place/],
  ["insert into t values (‘x’)", /full-width sign ‘: write ' in its place/],
  ["insert into t values (“x”)", /full-width sign “: write " in its place/],
];

describe("what is refused", () => {
  test.each(REFUSED)("%s", (statement, message) => {
    assert.throws(
      () => parseSql(statement),
      (fault) => fault instanceof SqlFault && message.test(fault.message),
    );
  });
});
