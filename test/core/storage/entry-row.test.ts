import assert from "node:assert/strict";
import { test } from "vitest";
import { entryRow, looseRow, setRowColumn } from "../../../core/storage/entry-row.ts";
import { ColumnFault, type Table } from "../../../core/storage/live-table.ts";
import type { Overlay } from "../../../core/storage/overlay.ts";
import { TABLES_TABLE } from "../../../core/storage/system-tables.ts";
import { openOverlay, registration } from "../../support/execution/overlays.ts";

// rules: storage 4, 4.1

const LONG = "x".repeat(10_000);

/** Two tables whose key columns have one name, and one with another. */
function openTables(): { overlay: Overlay; t: Table; same: Table; other: Table } {
  const registrations = [
    registration("u_t", "name", "a"),
    registration("u_same", "name", "a"),
    registration("u_other", "id", "a"),
  ];
  const overlay = openOverlay([], {
    tables: {
      [TABLES_TABLE]: { keyField: "table_name", rows: registrations },
      u_t: {
        keyField: "name",
        rows: [
          { id: 11, key: "x", columns: { a: "1" } },
          { id: 12, key: "full", columns: { a: LONG } },
        ],
      },
    },
  });
  const [t, same, other] = ["u_t", "u_same", "u_other"].map((name) => overlay.open(name));
  assert.ok(t && same && other);
  return { overlay, t, same, other };
}

function heldBy(overlay: Overlay, change: () => void): number {
  const before = overlay.held;
  change();
  return overlay.held - before;
}

const keysOf = (table: Table, ...keys: string[]) => keys.map((key) => table.select(key).length);

test("a row of an object lies in each table that adopted it, under the key that it has", () => {
  const { overlay, t, same, other } = openTables();
  const row = looseRow(new Map([["a", "1"]]));
  t.adopt("k", row);
  other.adopt("i", row);
  assert.deepEqual(keysOf(t, "k"), [1]);
  // A key column of the same name moves it in the first table too.
  same.adopt("m", row);
  assert.deepEqual(
    [keysOf(t, "k", "m"), keysOf(same, "m"), keysOf(other, "i")],
    [[0, 0], [1], [1]],
  );
  setRowColumn(overlay, row, ["a", "2"]);
  for (const [table, key] of [
    [same, "m"],
    [other, "i"],
  ] as const)
    assert.equal(table.select(key)[0]?.columns.get("a"), "2");
});

test("a roll-back withdraws an adopted row and leaves what the object was set to", () => {
  const { overlay, t } = openTables();
  const row = looseRow(new Map());
  const savepoint = overlay.savepoint();
  t.adopt("k", row);
  setRowColumn(overlay, row, ["a", "2"]);
  overlay.rollback(savepoint);
  assert.deepEqual([keysOf(t, "k"), row.columns.get("a")], [[0], "2"]);
  t.adopt("k", row);
  assert.deepEqual(keysOf(t, "k"), [1]);
});

test("a roll-back withdraws one of two rows of an object; a removal marks those that are found", () => {
  const { overlay, t, same } = openTables();
  const row = looseRow(new Map());
  t.adopt("k", row);
  const savepoint = overlay.savepoint();
  same.adopt("k", row);
  overlay.rollback(savepoint);
  assert.deepEqual([keysOf(t, "k"), keysOf(same, "k")], [[1], [0]]);
  same.adopt("k", row);
  t.remove("k");
  assert.deepEqual([keysOf(t, "k"), keysOf(same, "k")], [[0], [1]]);
});

test("text that an object is set to counts for each row that has it", () => {
  const { overlay, t } = openTables();
  const row = looseRow(new Map());
  const set = () => heldBy(overlay, () => setRowColumn(overlay, row, ["a", LONG]));
  const once = set();
  for (let copies = 1; copies <= 3; copies++) {
    t.adopt("k", row);
    assert.equal(set(), copies * once);
  }
  const plain = heldBy(overlay, () => t.update("x", [["a", LONG]]));
  const shared = heldBy(overlay, () => t.update("k", [["a", LONG]]));
  assert.ok(shared > plain + 2 * LONG.length, `${shared}`);
});

test("no text is set that there is no room for", () => {
  const { overlay, t } = openTables();
  const row = looseRow(new Map());
  t.adopt("k", row);
  const asked: number[] = [];
  overlay.allowance = {
    room(bytes) {
      asked.push(bytes);
      throw new RangeError("no room");
    },
    work: () => undefined,
  };
  assert.throws(() => setRowColumn(overlay, row, ["a", LONG]), RangeError);
  assert.deepEqual([row.columns.has("a"), (asked[0] ?? 0) > LONG.length], [false, true]);
});

