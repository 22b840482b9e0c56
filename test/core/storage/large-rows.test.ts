/** Keys of more rows than anybody keeps: decoded while they are read, appended to as they are. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { collectChanges, KEPT_BYTES } from "../../../core/ledger/changes.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { Overlay } from "../../../core/storage/overlay.ts";
import { createRowCache, storedRows, storeRows } from "../../../core/storage/row-cache.ts";
import {
  appendRows,
  decodeRows,
  encodeRows,
  encodeSeries,
  LARGE_BYTES,
  openRows,
  ROW_BYTES,
} from "../../../core/storage/row-codec.ts";
import { ACCESS_TABLE, rowsKey, TABLES_TABLE } from "../../../core/storage/system-tables.ts";
import {
  isLarge,
  type LargeRows,
  type RowSource,
  type StoredRow,
  type StoredRows,
  type Allowance,
} from "../../../core/storage/table.ts";

// rules: storage 1, 4, 6, 7, 9

function rowOf(id: number, a: string): StoredRow {
  const columns = new Map([
    ["name", "k"],
    ["a", a],
    ["b", ""],
  ]);
  return { id, number: 1, status: id % 7 === 0 ? 1 : 0, columns };
}

/** Rows whose decoded form is beyond what is kept: 2.7 MB by estimate, 0.1 MB when stored. */
const MANY = Array.from({ length: 8_000 }, (_, index) => rowOf(index + 1, String(index % 10)));
const MANY_RECORD = encodeRows("k", MANY);
/** A few that are large by their text. */
const LONG = [1, 2, 3].map((id) => rowOf(id, "x".repeat(2_000_000)));
const LONG_RECORD = encodeRows("k", LONG);

function opened(record: Uint8Array): LargeRows {
  const rows = openRows("k", record);
  assert.ok(isLarge(rows));
  return rows;
}

test("many rows, or long ones, are decoded while they are read; few are decoded at once", () => {
  for (const [record, rows] of [
    [MANY_RECORD, MANY],
    [LONG_RECORD, LONG],
  ] as const) {
    const large = opened(record);
    assert.equal(large.length, rows.length);
    for (let reading = 0; reading < 2; reading++) assert.deepEqual([...large], rows);
  }
  const few = MANY.slice(0, 100);
  assert.deepEqual(openRows("k", encodeRows("k", few)), few);
});

test("a large record that was cut is a corrupt store wherever it was cut", () => {
  const readAll = (record: Uint8Array) => () => [...openRows("k", record)];
  const isCorrupt = (fault: unknown) => fault instanceof StoreFault && fault.kind === "corrupt";
  for (const cut of [1, 2, 3, 1_000, LONG_RECORD.length / 2, LONG_RECORD.length - 1])
    assert.throws(readAll(LONG_RECORD.subarray(0, cut)), isCorrupt, String(cut));
  for (const cut of [3, 1_000, MANY_RECORD.length - 1])
    assert.throws(readAll(MANY_RECORD.subarray(0, cut)), isCorrupt, String(cut));
  const longer = new Uint8Array([...MANY_RECORD, 0]);
  assert.throws(readAll(longer), isCorrupt);
});

test("rows that are appended make the record that encoding all of them makes", () => {
  const text = fc.string({ unit: "binary-ascii", maxLength: 20 });
  const rows = fc.array(
    fc.tuple(fc.nat(), text).map(([id, a]) => rowOf(id, a)),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(rows, rows, (before, after) => {
      const record = encodeRows("k", before);
      const large: LargeRows = {
        record,
        length: before.length,
        countColumns: () => assert.fail("nothing is counted"),
        [Symbol.iterator]: () => assert.fail("nothing is decoded"),
      };
      const all = [...before, ...after];
      assert.deepEqual(appendRows("k", large, after), encodeRows("k", all));
      assert.deepEqual(encodeSeries("k", all.length, all), encodeRows("k", all));
    }),
  );
  assert.deepEqual(encodeSeries("k", MANY.length, MANY), MANY_RECORD);
});

test("columns count too: a few hundred rows of many columns are large", () => {
  const names = Array.from({ length: 360 }, (_, index) => [`c${index}`, ""] as const);
  const wide = (id: number): StoredRow => ({
    id,
    number: 1,
    status: 0,
    columns: new Map([["name", "k"], ...names]),
  });
  const rows = Array.from({ length: 90 }, (_, index) => wide(index));
  assert.deepEqual([...opened(encodeRows("k", rows))], rows);
  const fewer = rows.slice(0, 70);
  assert.deepEqual(openRows("k", encodeRows("k", fewer)), fewer);
});

