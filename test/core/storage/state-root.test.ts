import assert from "node:assert/strict";
import { test } from "vitest";
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { NEWEST_VERSION, version, type Version } from "../../../core/model/version.ts";
import { type RootTable, stateRoot, tableHash } from "../../../core/storage/state-root.ts";
import { SUITE } from "../../support/execution/test-chain.ts";

// rules: storage 5, tx-block-codec 12.4

const { hash } = SUITE;
const ZERO = new Uint8Array(32);

const rules = (supported: Version) => ({ version: supported, hash });

/** A row; `id` 0 is a new one. */
function row(id: number, columns: Readonly<Record<string, string>>, status = 0) {
  return { id, status, columns: new Map(Object.entries(columns)) };
}

function table(name: string, parts: Partial<RootTable> = {}): RootTable {
  return { name, keyField: "key", touched: true, dirty: [], inserted: [], ...parts };
}

/** H of text whose characters are bytes. */
const hashOfText = (text: string): Uint8Array => hash(bytesOf(text));

const MIXED = table("c_1", {
  dirty: [row(100_007, { key: "b", value: "2" }), row(100_003, { key: "c", value: "3" }, 1)],
  inserted: [row(0, { key: "z", value: "9" }), row(0, { key: "a", value: "1" })],
});

test("a table hashes its changed rows by id, then its new ones by key, each with its status", () => {
  const expected = "keycvalue3\x01keybvalue2\0" + "keyavalue1\0keyzvalue9\0";
  assert.deepEqual(tableHash(MIXED, rules(NEWEST_VERSION)), hashOfText(expected));
  assert.deepEqual(tableHash(MIXED, rules(version(2, 2, 0))), hashOfText(expected));
});

test("before 2.2.0 new rows, whose id is 0, come before changed ones", () => {
  const expected = "keyavalue1\0keyzvalue9\0keycvalue3\x01keybvalue2\0";
  assert.deepEqual(tableHash(MIXED, rules(version(2, 1, 0))), hashOfText(expected));
});

test("columns are hashed in the order of their names; those that begin or end with _ are not", () => {
  const columns = { value: "v", _num_: "7", key: "k", _x: "1", y_: "2", Zone: "z" };
  const hashed = tableHash(table("t", { inserted: [row(0, columns)] }), rules(NEWEST_VERSION));
  assert.deepEqual(hashed, hashOfText("Zonezkeykvaluev\0"));
});

test("the root hashes the hashes of the tables in the order of their names", () => {
  const first = table("a", { inserted: [row(0, { key: "1" })] });
  const second = table("b", { inserted: [row(0, { key: "2" })] });
  const [left, right] = [hashOfText("key1\0"), hashOfText("key2\0")];
  const expected = hash(concatBytes(left, right));
  for (const tables of [
    [first, second],
    [second, first],
  ])
    assert.deepEqual(stateRoot(tables, rules(NEWEST_VERSION)), expected);
});

test("a touched table without rows counts as the hash of nothing", () => {
  const withdrawn = table("a");
  const expected = hash(hash(new Uint8Array(0)));
  assert.deepEqual(stateRoot([withdrawn], rules(NEWEST_VERSION)), expected);
});

test("a table that was only opened counts with 32 zero bytes before 2.5.0 and not at all after", () => {
  const opened = table("a", { touched: false });
  assert.deepEqual(stateRoot([opened], rules(version(2, 4, 0))), hash(ZERO));
  assert.deepEqual(stateRoot([opened], rules(version(2, 5, 0))), ZERO);
  assert.deepEqual(stateRoot([], rules(version(2, 4, 0))), ZERO);
});
