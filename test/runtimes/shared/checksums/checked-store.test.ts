/** A store over a disk that is not believed: checksums, sums, stores of earlier versions. */
// rules: README 30
import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, test } from "vitest";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import type { StoreWrite } from "../../../../core/ports/store.ts";
import { type MemoryStore, openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { entryChecksum as checksum } from "../../../../runtimes/node/store/entry-checksum.ts";
import { computedChecksum } from "../../../../runtimes/shared/checksums/crc32.ts";
import {
  type CheckedStore,
  openCheckedStore,
  type RawStore,
} from "../../../../runtimes/shared/checksums/checked-store.ts";
import { storedWrite } from "../../../../runtimes/shared/checksums/sealed-value.ts";
import { storedSum } from "../../../../runtimes/shared/checksums/sum-changes.ts";
import { storeContract } from "../../../contract/store.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const textOf = (value: Uint8Array | undefined) => value && Buffer.from(value).toString("latin1");
const parts = { checksum, place: "the store" };
const put = (key: string, value: string): StoreWrite => ({ key, value: bytes(value) });
const RELAXED = { durable: false } as const;

function rawOver(memory: MemoryStore): RawStore {
  const loadMany = async (keys: readonly string[]) => keys.map((key) => memory.get(key));
  const commitSealed: RawStore["commitSealed"] = (writes, how) =>
    memory.commit(writes.map(storedWrite), how);
  return Object.assign(Object.create(memory), { loadMany, commitSealed });
}

async function opened(entries: readonly (readonly [string, string])[] = []) {
  const raw = openMemoryStore(entries.map(([key, value]) => [key, bytes(value)] as const));
  const store = await openCheckedStore({ ...parts, raw: rawOver(raw) });
  return { raw, store };
}

storeContract("a checked store", async () => {
  const { store, raw } = await opened();
  return { store, reopen: () => openCheckedStore({ ...parts, raw: rawOver(raw.copy()) }) };
});

/** The sums of all tables as their rows would have them. */
async function trueSums(raw: MemoryStore): Promise<Map<string, { keys: number; sum: number }>> {
  const sums = new Map<string, { keys: number; sum: number }>();
  for (const { key, value } of await raw.range("r", "s", 1e6)) {
    const table = key.slice(0, key.indexOf("\0"));
    const { keys, sum } = sums.get(table) ?? { keys: 0, sum: 0 };
    const entry = checksum(key, value.subarray(0, -4));
    sums.set(table, { keys: keys + 1, sum: (sum + entry) % 2 ** 48 });
  }
  return sums;
}

async function assertSums(raw: MemoryStore, tables: readonly string[]) {
  const expected = await trueSums(raw);
  for (const table of tables)
    expect(storedSum(raw, `r${table}`, parts)).toEqual(
      expected.get(`r${table}`) ?? { keys: 0, sum: 0 },
    );
}

test("a flipped bit of any value is never given, by no kind of read", async () => {
  const { raw, store } = await opened();
  const keys = ["rtable\0key", `h${"x".repeat(32)}`, `n${"\0".repeat(7)}\x05`, "c", "mformat"];
  await store.commit(
    keys.map((key) => put(key, `value of ${key}`)),
    RELAXED,
  );
  for (const key of keys) {
    const whole = raw.get(key) ?? new Uint8Array(0);
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const flipped = whole.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await raw.commit([{ key, value: flipped }], RELAXED);
      assert.throws(() => store.get(key), StoreFault);
      await assert.rejects(store.load(key), StoreFault);
      await assert.rejects(store.range(key, `${key}\0`, 1), StoreFault);
    }
    await raw.commit([{ key, value: whole }], RELAXED);
    assert.equal(textOf(store.get(key)), `value of ${key}`);
  }
});

test.each([checksum, computedChecksum])("a long value is checked in turns", async (sum) => {
  const memory = openMemoryStore();
  let turns = 0;
  const nextTurn = async () => void turns++;
  const raw = rawOver(memory);
  const store = await openCheckedStore({ raw, place: "the store", checksum: sum, nextTurn });
  const value = new Uint8Array(2_500_000).map((_, at) => at % 251);
  await store.commit([{ key: "h1", value }], RELAXED);
  assert.equal(turns, 1);
  turns = 0;
  assert.deepEqual(await store.load("h1"), value);
  assert.equal(turns, 3);
  const flipped = memory.get("h1")?.slice() ?? value;
  flipped[2_400_000] = (flipped[2_400_000] ?? 0) ^ 1;
  await memory.commit([{ key: "h1", value: flipped }], RELAXED);
  await assert.rejects(store.load("h1"), StoreFault);
});