test("what a block gives a cache decoded is never what the cache would read as large", () => {
  // The least rows and the least columns that there are.
  const least = (columns: number): StoredRow => ({
    id: 100_000,
    number: 1,
    status: 0,
    columns: new Map(
      Array.from({ length: columns }, (_, index) => [
        index === 0 ? "key" : String.fromCharCode(index % 256, index >> 8),
        index === 0 ? "k" : "",
      ]),
    ),
  });
  for (const columns of [1, 4, 5, 400, 8_000]) {
    const one = encodeRows("k", [least(columns)]).length - 1;
    const rows = Array.from({ length: Math.floor(KEPT_BYTES / one) }, () => least(columns));
    const record = encodeRows("k", rows);
    assert.ok(record.length > KEPT_BYTES - one - 4, `${record.length}`);
    assert.ok(!isLarge(openRows("k", record)), `${columns} columns`);
  }
  const rows = KEPT_BYTES / (encodeRows("k", [least(1)]).length - 1);
  assert.ok(rows * ROW_BYTES + KEPT_BYTES < LARGE_BYTES);
});

/** A store that counts its reads. */
function storeOf(entries: ReadonlyMap<string, Uint8Array>) {
  const store = {
    reads: 0,
    get(key: string) {
      store.reads++;
      return entries.get(key);
    },
  };
  return store;
}

test("a cache keeps the stored form of a large key, and nothing that takes half of it", () => {
  const store = storeOf(new Map([[rowsKey("t", "k"), MANY_RECORD]]));
  const cache = createRowCache(store, 2 * MANY_RECORD.length + 2_000);
  for (let reading = 0; reading < 3; reading++) assert.ok(isLarge(cache.stored("t", "k")));
  assert.equal(store.reads, 1);
  assert.ok(cache.bytes < MANY_RECORD.length + 1_000, `${cache.bytes}`);
  assert.deepEqual(cache.rows("t", "k"), MANY);

  const small = createRowCache(store, 2 * MANY_RECORD.length);
  const before = store.reads;
  for (let reading = 0; reading < 3; reading++) assert.ok(isLarge(small.stored("t", "k")));
  // Decoded, they are kept for one key at a time.
  assert.deepEqual([store.reads - before, small.bytes], [1, 0]);
  assert.deepEqual([...small.stored("t", "k")], MANY);
  small.replace(rowsKey("t", "k"), undefined);
  assert.ok(isLarge(small.stored("t", "k")));
  assert.equal(store.reads - before, 2);
  // Nor does it keep what was there before.
  const key = rowsKey("t", "other");
  small.replace(key, MANY.slice(0, 1));
  assert.equal(small.stored("t", "other").length, 1);
  small.replace(key, MANY.slice(0, 1_000));
  assert.deepEqual([small.stored("t", "other").length, store.reads - before], [0, 3]);
});

/** A table `u_t` whose key `k` has that record. */
function overlayOver(record: Uint8Array, opens: (rows: StoredRows) => StoredRows) {
  const schema = new Map([
    ["table_name", "u_t"],
    ["key_field", "name"],
    ["value_field", "a,b"],
  ]);
  const entries = new Map([
    [rowsKey("u_t", "k"), record],
    [
      rowsKey(TABLES_TABLE, "u_t"),
      encodeRows("u_t", [{ id: 1, number: 1, status: 0, columns: schema }]),
    ],
  ]);
  const plain = storeRows(storeOf(entries));
  const source: RowSource = {
    rows: plain.rows,
    stored: (name, key) => opens(plain.stored?.(name, key) ?? []),
  };
  const overlay = new Overlay({ source, version: NEWEST_VERSION, parentNumber: 5 });
  const table = overlay.open("u_t");
  assert.ok(table);
  return { overlay, table };
}
const asStored = (rows: StoredRows) => rows;
const decodedFirst = (rows: StoredRows): StoredRows => [...rows];

