import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { version } from "../../../core/model/version.ts";
import { type Table, ColumnFault } from "../../../core/storage/live-table.ts";
import type { Overlay } from "../../../core/storage/overlay.ts";
import { ACCESS_TABLE, TABLES_TABLE } from "../../../core/storage/system-tables.ts";
import type { RowView } from "../../../core/storage/table.ts";
import { cases } from "../../support/runner/cases.ts";
import { openOverlay, registration, type RowText } from "../../support/execution/overlays.ts";

// rules: storage 1, 2, 4, 4.1, execution 8

const STORED: readonly RowText[] = [
  { id: 11, key: "x", columns: { a: "1", b: "one" } },
  { id: 12, key: "x", columns: { a: "2", b: "two" } },
  { id: 13, key: "y", columns: { a: "3" } },
  { id: 14, key: "gone", columns: { a: "4" }, removed: true },
];

function open(overlay: Overlay, name = "u_t"): Table {
  const table = overlay.open(name);
  assert.ok(table);
  return table;
}

const a = (rows: readonly RowView[]) => rows.map((row) => row.columns.get("a"));
const where = (column: string, value: string) => ({
  test: (row: RowView) => row.columns.get(column) === value,
});

test("a select gives stored rows of the key and leaves removed ones out", () => {
  const table = open(openOverlay(STORED));
  assert.deepEqual(a(table.select("x")), ["1", "2"]);
  assert.deepEqual(a(table.select("gone")), []);
  assert.equal(table.touched, false);
});

test("a select gives changed rows in the place of stored ones and new rows after them", () => {
  const table = open(openOverlay(STORED));
  table.insert("x", [["a", "9"]]);
  table.update("x", [["a", "7"]], where("a", "1"));
  assert.deepEqual(a(table.select("x")), ["7", "2", "9"]);
});

// Recorded in the ledger tab-2.2.0-40003.
test("before 2.5.0 undoing the second removal of a row brings it back", () => {
  const overlay = openOverlay(STORED, { version: version(2, 4, 0) });
  const old = open(overlay);
  old.remove("x", where("a", "1"));
  const savepoint = overlay.savepoint();
  assert.equal(old.remove("x", where("a", "1")), 1);
  overlay.rollback(savepoint);
  const statuses = [...old.dirtyRows.values()].map((row) => row.status);
  assert.deepEqual(statuses, [0]);
});

test("from 2.5.0 on a changed row must pass the filter too", () => {
  const table = open(openOverlay(STORED));
  table.update("x", [["a", "7"]], where("a", "1"));
  assert.deepEqual(a(table.select("x", where("a", "1"))), []);
  assert.deepEqual(a(table.select("x", where("a", "7"))), ["7"]);
});

test("rows that match only since this block come by row id, whatever changed first", () => {
  const rows = [21, 22, 23, 24].map((id) => ({ id, key: "x", columns: { a: String(id) } }));
  const table = open(openOverlay(rows));
  for (const id of ["23", "21", "24"])
    table.update("x", [["a", id === "24" ? "22" : "y"]], where("a", id));
  table.insert("x", [["a", "y"]]);
  const ids = (value: string) => table.select("x", where("a", value)).map(({ id }) => id);
  assert.deepEqual(ids("y"), [21, 23, 0]);
  // A row that matched when it was stored comes first.
  assert.deepEqual(ids("22"), [22, 24]);
  table.update("x", [["a", "y"]], where("a", "22"));
  assert.deepEqual(ids("y"), [21, 22, 23, 24, 0]);
});

test("a row that a rolled-back remove touched first is not found by what it became", () => {
  const overlay = openOverlay(STORED);
  const table = open(overlay);
  const savepoint = overlay.savepoint();
  table.remove("x", where("a", "1"));
  overlay.rollback(savepoint);
  assert.deepEqual(a(table.select("x")), ["1", "2"]);
  table.update("x", [["a", "7"]]);
  assert.deepEqual(
    [...table.dirtyRows.values()].map(({ id }) => id),
    [11, 12],
  );
  assert.deepEqual(
    table.select("x", where("a", "7")).map(({ id }) => id),
    [12],
  );
  assert.deepEqual(a(table.select("x")), ["7", "7"]);
});