test("a key that an object gives to a row counts what is written again under it, once", () => {
  const { overlay, t } = openTables();
  const [first, second] = [looseRow(new Map()), looseRow(new Map())];
  for (const row of [first, second]) t.adopt("k", row);
  setRowColumn(overlay, first, ["name", "none"]);
  const short = heldBy(overlay, () => setRowColumn(overlay, first, ["name", "none"]));
  const moved = heldBy(overlay, () => setRowColumn(overlay, first, ["name", "full"]));
  assert.ok(moved > short + LONG.length - 1_000, `${moved}`);
  assert.equal(
    heldBy(overlay, () => setRowColumn(overlay, second, ["name", "full"])),
    short,
  );
  assert.equal(
    heldBy(overlay, () => t.insert("full", [])),
    1_000,
  );
});

/** What the last of this many adoptions of a row, each under a key of its own, counts. */
function lastOfAdoptions(tables: number, adoptions: number): { effort: number; held: number } {
  const names = Array.from({ length: tables }, (_, index) => `u_${index}`);
  const rows = names.map((name) => registration(name, "name", "a"));
  const overlay = openOverlay([], { tables: { [TABLES_TABLE]: { keyField: "table_name", rows } } });
  const row = looseRow(new Map());
  const opened = names.map((name) => overlay.open(name));
  for (const table of opened) table?.adopt("k", row);
  const counts = { effort: 0, held: 0 };
  for (let nth = 0; nth < adoptions; nth++) {
    const before = { effort: overlay.effort, held: overlay.held };
    opened[0]?.adopt(`k${nth}`, row);
    counts.effort = overlay.effort - before.effort;
    counts.held = overlay.held - before.held;
  }
  return counts;
}

test("an adoption counts for each table that the row moves in", () => {
  const one = lastOfAdoptions(1, 1);
  const [few, many] = [lastOfAdoptions(100, 3), lastOfAdoptions(500, 20)];
  assert.ok(many.effort - few.effort >= 400 * 1_000, `${few.effort} ${many.effort}`);
  assert.ok(many.held - few.held >= 400 * 40, `${few.held} ${many.held}`);
  assert.ok(few.effort - one.effort >= 99 * 1_000, `${one.effort} ${few.effort}`);
});

test("no key is kept that there is no room for", () => {
  const { overlay, t, same } = openTables();
  const row = looseRow(new Map());
  t.adopt("k", row);
  overlay.allowance = {
    room() {
      throw new RangeError("no room");
    },
    work: () => undefined,
  };
  const before = overlay.held;
  assert.throws(() => same.adopt("m", row), RangeError);
  assert.deepEqual([overlay.held, same.newRows.length, keysOf(t, "k")], [before, 0, [1]]);
});

test("a stored row keeps its key; its columns may be given to another row", () => {
  const { overlay, t, other } = openTables();
  t.update("x", [["a", "2"]]);
  const [found] = t.select("x");
  assert.ok(found);
  const row = entryRow(found, t);
  assert.equal(row, t.dirtyRows.get(11));
  assert.throws(() => setRowColumn(overlay, row, ["name", "y"]), ColumnFault);
  const copy = other.adopt("i", row);
  assert.deepEqual([copy.id, copy === row, copy.columns === row.columns], [0, false, true]);
  t.adopt("x", row);
  setRowColumn(overlay, row, ["a", "3"]);
  assert.deepEqual(
    t.select("x").map(({ id, columns }) => [id, columns.get("a")]),
    [
      [11, "3"],
      [0, "3"],
    ],
  );
  // Through the new row as well.
  assert.throws(() => setRowColumn(overlay, copy, ["name", "y"]), ColumnFault);
});

test("a stored row that is inserted under another key is copied", () => {
  const { overlay, t, same } = openTables();
  t.update("x", [["a", "2"]]);
  const [found] = t.select("x");
  assert.ok(found);
  const row = entryRow(found, t);
  for (const table of [same, t]) table.adopt("y", row);
  assert.deepEqual([keysOf(t, "x", "y"), keysOf(same, "y")], [[1, 1], [1]]);
  setRowColumn(overlay, row, ["a", "3"]);
  const texts = [t.select("x"), t.select("y"), same.select("y")].map(([one]) => [
    one?.id,
    one?.columns.get("a"),
  ]);
  assert.deepEqual(texts, [
    [11, "3"],
    [0, "2"],
    [0, "2"],
  ]);
});

test("a row that nothing changed is copied for an object", () => {
  const { overlay, t } = openTables();
  const [found] = t.select("x");
  assert.ok(found);
  const row = entryRow(found, t);
  setRowColumn(overlay, row, ["a", "9"]);
  setRowColumn(overlay, row, ["name", "elsewhere"]);
  assert.equal(t.select("x")[0]?.columns.get("a"), "1");
  assert.equal(t.touched, false);
});