/** What a block does to a key, the same whether its rows are kept decoded or not. */
function history(opens: (rows: StoredRows) => StoredRows) {
  const { overlay, table } = overlayOver(MANY_RECORD, opens);
  const where = (value: string) => ({
    test: ({ columns }: { readonly columns: ReadonlyMap<string, string> }) =>
      columns.get("a") === value,
  });
  const seen = [table.select("k", { ...where("3"), offset: 5, count: 20 })];
  table.insert("k", [["a", "3"]]);
  table.update("k", [["a", "3"]], { ...where("4"), count: 7 });
  // Pages that end among the stored rows, among the changed ones and beyond all of them.
  for (const offset of [0, 3, 650, 679, 680, 5_000])
    seen.push(table.select("k", { ...where("3"), offset, count: 40 }));
  seen.push(table.select("k", { ...where("3"), offset: 600 }));
  const before = overlay.savepoint();
  table.remove("k", { ...where("3"), count: 3 });
  table.update("k", [["b", "other"]], where("5"));
  overlay.rollback(before);
  table.remove("k", { ...where("3"), offset: 2, count: 2 });
  seen.push(table.select("k", where("3")), table.select("k"));
  const scanned = table.scanned;
  const changes = collectChanges(overlay, 6, { counter: 200_000, blockRows: new Map() });
  return { seen, scanned, changes: changes.map(({ write }) => write) };
}

test("select, update, remove and the write see the same rows, kept or not", () => {
  const expected = history(decodedFirst);
  assert.equal(expected.seen[0]?.length, 20);
  assert.ok((expected.seen[8]?.length ?? 0) > 500);
  assert.deepEqual(history(asStored), expected);
});

test("a key that only got rows is written without decoding one", () => {
  const unread = (rows: StoredRows): StoredRows =>
    isLarge(rows) ? { ...rows, [Symbol.iterator]: () => assert.fail("read") } : rows;
  const { overlay, table } = overlayOver(LONG_RECORD, unread);
  table.insert("k", [["a", "new"]]);
  const [change, ...others] = collectChanges(overlay, 6, { counter: 50, blockRows: new Map() });
  assert.equal(others.length, 1, "and the counter");
  assert.equal(change?.rows, undefined);
  const value = change?.write.value;
  assert.ok(value);
  const rows = decodeRows("k", value);
  assert.deepEqual(rows.slice(0, 3), LONG);
  assert.deepEqual([rows[3]?.id, rows[3]?.columns.get("a"), rows.length], [51, "new", 4]);
});

test("all that is stored under a key counts once when a block changes the key", () => {
  const { overlay, table } = overlayOver(LONG_RECORD, asStored);
  const heldBy = (change: () => void): number => {
    const before = overlay.held;
    change();
    return overlay.held - before;
  };
  const insert = () => table.insert("k", [["a", "new"]]);
  assert.equal(heldBy(insert), 1_000 + 3 + LONG_RECORD.length - 1_000);
  assert.equal(heldBy(insert), 1_000 + 3);
});

/** An allowance that ends what asks for more, and what was asked for. */
function allow(most: { readonly room: number; readonly work: number }) {
  const asked = { room: 0, questions: 0, work: 0 };
  const allowance: Allowance = {
    room(bytes) {
      asked.room = bytes;
      asked.questions++;
      if (bytes > most.room) throw new Error("too much");
    },
    work(amount) {
      asked.work += amount;
      if (asked.work > most.work) throw new Error("too long");
    },
  };
  return { allowance, asked };
}

test("reading large rows is work, asked for on the way and as far as it goes", () => {
  const { overlay, table } = overlayOver(MANY_RECORD, asStored);
  const none = { test: () => false };
  const all = allow({ room: Infinity, work: Infinity });
  overlay.allowance = all.allowance;
  table.select("k", none);
  const fetched = Math.ceil(MANY_RECORD.length / 2);
  // A row, its three columns, and two bytes of text: the key and a digit.
  const row = 200 + 3 * 70 + 5;
  assert.equal(all.asked.work, fetched + MANY.length * row);
  table.select("k", { count: 1 });
  assert.equal(all.asked.work, 2 * fetched + (MANY.length + 1) * row);

  let judged = 0;
  overlay.allowance = allow({ room: Infinity, work: 500_000 }).allowance;
  const count = () => {
    judged++;
    return false;
  };
  assert.throws(() => table.select("k", { test: count }), /too long/);
  assert.ok(judged < 700_000 / row, `${judged}`);
  // One that changes a row is work for all, which are written again.
  const changing = allow({ room: Infinity, work: Infinity });
  overlay.allowance = changing.allowance;
  table.update("k", [["b", "x"]], { test: ({ id }) => id < 3 });
  const { length } = MANY_RECORD;
  const again = MANY.length * (200 + 3 * 70) + Math.ceil(length * 2.5);
  assert.equal(changing.asked.work, fetched + MANY.length * row + length + 2 * again);
});

