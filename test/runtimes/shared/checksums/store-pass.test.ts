/** A pass through a store finds what no read would: rows that are gone, sums that are gone. */
// rules: README 30
import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { type MemoryStore, openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { entryChecksum as checksum } from "../../../../runtimes/node/store/entry-checksum.ts";
import {
  openCheckedStore,
  type RawStore,
} from "../../../../runtimes/shared/checksums/checked-store.ts";
import { storedWrite } from "../../../../runtimes/shared/checksums/sealed-value.ts";
import { passOver } from "../../../../runtimes/shared/checksums/store-pass.ts";

const RELAXED = { durable: false } as const;
const parts = { checksum, place: "the store" };

/** The store whose entries lie there. */
function checkedOver(raw: MemoryStore) {
  const loadMany = async (keys: readonly string[]) => keys.map((key) => raw.get(key));
  const commitSealed: RawStore["commitSealed"] = (writes, how) =>
    raw.commit(writes.map(storedWrite), how);
  const lying = Object.assign(Object.create(raw), { loadMany, commitSealed });
  return openCheckedStore({ ...parts, raw: lying });
}

/** Two large tables, a table of one row, an emptied one, and records of all kinds. */
async function filled(): Promise<MemoryStore> {
  const raw = openMemoryStore();
  const store = await checkedOver(raw);
  const rows = ["a", "aa"].flatMap((table) =>
    Array.from({ length: 300 }, (_, at) => `r${table}\0${at}`),
  );
  const records = ["b", "e", "h", "t"].flatMap((kind) =>
    Array.from({ length: 3 }, (_, at) => `${kind}${"x".repeat(31)}${at}`),
  );
  const all = [
    ...rows,
    "rone\0row",
    "rnone\0row",
    ...records,
    "c",
    "mformat",
    "n\0\0\0\0\0\0\0\x01",
  ];
  const value = (key: string) => new Uint8Array(Buffer.from(`value ${key}`));
  await store.commit(
    all.map((key) => ({ key, value: value(key) })),
    RELAXED,
  );
  await store.commit([{ key: "rnone\0row", value: undefined }], RELAXED);
  return raw;
}

/** @param meanwhile called after each page, while its view is open */
async function pass(raw: MemoryStore, meanwhile?: (key: string) => Promise<void>) {
  let [entries, open] = [0, 0];
  const view = () => {
    open += 1;
    const copy = raw.copy();
    const close = async () => {
      open -= 1;
    };
    return { get: copy.get, range: copy.range, close };
  };
  const run = async () => {
    for await (const page of passOver({ ...parts, view })) {
      entries += page.entries;
      assert.ok(page.entries <= 128);
      await meanwhile?.(page.key);
    }
  };
  const fault = await run().then(
    () => undefined,
    (cause: unknown) => String(cause),
  );
  assert.equal(open, 0);
  return { fault, entries };
}

test("a store that is whole passes, and every entry was examined", async () => {
  const raw = await filled();
  const { fault, entries } = await pass(raw);
  assert.equal(fault, undefined);
  // All but the watermark.
  assert.equal(entries, raw.size - 1);
});

test("rows that are gone are told with their table", async () => {
  for (const [key, words] of [
    ["ra\x005", "table a has 299 keys of rows, and 300 were written"],
    ["raa\x00299", "table aa has 299 keys of rows, and 300 were written"],
    ["rone\0row", "table one has 0 keys of rows, and 1 were written"],
    ["\xff\xffsra", "table a has 300 keys of rows, and 0 were written"],
  ] as const) {
    const raw = await filled();
    await raw.commit([{ key, value: undefined }], RELAXED);
    expect((await pass(raw)).fault).toContain(words);
  }
});

test("rows that are written behind the last one of a table meanwhile are no damage", async () => {
  const raw = await filled();
  const store = await checkedOver(raw);
  const value = new Uint8Array(3);
  let written = 0;
  const { fault } = await pass(raw, async (key) => {
    if (!key.startsWith("ra")) return;
    written += 1;
    const behind = `${key.slice(0, key.indexOf("\0"))}\0z${written}`;
    await store.commit([{ key: behind, value }], RELAXED);
  });
  assert.equal(fault, undefined);
  assert.ok(written > 0);
});

test("a row in an older form, or of another key, is told", async () => {
  const raw = await filled();
  const value = new Uint8Array(Buffer.from("old...."));
  new DataView(value.buffer).setUint32(3, checksum("ra\x005", value.subarray(0, 3)), true);
  await raw.commit([{ key: "ra\x005", value }], RELAXED);
  expect((await pass(raw)).fault).toContain("table a has rows that are not those");
  const other = await filled();
  await other.commit([{ key: "ra\x005", value: other.get("ra\x006") }], RELAXED);
  expect((await pass(other)).fault).toContain("row 5 of table a is not as it was written");
});