test("a stored row whose key column has another name is not found", () => {
  const tables = (keyField: string) => ({
    [TABLES_TABLE]: { keyField: "table_name", rows: [registration("u_t", keyField, "w")] },
    u_t: { keyField: "k", rows: [{ id: 31, key: "x", columns: { v: "1" } }] },
  });
  const rowsFound = (keyField: string) =>
    open(openOverlay([], { tables: tables(keyField) })).select("x").length;
  assert.deepEqual(["k", "id", "id_"].map(rowsFound), [1, 0, 1]);
});

test("before 2.5.0 a row removed in the block still answers a select", () => {
  const old = open(openOverlay(STORED, { version: version(2, 4, 0) }));
  old.remove("x", where("a", "1"));
  assert.deepEqual(a(old.select("x")), ["1", "2"]);
  assert.equal(old.remove("x", where("a", "1")), 1);
  const now = open(openOverlay(STORED));
  now.remove("x", where("a", "1"));
  assert.deepEqual(a(now.select("x")), ["2"]);
});

test("before 2.5.0 only the stored form of a row is judged", () => {
  const old = open(openOverlay(STORED, { version: version(2, 4, 0) }));
  old.update("x", [["a", "7"]], where("a", "1"));
  old.remove("x", where("a", "2"));
  old.insert("x", [["a", "9"]]);
  assert.deepEqual(a(old.select("x", where("a", "1"))), ["7"]);
  assert.deepEqual(a(old.select("x", where("a", "7"))), []);
  assert.equal(old.remove("x", where("a", "2")), 1);
  assert.deepEqual(a(old.select("x", where("a", "9"))), ["9"]);
});

test("offset and count apply after stored, changed and new rows are merged", () => {
  const table = open(openOverlay(STORED));
  table.insert("x", [["a", "9"]]);
  assert.deepEqual(a(table.select("x", { offset: 1, count: 2 })), ["2", "9"]);
  assert.deepEqual(a(table.select("x", { count: 1 })), ["1"]);
  assert.deepEqual(a(table.select("x", { offset: 5 })), []);
});

test("update and remove report how many rows they changed, and touch the table without any", () => {
  const table = open(openOverlay(STORED));
  assert.equal(table.update("absent", [["a", "1"]]), 0);
  assert.equal(table.touched, true);
  assert.equal(table.update("x", [["a", "5"]]), 2);
  assert.equal(table.remove("x", where("b", "two")), 1);
  assert.deepEqual([...table.dirtyRows.keys()], [11, 12]);
});

test("an update leaves the key column alone and refuses a column that the table lacks", () => {
  const table = open(openOverlay(STORED));
  table.update("y", [
    ["name", "other"],
    ["a", "5"],
  ]);
  assert.equal(table.select("y")[0]?.columns.get("name"), "y");
  assert.throws(() => table.update("y", [["c", "1"]]), ColumnFault);
  assert.throws(() => table.update("absent", [["c", "1"]]), ColumnFault);
});

test("an update with a column that the table lacks does not touch it", () => {
  const table = open(openOverlay(STORED));
  assert.throws(() => table.update("y", [["c", "1"]]), ColumnFault);
  assert.equal(table.touched, false);
});

test("stored rows are never changed in place", () => {
  const overlay = openOverlay(STORED);
  const table = open(overlay);
  const [before] = overlay.options.source.rows("u_t", "y");
  table.update("y", [["a", "changed"]]);
  table.remove("y");
  assert.equal(before?.columns.get("a"), "3");
  assert.equal(before?.status, 0);
});

