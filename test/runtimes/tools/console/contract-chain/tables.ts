/** Tables on a chain: by SQL, and by the contract of the tutorial. */
// rules: console 4.6, 9
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import type { People } from "./people.ts";

const CREATE =
  "create table t_demo(name varchar, item_id varchar, item_name varchar, primary key(name))";

/** Lists the tests. */
export function tableTests({ world, done, refused }: Steps, { mine }: People): void {
  test("tables: the contract of the tutorial inserts, selects, updates and removes", async () => {
    const data = await done([
      "deploy TableTest",
      'call TableTest latest insert "fruit" 1 "apple"',
      'call TableTest latest select "fruit"',
      'call TableTest latest update "fruit" 1 "orange"',
      'call TableTest latest select "fruit"',
      'call TableTest latest remove "fruit" 1',
      'call TableTest latest select "fruit"',
    ]);
    const values = data.map((it) => (it as { values?: unknown }).values);
    assert.deepEqual(values.slice(1), [
      ["1"],
      [["fruit"], ["1"], ["apple"]],
      ["1"],
      [["fruit"], ["1"], ["orange"]],
      ["1"],
      [[], [], []],
    ]);
  });

  test("tables: created, filled, read, changed and emptied by SQL", async () => {
    const sql = (statement: string) => world().run(...mine.words, statement);
    const hash = /^TransactionHash: 0x\w{64}\n/;
    const said = async (statement: string): Promise<string> => {
      const { code, stdout, stderr } = await sql(statement);
      assert.equal(code, 0, stderr);
      return stdout.replace(hash, "# ");
    };
    assert.equal(await said(CREATE), "# Create 't_demo' Ok.\n\n");
    const insert = "insert into t_demo values (fruit, 1, 'apple 1');";
    assert.equal(await said(insert), "# Insert OK: \n1 row affected.\n\n");
    const update = "update t_demo set item_name = 'pear' where name = fruit and item_id <= 1";
    assert.equal(await said(update), "# 1 row affected.\n\n");
    const select = await said("select * from t_demo where name = fruit");
    assert.match(select, /\nname {2}\| item_id \| item_name\n-+\nfruit \| 1 {7}\| pear\n/);
    const old = await world().run("--legacy", "select * from t_demo where name = fruit");
    const map = "{name=fruit, item_id=1, item_name=pear}\n1 row(s) in set.\n\n";
    assert.equal(old.stdout, map);
    const remove = "delete from t_demo where name = fruit";
    assert.equal(await said(remove), "# Remove OK, 1 row affected.\n\n");
    assert.equal(await said("select * from t_demo where name = fruit"), "Empty set.\n\n");
  });

  test("tables: conditions, limits and fields, and columns in another order", async () => {
    const rows = ["1", "2", "3"];
    await done(
      rows.map((id) => `insert into t_demo (item_id, name, item_name) values (${id}, fig, n${id})`),
    );
    const data = await done([
      "desc t_demo;",
      "select item_name from t_demo where name = fig and item_id > 1",
      "select * from t_demo where name = fig limit 1,1",
      "select item_id from t_demo where name = fig and item_id != 2 and item_name = n3",
      "update t_demo set item_name = x where name = fig and item_id >= 2",
      "delete from t_demo where name = fig limit 2",
      "select item_name from t_demo where name = fig",
    ]);
    assert.deepEqual(data.slice(0, 4), [
      [{ key_field: "name", value_field: "item_id,item_name" }],
      [{ item_name: "n2" }, { item_name: "n3" }],
      [{ name: "fig", item_id: "2", item_name: "n2" }],
      [{ item_id: "3" }],
    ]);
    const counts = data.slice(4, 6).map((it) => (it as { rows: number }).rows);
    assert.deepEqual([counts, data[6]], [[2, 2], [{ item_name: "x" }]]);
  });

  test("tables: refusals of the chain have their code, those of the console end with 2", async () => {
    const told = await refused([
      CREATE,
      "select * from nothere where a = 1",
      "desc nothere",
      "insert into nothere values (1, 2)",
      "select * from t_demo",
      "select * from t_demo where name = a or name = b",
      "insert into t_demo values (a, b)",
      "update t_demo set name = x where name = fig",
      "select * from t_demo；",
      "drop table t_demo",
    ]);
    assert.deepEqual(told[0], [-50_001, "table name already exist"]);
    const missing = [1, `The table "nothere" doesn't exist!`];
    assert.deepEqual(told.slice(1, 4), [missing, missing, missing]);
    const [noKey, or, few, key, wide, drop] = told.slice(4);
    assert.match(noKey?.[1] ?? "", /^The condition must say which key: add where name = value/);
    assert.match(or?.[1] ?? "", /^OR is not supported/);
    assert.match(few?.[1] ?? "", /has 3 fields, name, item_id, item_name: there are 2 values/);
    assert.match(key?.[1] ?? "", /key field "name" of a row cannot be changed/);
    assert.match(wide?.[1] ?? "", /^Could not parse SQL statement\..*full-width/);
    assert.match(drop?.[1] ?? "", /^Undefined command: "drop"/);
    const usage = told.slice(4).map(([code]) => code);
    assert.deepEqual(usage, [2, 2, 2, 2, 2, 2]);
    const single = await world().run("select * from nothere where a = 1");
    assert.deepEqual([single.code, single.stdout], [1, ""]);
    assert.match(single.stderr, /The table "nothere" doesn't exist!/);
  });
}
