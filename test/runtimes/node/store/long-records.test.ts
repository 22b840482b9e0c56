/** Long records of blocks, which lie in pieces. */
// rules: storage 13.1
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterAll, beforeAll, test } from "vitest";
import type { Hash } from "../../../../core/bytes/ids.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { bodyKey, receiptsKey } from "../../../../core/ledger/keys.ts";
import { entryChecksum } from "../../../../runtimes/node/store/entry-checksum.ts";
import {
  PIECE_BYTES,
  PieceQueue,
  pieceCensus,
  wholeReader,
} from "../../../../runtimes/node/store/long-records.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import type { Reader } from "../../../../runtimes/shared/checksums/checked-reader.ts";
import { sealedWrite, storedWrite } from "../../../../runtimes/shared/checksums/sealed-value.ts";

let root = "";
let count = 0;
const folder = () => join(root, `db-${count++}`);
const hash = (digit: string) => `0x${digit.repeat(64)}` as Hash;
const bodyOne = bodyKey(hash("1"));
const receipts = receiptsKey(hash("2"));
const LONG = 2.5 * PIECE_BYTES;

/** Bytes that differ from piece to piece. */
function record(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 16)) & 0xff);
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "long-records-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** What lies in the database itself. */
async function withRaw<Result>(
  path: string,
  work: (level: ClassicLevel<Uint8Array, Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const views = { keyEncoding: "view", valueEncoding: "view" } as const;
  const level = new ClassicLevel<Uint8Array, Uint8Array>(path, views);
  await level.open();
  try {
    return await work(level);
  } finally {
    await level.close();
  }
}

async function rawEntries(path: string) {
  return withRaw(path, async (level) =>
    (await level.iterator().all()).map(([key, value]) => ({
      key: Buffer.from(key).toString("latin1"),
      bytes: value.length,
    })),
  );
}

function assertSame(read: Uint8Array | undefined, written: Uint8Array): void {
  assert.ok(read && Buffer.compare(read, written) === 0, `${read?.length} bytes were read`);
}

const isDamage = (error: unknown) =>
  error instanceof StoreFault &&
  error.kind === "corrupt" &&
  /the (body|receipts) of (proposal|block) 0x1{64}|0x2{64}|is not as it was written/.test(
    error.message,
  );

test("a long record lies in pieces, and is read as it was written in every way", async () => {
  const path = folder();
  const store = await openLevelStore(path, { create: true });
  const whole = record(LONG);
  const short = new Uint8Array([1, 2, 3]);
  await store.commit(
    [
      { key: bodyKey(hash("0")), value: short },
      { key: bodyOne, value: whole },
      { key: receipts, value: whole },
      { key: "rtable\0key", value: whole },
    ],
    { durable: true },
  );
  for (const reader of [store, store.snapshot()]) {
    assertSame(await reader.load(bodyOne), whole);
    assertSame(reader.get(receipts), whole);
    const found = await reader.range("", "s", 2);
    assert.deepEqual(
      found.map(({ key, value }) => [key, value.length]),
      [
        [bodyKey(hash("0")), 3],
        [bodyOne, LONG],
      ],
    );
    assert.equal((await reader.range("", "s", 10)).length, 4);
  }
  assert.ok(await store.has(bodyOne));
  await store.close();

  const largest = (await rawEntries(path)).filter(({ key }) => !key.startsWith("r"));
  const mark = await withRaw(path, (level) => level.get(Buffer.from(bodyOne, "latin1")));
  assert.equal(Buffer.from(mark ?? []).toString("latin1", 0, 14), "\xff\xff\xff\xffin pieces ");
  assert.ok(Math.max(...largest.map(({ bytes }) => bytes)) <= PIECE_BYTES + 4);
  const again = await openLevelStore(path, { create: false });
  assertSame(await again.load(bodyOne), whole);
  await again.close();
});

/** What lies under the keys of a long record. */
function* entriesOf(key: string, whole: Uint8Array): Generator<readonly [string, Uint8Array]> {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(whole.length);
  yield [key, Buffer.concat([Buffer.from("\xff\xff\xff\xffin pieces ", "latin1"), length])];
  for (let at = 0; at * PIECE_BYTES < whole.length; at++)
    yield [
      `${key}\0${String.fromCharCode(at)}`,
      whole.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
    ];
}

test("pieces are read one at a time, by whichever reader of a store", async () => {
  const whole = record(LONG);
  const lying = new Map([...entriesOf(bodyOne, whole), ...entriesOf(receipts, whole)]);
  let [reading, most] = [0, 0];
  const inner: Reader = {
    get: (key) => lying.get(key),
    async load(key) {
      const isPiece = key.length > bodyOne.length;
      if (isPiece) most = Math.max(most, ++reading);
      await new Promise((resume) => void setImmediate(resume));
      if (isPiece) reading--;
      return lying.get(key);
    },
    range: () => Promise.reject(new Error("nothing asks for a range")),
  };
  const parts = { place: "a store", pieces: new PieceQueue() };
  const readers = [wholeReader(inner, parts), wholeReader(inner, parts)];
  const keys = [bodyOne, receipts, bodyOne];
  const found = await Promise.all(readers.flatMap((reader) => keys.map((key) => reader.load(key))));
  for (const each of found) assertSame(each, whole);
  assert.equal(most, 1);
});

test("a long record that is deleted leaves no piece behind", async () => {
  const path = folder();
  const store = await openLevelStore(path, { create: true });
  await store.commit([{ key: bodyOne, value: record(LONG) }], { durable: false });
  await store.commit([{ key: bodyOne, value: undefined }], { durable: true });
  assert.equal(await store.load(bodyOne), undefined);
  await store.close();
  assert.deepEqual(
    (await rawEntries(path)).filter(({ key }) => key.startsWith("b")),
    [],
  );
});

test("a record that an earlier version wrote as one entry is read", async () => {
  const path = folder();
  await (await openLevelStore(path, { create: true })).close();
  const whole = record(LONG);
  const { value = whole } = storedWrite(sealedWrite(entryChecksum, bodyOne, whole));
  await withRaw(path, (level) => level.put(Buffer.from(bodyOne, "latin1"), value));
  const store = await openLevelStore(path, { create: false });
  assertSame(await store.load(bodyOne), whole);
  await store.close();
});

for (const [what, change] of [
  [
    "a flipped bit in",
    (value: Uint8Array) => value.map((byte, at) => (at === 9 ? byte ^ 4 : byte)),
  ],
  ["the loss of", () => undefined],
] as const)
  test(`${what} a piece is found by a read`, async () => {
    const path = folder();
    const store = await openLevelStore(path, { create: true });
    await store.commit([{ key: receipts, value: record(LONG) }], { durable: true });
    await store.close();
    await withRaw(path, async (level) => {
      const key = Buffer.from(`${receipts}\x00\x01`, "latin1");
      const value = await level.get(key);
      assert.ok(value);
      const other = change(value);
      await (other ? level.put(key, other) : level.del(key));
    });
    const damaged = await openLevelStore(path, { create: false });
    let told: StoreFault | undefined;
    damaged.onDamage((fault) => {
      told = fault;
    });
    await assert.rejects(damaged.load(receipts), isDamage);
    assert.ok(isDamage(told));
    assert.throws(() => damaged.get(receipts), isDamage);
    await damaged.close();
  });

test("nothing is written behind a deletion that meets damage", async () => {
  const path = folder();
  const store = await openLevelStore(path, { create: true });
  await store.commit([{ key: bodyOne, value: record(9) }], { durable: true });
  await store.close();
  await withRaw(path, (level) => level.put(Buffer.from(bodyOne, "latin1"), record(30)));
  const damaged = await openLevelStore(path, { create: false });
  const deletion = damaged.commit([{ key: bodyOne, value: undefined }], { durable: false });
  const later = damaged.commit([{ key: "mlater", value: record(1) }], { durable: false });
  await assert.rejects(deletion, isDamage);
  await assert.rejects(later, isDamage);
  assert.equal(damaged.get("mlater"), undefined);
  await damaged.close();
});

test("a count finds a piece that is gone, and none of a record that is", async () => {
  const taken: string[] = [];
  const inner = { take: async (key: string) => void taken.push(key), end: () => undefined };
  const path = folder();
  const store = await openLevelStore(path, { create: true });
  await store.commit([{ key: bodyOne, value: record(LONG) }], { durable: true });
  await store.close();
  const entries = await withRaw(path, async (level) =>
    (await level.iterator().all())
      .map(([key, value]) => [Buffer.from(key).toString("latin1"), value.slice(0, -4)] as const)
      .filter(([key]) => key.startsWith("b")),
  );
  assert.equal(entries.length, 4);
  const count = async (without: number, isThere: boolean) => {
    const census = pieceCensus(inner, { place: "here", has: async () => isThere });
    for (const [at, [key, value]] of entries.entries())
      if (at !== without) await census.take(key, value);
    await census.take("hx", new Uint8Array());
  };
  await count(-1, true);
  assert.deepEqual(taken, [bodyOne, "hx"]);
  for (const without of [1, 2, 3]) {
    await assert.rejects(count(without, true), isDamage);
    await count(without, false);
  }
});