test("a fault names the record: two values that changed places, an empty one", async () => {
  const { raw, store } = await opened();
  await store.commit([put("ru_users\0alice", "1"), put("ru_users\0bob", "2")], RELAXED);
  const [one, two] = [raw.get("ru_users\0alice"), raw.get("ru_users\0bob")];
  await raw.commit(
    [
      { key: "ru_users\0alice", value: two },
      { key: "ru_users\0bob", value: one },
    ],
    RELAXED,
  );
  const words = "the store holds a damaged database: row alice of table u_users is not as it was";
  assert.throws(() => store.get("ru_users\0alice"), { name: "StoreFault", kind: "corrupt" });
  assert.throws(() => store.get("ru_users\0alice"), new RegExp(words));
  await raw.commit([{ key: "ru_users\0bob", value: new Uint8Array(0) }], RELAXED);
  assert.throws(() => store.get("ru_users\0bob"), /row bob/);
});

test("sums follow what is written, written again and deleted", async () => {
  const table = fc.constantFrom("a", "aa", "b");
  const write = fc.record({
    table,
    row: fc.constantFrom("1", "2", "3", "4"),
    value: fc.option(fc.string({ maxLength: 6, unit: "binary-ascii" }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(write, { maxLength: 6 }), { maxLength: 8 }), async (all) => {
      const { raw, store } = await opened();
      for (const batch of all) {
        await store.commit(
          batch.map(({ table: name, row, value }) => ({
            key: `r${name}\0${row}`,
            value: value === undefined ? undefined : bytes(value),
          })),
          RELAXED,
        );
      }
      await assertSums(raw, ["a", "aa", "b"]);
    }),
    { numRuns: 100 },
  );
});

const OLD: readonly (readonly [string, string])[] = [
  ...Array.from({ length: 9 }, (_, at) => [`b${"x".repeat(31)}${at}`, `body ${at}`] as const),
  [`e${"x".repeat(32)}`, "receipts"],
  [`h${"x".repeat(32)}`, "header"],
  [`n${"\0".repeat(8)}`, "hash"],
  [`o${"\0".repeat(8)}`, "nonces"],
  ...Array.from({ length: 200 }, (_, at) => [`rtable\0${at}`, `row ${at}`] as const),
  ["rother\0one", "row"],
  [`t${"x".repeat(32)}`, "place"],
  ["c", "votes"],
  ["mformat", "1"],
  ["poutline", "outline"],
];

async function assertContent(store: CheckedStore, changed: ReadonlyMap<string, string>) {
  for (const [key, value] of OLD)
    assert.equal(textOf(await store.load(key)), changed.get(key) ?? value, key);
  const found = await store.range("", "\xff\xff\xff", 1_000);
  assert.equal(found.length, OLD.length);
}

test("a store of an earlier version is read at once, and sealed while it is written", async () => {
  const { raw, store } = await opened(OLD);
  const reader = await openCheckedStore({ ...parts, raw: rawOver(raw), joined: true });
  const changed = new Map<string, string>();
  assert.equal(store.isSealed, false);
  await assertContent(store, changed);
  let [steps, at] = [0, 0];
  do {
    at += 37;
    const key = `rtable\0${at % 200}`;
    changed.set(key, `new ${at}`);
    await store.commit([put(key, `new ${at}`)], RELAXED);
    await assertContent(reader, changed);
    await assertContent(store, changed);
    steps += 1;
  } while (await store.sealMore(64));
  assert.ok(steps > 3);
  assert.ok(store.isSealed);
  await assertContent(store, changed);
  await assertContent(reader, changed);
  for (const { key, value } of await raw.range("", "\xff\xff", 1_000))
    assert.equal(
      checksum(key, value.subarray(0, -4)),
      Buffer.from(value).readUint32LE(value.length - 4),
    );
  await assertSums(raw, ["table", "other"]);
});

test("sealing that was cut short goes on when the store is opened again", async () => {
  const { raw, store } = await opened(OLD);
  await store.sealMore(300);
  const again = await openCheckedStore({ ...parts, raw: rawOver(raw.copy()) });
  assert.equal(again.isSealed, false);
  await assertContent(again, new Map());
  while (await again.sealMore(300));
  await assertContent(again, new Map());
});

test("bodies are read in either form until all are sealed", async () => {
  const { raw, store } = await opened(OLD);
  const key = `b${"y".repeat(32)}`;
  await store.commit([put(key, "new body")], RELAXED);
  assert.equal(textOf(await store.load(key)), "new body");
  while (await store.sealMore(50));
  assert.equal(textOf(await store.load(key)), "new body");
  const sealed = raw.get(key);
  assert.equal(sealed?.length, "new body".length + 4);
});

test("a watermark that is damaged or gone is no earlier version", async () => {
  for (const value of [undefined, bytes("12345")]) {
    const { raw, store } = await opened();
    await store.commit([put("mformat", "1")], RELAXED);
    await raw.commit([{ key: "\xff\xffw", value }], RELAXED);
    await assert.rejects(openCheckedStore({ ...parts, raw: rawOver(raw) }), /damaged database/);
  }
});

test("an empty value has the checksum of its key, wherever its array lies", async () => {
  const { store } = await opened();
  for (const value of [new Uint8Array(0), new Uint8Array(8).subarray(3, 3), Buffer.alloc(0)]) {
    await store.commit([{ key: "ru_users\0empty", value }], RELAXED);
    assert.deepEqual(store.get("ru_users\0empty")?.length, 0);
  }
});
