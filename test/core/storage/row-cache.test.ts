import assert from "node:assert/strict";
import { test } from "vitest";
import { encodeRows } from "../../../core/storage/row-codec.ts";
import { createRowCache, storedRows } from "../../../core/storage/row-cache.ts";
import { rowsKey } from "../../../core/storage/system-tables.ts";
import type { StoredRow } from "../../../core/storage/table.ts";

// rules: storage 9

function rowOf(key: string, value: string): StoredRow {
  return {
    id: 100_002,
    number: 1,
    status: 0,
    columns: new Map([
      ["key", key],
      ["value", value],
    ]),
  };
}

/** A store that counts its reads. */
function countingStore(entries: readonly (readonly [string, string])[]) {
  const content = new Map(
    entries.map(([key, value]) => [rowsKey("t", key), encodeRows(key, [rowOf(key, value)])]),
  );
  const store = {
    reads: 0,
    get(key: string) {
      store.reads++;
      return content.get(key);
    },
  };
  return store;
}

test("rows are read from the store once, absent ones too", () => {
  const store = countingStore([["a", "1"]]);
  const cache = createRowCache(store);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(cache.rows("t", "a"), [rowOf("a", "1")]);
    assert.deepEqual(cache.rows("t", "absent"), []);
  }
  assert.equal(store.reads, 2);
});

test("rows that were replaced are read in place of the stored ones", () => {
  const store = countingStore([["a", "1"]]);
  const cache = createRowCache(store);
  cache.rows("t", "a");
  cache.replace(rowsKey("t", "a"), [rowOf("a", "2")]);
  assert.deepEqual(cache.rows("t", "a"), [rowOf("a", "2")]);
});

test("rows that were replaced by nothing are read from the store again, in either generation", () => {
  const store = countingStore([
    ["a", "1"],
    ["b", "2"],
  ]);
  const cache = createRowCache(store, 1_500);
  cache.rows("t", "a");
  cache.rows("t", "b");
  assert.ok(cache.bytes > 0);
  for (const key of ["a", "b"]) cache.replace(rowsKey("t", key), undefined);
  assert.equal(cache.bytes, 0);
  assert.deepEqual(cache.rows("t", "a"), [rowOf("a", "1")]);
  assert.equal(store.reads, 3);
});

test("the estimated memory stays within the bound", () => {
  const keys = Array.from(
    { length: 500 },
    (_, index) => [`key ${index}`, "x".repeat(100)] as const,
  );
  const store = countingStore(keys);
  const limit = 40_000;
  const cache = createRowCache(store, limit);
  for (const [key] of keys) {
    cache.rows("t", key);
    assert.ok(cache.bytes <= limit + 1_000, `${cache.bytes} bytes`);
  }
});

test("rows in steady use survive many others", () => {
  const keys = Array.from({ length: 500 }, (_, index) => [`key ${index}`, "x"] as const);
  const store = countingStore([...keys, ["hot", "1"]]);
  const cache = createRowCache(store, 40_000);
  cache.rows("t", "hot");
  for (const [key] of keys) {
    cache.rows("t", key);
    cache.rows("t", "hot");
  }
  assert.equal(store.reads, keys.length + 1);
});

test("a replaced row is not shadowed by an older generation", () => {
  const keys = Array.from({ length: 60 }, (_, index) => [`key ${index}`, "x"] as const);
  const store = countingStore([...keys, ["a", "old"]]);
  const cache = createRowCache(store, 40_000);
  cache.rows("t", "a");
  for (const [key] of keys) cache.rows("t", key);
  cache.replace(rowsKey("t", "a"), [rowOf("a", "new")]);
  assert.deepEqual(cache.rows("t", "a"), [rowOf("a", "new")]);
});

test("rows can be read without a cache", () => {
  const store = countingStore([["a", "1"]]);
  assert.deepEqual(storedRows(store, "t", "a"), [rowOf("a", "1")]);
});