test("a roll-back withdraws insertions and puts values back, but rows stay dirty", () => {
  const overlay = openOverlay(STORED);
  const table = open(overlay);
  const savepoint = overlay.savepoint();
  table.insert("x", [["a", "9"]]);
  table.update("x", [["a", "7"]], where("a", "1"));
  table.remove("y");
  overlay.rollback(savepoint);
  assert.deepEqual(a(table.select("x")), ["1", "2"]);
  assert.deepEqual(a(table.select("y")), ["3"]);
  assert.deepEqual([...table.dirtyRows.keys()], [11, 13]);
  assert.equal(table.newRows[0]?.withdrawn, true);
  assert.equal(table.touched, true);
});

test("rolling back an update leaves a column that it had added, empty", () => {
  const overlay = openOverlay(STORED);
  const table = open(overlay);
  const savepoint = overlay.savepoint();
  table.update("y", [["b", "added"]]);
  overlay.rollback(savepoint);
  assert.equal(table.select("y")[0]?.columns.get("b"), "");
});

test("a savepoint beyond the log undoes nothing", () => {
  const overlay = openOverlay(STORED);
  const table = open(overlay);
  table.insert("x", [["a", "9"]]);
  const late = overlay.savepoint();
  overlay.rollback(0);
  overlay.rollback(late);
  assert.equal(overlay.savepoint(), 0);
});

test("changes of an ended transaction stay", () => {
  const overlay = openOverlay(STORED);
  const table = open(overlay);
  table.insert("x", [["a", "9"]]);
  overlay.endTransaction();
  overlay.rollback(0);
  assert.equal(table.select("x").length, 3);
});

test("a table that nobody registered does not open, and looking for it opens _sys_tables_", () => {
  const overlay = openOverlay();
  assert.equal(overlay.open("u_absent"), undefined);
  assert.deepEqual(
    overlay.tables().map((table) => table.schema.name),
    [ACCESS_TABLE, TABLES_TABLE],
  );
});

test("a table whose registration was rolled back can be opened until the end of the block", () => {
  const overlay = openOverlay();
  assert.equal(overlay.open("c_1"), undefined);
  const savepoint = overlay.savepoint();
  overlay.register({ name: "c_1", keyField: "key", fields: ["value"], hashed: true });
  overlay.rollback(savepoint);
  assert.ok(overlay.open("c_1"));
  assert.equal(overlay.systemTable(TABLES_TABLE).select("c_1").length, 0);
});

test("a user table can be registered once", () => {
  const overlay = openOverlay();
  const schema = { name: "u_new", keyField: "k", fields: ["v", "w"], hashed: true };
  assert.deepEqual(overlay.registerForUser(schema)?.schema, schema);
  assert.equal(overlay.registerForUser(schema), undefined);
  assert.equal(overlay.registerForUser({ ...schema, name: "u_t" }), undefined);
});

/** Lists name whole addresses; hexadecimal text of another length is the zero address. */
const writer = (id: number): string => `0x${id.toString(16).padStart(40, "0")}`;
const GRANTS = {
  [ACCESS_TABLE]: {
    keyField: "table_name",
    rows: [
      { id: 1, key: "u_t", columns: { address: writer(0xaa), enable_num: "5" } },
      { id: 2, key: "u_t", columns: { address: writer(0xbb), enable_num: "6" } },
    ],
  },
};

test("a table with grants in force takes writes of those addresses only", () => {
  const overlay = openOverlay([], { tables: GRANTS });
  const table = open(overlay);
  assert.equal(overlay.permits(table, writer(0xaa)), true);
  // The row carries the number of the block that is being executed: it counts from the next one on.
  assert.equal(overlay.permits(table, writer(0xbb)), false);
});

test("a table without grants takes writes of everybody", () => {
  const overlay = openOverlay();
  assert.equal(overlay.permits(open(overlay), writer(0xcc)), true);
});

test("the list of writers is read when the table is opened and not again in the block", () => {
  const overlay = openOverlay();
  const table = open(overlay);
  overlay.systemTable(ACCESS_TABLE).insert("u_t", [
    ["address", writer(0xaa)],
    ["enable_num", "0"],
  ]);
  assert.equal(overlay.permits(table, writer(0xcc)), true);
});