test("columns of large rows are counted without decoding them", () => {
  assert.equal(opened(MANY_RECORD).countColumns(), 3 * MANY.length);
  for (const cut of [MANY_RECORD.subarray(0, 500), LONG_RECORD.subarray(0, 3_000_000)])
    assert.throws(() => opened(cut).countColumns(), StoreFault);
});

test("names that rows share are read as they are written, also where they differ", () => {
  const named = (id: number, ...names: readonly string[]): StoredRow => ({
    id,
    number: 1,
    status: 0,
    columns: new Map(names.map((name, index) => [name, String(index)])),
  });
  const rows = [
    named(1, "one", "two"),
    named(2, "one", "owt"),
    named(3, "two", "one", "value"),
    named(4, "value", "on", "three"),
    named(5, "one", "two"),
  ];
  assert.deepEqual(decodeRows("k", encodeRows("k", rows)), rows);
});

test("a list of writers that is too long to be read leaves no open table behind", () => {
  const writers = MANY.map(({ id }) => ({
    id,
    number: 1,
    status: 0,
    columns: new Map([
      ["table_name", ACCESS_TABLE],
      ["address", `0x${"1".repeat(40)}`],
    ]),
  }));
  const entries = new Map([
    [rowsKey(ACCESS_TABLE, ACCESS_TABLE), encodeRows(ACCESS_TABLE, writers)],
  ]);
  const source = storeRows(storeOf(entries));
  const overlay = new Overlay({ source, version: NEWEST_VERSION, parentNumber: 5 });
  overlay.allowance = allow({ room: 1_000_000, work: Infinity }).allowance;
  assert.throws(() => overlay.open(ACCESS_TABLE), /too much/);
  overlay.allowance = undefined;
  const before = overlay.held;
  assert.equal(overlay.open(ACCESS_TABLE)?.permitted.length, MANY.length);
  assert.ok(overlay.held - before >= MANY.length * 42);
});

test("who finds more than may be held is stopped while rows are read", () => {
  const { overlay, table } = overlayOver(LONG_RECORD, asStored);
  const { allowance, asked } = allow({ room: 3_000_000, work: Infinity });
  overlay.allowance = allowance;
  assert.throws(() => table.select("k"), /too much/);
  assert.equal(asked.questions, 2);
  const second = table.select("k", { test: ({ id }) => id === 2 });
  assert.deepEqual([second.length, asked.questions], [1, 3]);
  // A page is what counts.
  assert.equal(table.select("k", { offset: 1, count: 1 }).length, 1);
  // Each reading makes copies of its own, which are all kept.
  const before = overlay.held;
  for (let reading = 0; reading < 2; reading++) table.pin("k", second);
  assert.ok(overlay.held - before > 2 * 2_000_000);
});

test("copies of many rows are counted while they are made, and can be undone", () => {
  const { overlay, table } = overlayOver(MANY_RECORD, asStored);
  const before = overlay.savepoint();
  const most = overlay.held + MANY_RECORD.length + 4_000_000;
  const room = (bytes: number) => {
    if (bytes === 0 && overlay.held > most) throw new Error("too much");
  };
  overlay.allowance = { room, work: () => {} };
  assert.throws(() => table.update("k", [["b", "other"]]), /too much/);
  assert.ok(table.dirtyRows.size < 4_200, `${table.dirtyRows.size}`);
  overlay.rollback(before);
  assert.ok([...table.dirtyRows.values()].every(({ columns }) => columns.get("b") === ""));
});

test("rows straight from a store are the same whichever way they are asked for", () => {
  const store = storeOf(new Map([[rowsKey("t", "k"), LONG_RECORD]]));
  assert.deepEqual(storedRows(store, "t", "k"), LONG);
  assert.deepEqual([...(storeRows(store).stored?.("t", "k") ?? [])], LONG);
});