test("the access table refuses others only from two members on", () => {
  const member = (id: number) => ({
    id,
    key: ACCESS_TABLE,
    columns: { address: writer(id), enable_num: "0" },
  });
  const withMembers = (count: number): Overlay =>
    openOverlay([], {
      tables: {
        [ACCESS_TABLE]: { keyField: "table_name", rows: [1, 2].slice(0, count).map(member) },
      },
    });
  for (const [members, outsider] of [
    [0, true],
    [1, true],
    [2, false],
  ] as const) {
    const overlay = withMembers(members);
    const table = overlay.systemTable(ACCESS_TABLE);
    assert.equal(overlay.permits(table, writer(9)), outsider, `${members} members`);
    assert.equal(overlay.permits(table, writer(1)), true);
  }
});

test("with reconfirmation grants are not examined until there are two members", () => {
  const strict = openOverlay([], { tables: GRANTS });
  const lax = openOverlay([], { tables: GRANTS, reconfirmCommittee: true });
  assert.equal(strict.permits(open(strict), writer(0xcc)), false);
  assert.equal(lax.permits(open(lax), writer(0xcc)), true);
});

type Operation = (table: Table) => void;
const key = fc.constantFrom("x", "y", "z");
const value = fc.constantFrom("1", "2", "3");
/** What a roll-back leaves no trace of in selects. */
const undoable: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(key, value).map(
    ([k, v]): Operation =>
      (table) =>
        table.insert(k, [["a", v]]),
  ),
  fc.tuple(key, value, value).map(
    ([k, v, old]): Operation =>
      (table) =>
        table.update(k, [["a", v]], where("a", old)),
  ),
  fc.tuple(key, value).map(
    ([k, v]): Operation =>
      (table) =>
        table.update(k, [["b", v]]),
  ),
);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: undoable },
  fc.tuple(key, value).map(
    ([k, v]): Operation =>
      (table) =>
        table.remove(k, where("a", v)),
  ),
);

/** What selects show: an absent column and an empty one alike. */
function visible(table: Table): string[][] {
  return ["x", "y", "z"].map((k) =>
    table
      .select(k)
      .map((row) => `${row.columns.get("a") ?? ""}|${row.columns.get("b") ?? ""}`)
      .sort(),
  );
}

test("a roll-back shows what there would be had nothing been done since the savepoint", () => {
  const operations = fc.array(operation, { maxLength: 12 });
  const undoables = fc.array(undoable, { maxLength: 12 });
  fc.assert(
    fc.property(operations, undoables, operations, (before, undone, after) => {
      const table = open(openOverlay(STORED));
      for (const run of [...before, ...after]) run(table);

      const overlay = openOverlay(STORED);
      const rolled = open(overlay);
      for (const run of before) run(rolled);
      const kept = visible(rolled);
      const savepoint = overlay.savepoint();
      for (const run of undone) run(rolled);
      overlay.rollback(savepoint);
      assert.deepEqual(visible(rolled), kept);
      for (const run of after) run(rolled);
      assert.deepEqual(visible(rolled), visible(table));
      // The touched set only ever grows.
      for (const id of table.dirtyRows.keys()) assert.ok(rolled.dirtyRows.has(id));
    }),
    { numRuns: cases(300) },
  );
});

test("nested roll-backs undo in the order of their savepoints", () => {
  const operations = fc.array(operation, { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(operations, { minLength: 1, maxLength: 5 }), (levels) => {
      const overlay = openOverlay(STORED);
      const table = open(overlay);
      const states: { readonly savepoint: number; readonly shown: string[][] }[] = [];
      for (const level of levels) {
        states.push({ savepoint: overlay.savepoint(), shown: visible(table) });
        for (const run of level) run(table);
      }
      for (const { savepoint, shown } of states.reverse()) {
        overlay.rollback(savepoint);
        assert.deepEqual(visible(table), shown);
      }
    }),
  );
});
