/** What LevelDB reads from a damaged table is not believed: its keys are compared first. */
// rules: README 30
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  appendFile,
  cp,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import {
  dropNames,
  guardTables,
  keepTables,
  noteManifest,
} from "../../../../../runtimes/node/store/level-files/opened-tables.ts";
import { TableSums } from "../../../../../runtimes/node/store/level-files/table-sums.ts";
import { openLedger } from "../../../../../runtimes/node/store/open-ledger.ts";
import { pause } from "../../../../../runtimes/node/store/pause.ts";
import { checkBeforeOpening } from "../../../../../runtimes/node/store/start-check.ts";
import { openLevelStore } from "../../../../../runtimes/node/store/store.ts";
import type { Pause } from "../../../../../runtimes/shared/checksums/background-pass.ts";
import { temporaryFolder } from "../../../../support/ledger/recorded-folder.ts";

const LOG = { write: () => undefined };
const KEYS = Array.from({ length: 40 }, (_, at) => `o${"\0".repeat(7)}${String.fromCharCode(at)}`);

/** As many as need a hundred blocks. */
const MANY_KEYS = Array.from({ length: 2_000 }, (_, at) => `p${`${at}`.padStart(8, "0")}`);

let parent = "";
beforeAll(async () => {
  parent = await temporaryFolder();
});
afterAll(() => rm(parent, { recursive: true, force: true }));

/** A ledger with an older value of each key in one table and a newer one in another, closed. */
async function filled(name: string): Promise<string> {
  const folder = join(parent, name);
  for (const round of [1, 2, 3]) {
    const store = await openLevelStore(folder, { create: true });
    const writes = KEYS.map((key) => ({ key, value: new Uint8Array(300).fill(round) }));
    if (round < 3) await store.commit(writes, { durable: true });
    await store.close();
  }
  return folder;
}

/** The names of the tables, the newest last. */
async function tablesOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".ldb")).sort();
}

/** Zeros the first bytes of a table. */
async function zeroBytes(path: string): Promise<void> {
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0, 0, 200));
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resume) => setTimeout(resume, 5));
}

/** What is found damaged in a ledger whose tables are kept by their second names. */
async function guarded(folder: string) {
  const tables = await checkBeforeOpening(folder, { note: assert.fail, wholeTables: false });
  const opened = await keepTables(folder, tables);
  const told: string[] = [];
  await noteManifest(opened);
  const guard = await guardTables(opened, ({ message }) => told.push(message));
  return { guard, told, tables, opened };
}

test("what a damaged table may hold is refused, and all else is not", async () => {
  const folder = await filled("zeroed");
  const newest = (await tablesOf(folder)).at(-1) ?? "";
  await zeroBytes(join(folder, newest));
  const { guard, told } = await guarded(folder);
  const refused = new RegExp(`${newest}: block of \\d+ bytes at byte 0 is `);
  const [first = "", last = ""] = [KEYS[0], KEYS.at(-1)];
  guard.require("n");
  assert.deepEqual(told, []);
  // A range ends where it finds the first key that is not its own.
  assert.throws(() => guard.requireRange("a", first), refused);
  assert.throws(() => guard.require(first), refused);
  assert.throws(() => guard.require(last), refused);
  assert.throws(() => guard.requireRange("a", `${first}\0`), refused);
  assert.match(told[0] ?? "", refused);
  // No older value, and no absence, is given where a newer one was in a damaged block.
  await dropNames(folder);
  const store = await openLedger(folder, LOG);
  assert.throws(() => store.get(first), refused);
  await assert.rejects(store.load(last), refused);
  await assert.rejects(store.range(first, "p", 10), refused);
  await assert.rejects(store.has(first), refused);
  await store.close();
});

/** A ledger with one table of many blocks, of which one byte is changed, and its guard. */
async function flipped(name: string, placeIn: (bytes: number) => number, keys = MANY_KEYS) {
  const folder = join(parent, name);
  for (const isFirst of [true, false]) {
    const store = await openLevelStore(folder, { create: true });
    const writes = keys.map((key) => ({ key, value: new Uint8Array(randomBytes(300)) }));
    if (isFirst) await store.commit(writes, { durable: true });
    await store.close();
  }
  const [table = ""] = await tablesOf(folder);
  const bytes = await readFile(join(folder, table));
  const place = placeIn(bytes.length);
  bytes[place] = (bytes[place] ?? 0) ^ 4;
  await writeFile(join(folder, table), bytes);
  return { ...(await guarded(folder)), folder };
}

test("of a table that is not yet compared a read compares what it may take", async () => {
  // A row takes some 310 bytes, and a block has 4 KiB of them; the first one is always compared.
  const [first = "", middle = "", last = ""] = [32, 1_000, 1_999].map((at) => MANY_KEYS[at]);
  const wrong = /block of \d+ bytes at byte \d+ is checksum/;
  const begun = await flipped("first-block", () => 10_000);
  begun.guard.require(last);
  begun.guard.requireRange(middle, `${middle.slice(0, -1)}9`);
  assert.deepEqual(begun.told, []);
  assert.throws(() => begun.guard.require(first), wrong);
  // What was damaged may be missing anywhere in the tables of a compaction: the manifest has grown.
  const merged = await flipped("merged", () => 10_000);
  merged.guard.require(last);
  const [manifest = ""] = (await readdir(merged.folder)).filter((it) => it.startsWith("MANIFEST"));
  await appendFile(join(merged.folder, manifest), "x");
  assert.throws(() => merged.guard.require(last), wrong);
  // A compaction may end between the comparison and the end of a read.
  const ended = await flipped("ended", () => 10_000);
  ended.guard.require(last);
  ended.guard.requireAgain(last);
  const [grown = ""] = (await readdir(ended.folder)).filter((it) => it.startsWith("MANIFEST"));
  await appendFile(join(ended.folder, grown), "x");
  assert.throws(() => ended.guard.requireAgain(last), wrong);
  // Where blocks stand, and which keys they have: every read takes that.
  for (const fromEnd of [300, 6_000]) {
    const { guard } = await flipped(`tail-${fromEnd}`, (bytes) => bytes - fromEnd);
    assert.throws(() => guard.require(middle), wrong);
  }
  // A read of more than a few blocks has all compared.
  const { guard } = await flipped("middle-block", (bytes) => bytes >> 1);
  assert.throws(() => guard.requireRange(first, last), wrong);
});

test("all tables are compared once somebody listens, and have their second names until then", async () => {
  const folder = await filled("whole");
  const store = await openLedger(folder, LOG);
  const names = `${folder}.opened`;
  assert.deepEqual(await tablesOf(names), await tablesOf(folder));
  store.onDamage(assert.fail);
  while (existsSync(names)) await new Promise((resume) => setTimeout(resume, 5));
  assert.equal(store.get(KEYS[3] ?? "")?.[0], 2);
  await store.close();
});

/** Waits for others' turns only. */
const soon: Pause = async (_, signal) => {
  signal.throwIfAborted();
  await new Promise((resume) => setTimeout(resume, 1));
};

test("a compaction of damaged tables does not hide that they were", async () => {
  const folder = await filled("compacted");
  const [oldest = ""] = await tablesOf(folder);
  await zeroBytes(join(folder, oldest));
  const { guard, told, tables } = await guarded(folder);
  assert.ok(tables.size > 1);
  await rm(join(folder, oldest));
  const stop = guard.begin(soon);
  await until(() => told.length > 0);
  await stop();
  assert.match(told[0] ?? "", new RegExp(`${oldest}: block`));
  // The next start tells it, too.
  await assert.rejects(keepTables(folder, new Map()), new RegExp(`${oldest}: block`));
});

test("a stop before the comparison does not hide what a compaction took away", async () => {
  for (const isKilled of [false, true]) {
    const folder = await filled(`stopped-${isKilled}`);
    const [oldest = ""] = await tablesOf(folder);
    await zeroBytes(join(folder, oldest));
    const { guard } = await guarded(folder);
    // Nothing was compared yet.
    const stop = isKilled ? undefined : guard.begin(pause);
    await rm(join(folder, oldest));
    await stop?.();
    await assert.rejects(keepTables(folder, new Map()), new RegExp(`${oldest}: block`));
    // A ledger that takes its place has nothing to do with it, nor has one that is gone.
    await rename(folder, `${folder}.old-1`);
    await cp(`${folder}.opened`, `${folder}.old-2.opened`, { recursive: true });
    await keepTables(`${folder}.old-2`, new Map());
    await filled(`stopped-${isKilled}`);
    await keepTables(folder, new Map());
    assert.equal(existsSync(`${folder}.opened`), false);
  }
});

test("a table that the disk changes while the database is open is found", async () => {
  const folder = await filled("changed");
  const { guard, told } = await guarded(folder);
  const stop = guard.begin(soon);
  await until(() => existsSync(`${folder}.watched`));
  const [oldest = ""] = await tablesOf(folder);
  await zeroBytes(join(folder, oldest));
  await until(() => told.length > 0);
  assert.match(
    told.join(),
    new RegExp(`^[^,]+${oldest}: block of \\d+ bytes at byte 0 is [^,]+, not [^,]+$`),
  );
  await stop();
  assert.equal(existsSync(`${folder}.watched`), false);
});

test("a compaction does not hide what the disk changed while the database was open", async () => {
  const folder = await filled("taken");
  const { guard, told } = await guarded(folder);
  const stop = guard.begin(soon);
  const names = await tablesOf(folder);
  const [oldest = ""] = names;
  await until(() => existsSync(join(`${folder}.watched`, names.at(-1) ?? "")));
  // Both names are of one file: nothing but the second one has it a moment later.
  const bytes = await readFile(join(folder, oldest));
  const file = await open(join(folder, oldest), "r+");
  await rm(join(folder, oldest));
  await file.write(bytes.fill(0, 0, 200), 0, 200, 0);
  await file.close();
  await until(() => told.length > 0);
  assert.match(told[0] ?? "", new RegExp(`${oldest}: block`));
  await stop();
});

test("a table is no table before it is written to its end", async () => {
  const folder = await filled("written");
  const { guard, told } = await guarded(folder);
  const [oldest = ""] = await tablesOf(folder);
  const bytes = await readFile(join(folder, oldest));
  const names = `${folder}.watched`;
  const [part, other] = ["900000.ldb", "900001.ldb"].map((name) => join(folder, name));
  assert.ok(part && other);
  await writeFile(part, bytes.subarray(0, bytes.length >> 1));
  const stop = guard.begin(soon);
  await until(() => existsSync(join(names, oldest)));
  await writeFile(other, bytes);
  await until(() => existsSync(join(names, "900001.ldb")));
  assert.deepEqual([existsSync(join(names, "900000.ldb")), told], [false, []]);
  await writeFile(part, bytes);
  await until(() => existsSync(join(names, "900000.ldb")));
  await stop();
  assert.deepEqual(told, []);
});

test("after an opening that was cut short all of the tables is examined before", async () => {
  const folder = await filled("again");
  const [oldest = ""] = await tablesOf(folder);
  // As LevelDB leaves it when it ends the process over what it reads.
  await keepTables(folder, new Map());
  await mkdir(`${folder}.opened`);
  await zeroBytes(join(folder, oldest));
  await assert.rejects(openLedger(folder, LOG), new RegExp(`${oldest}: block.*chain-node check`));
});

/** A ledger with tables that a run has compared. */
async function summed(name: string): Promise<string> {
  const folder = await filled(name);
  const { guard } = await guarded(folder);
  const stop = guard.begin(soon);
  await until(() => !existsSync(`${folder}.opened`));
  await stop();
  return folder;
}

/** How many tables are compared whole by a read, of those that a guard has. */
async function wholeAfter(folder: string): Promise<number> {
  const { guard, opened } = await guarded(folder);
  guard.require(KEYS[3] ?? "");
  return new Uint8Array(opened.whole).reduce((sum, each) => sum + each, 0);
}

test("a table that an earlier run has compared is compared as a whole, by one sum", async () => {
  const fresh = await filled("unsummed");
  assert.equal(await wholeAfter(fresh), 0);
  const folder = await summed("summed");
  const tables = await tablesOf(folder);
  assert.ok((await wholeAfter(folder)) >= 2);
  // Damage anywhere in it is found, not only where the read looks.
  const newest = tables.at(-1) ?? "";
  const whole = await readFile(join(folder, newest));
  // In the block with the first keys; a read of the last one does not take it.
  const bytes = Buffer.from(whole);
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  await writeFile(join(folder, newest), bytes);
  const { guard } = await guarded(folder);
  assert.throws(() => guard.require(KEYS.at(-1) ?? ""), new RegExp(newest));
  await writeFile(join(folder, newest), whole);
  assert.ok((await wholeAfter(folder)) >= 2);
});

test("sums that are not as they were written, or of other tables, are no damage", async () => {
  const folder = await summed("sums");
  const path = join(folder, "SUMS");
  const text = await readFile(path, "latin1");
  const [first = ""] = text.split("\n");
  for (const wrong of ["", text.slice(0, -3), text.replace(first, first.replace(/.$/, "x"))]) {
    await writeFile(path, wrong);
    assert.equal(await wholeAfter(folder), 0);
  }
  // Too long, and no file at all.
  await writeFile(path, Buffer.alloc(2 * 1024 * 1024));
  assert.equal(await wholeAfter(folder), 0);
  await rm(path);
  await mkdir(path);
  assert.equal(await wholeAfter(folder), 0);
  await rm(path, { recursive: true });
  const names = await tablesOf(folder);
  const sums = new TableSums(folder, new Map());
  for (const name of names) sums.note(name, new Uint8Array(7));
  await sums.save();
  assert.ok((await wholeAfter(folder)) >= 2, "LevelDB's own checksums say that they are whole");
});

test("keys of more than 127 bytes are found in an index", async () => {
  const keys = MANY_KEYS.map((key) => key + "x".repeat(150));
  const { guard, told } = await flipped("long-keys", () => 10_000, keys);
  for (const at of [0, 200, 500, 1_500, 1_999]) guard.require(keys[at] ?? "");
  assert.deepEqual(told, []);
  const wrong = /block of \d+ bytes at byte \d+ is checksum/;
  assert.throws(() => guard.requireRange(keys[0] ?? "", keys[100] ?? ""), wrong);
});

test("an end of a table that leads to another whole block is refused", async () => {
  const folder = await filled("footer");
  const newest = (await tablesOf(folder)).at(-1) ?? "";
  const bytes = await readFile(join(folder, newest));
  const footer = bytes.subarray(-48);
  // Both names are of the block that leads to the filter: two numbers of two bytes at most each.
  const ends = [...footer.keys()].filter((at) => (footer[at] ?? 0) < 0x80);
  const first = Buffer.from(footer.subarray(0, (ends[1] ?? 0) + 1));
  footer.fill(0, 0, 40);
  first.copy(footer, 0);
  first.copy(footer, first.length);
  await writeFile(join(folder, newest), bytes);
  const { guard } = await guarded(folder);
  assert.throws(
    () => guard.require(KEYS[3] ?? ""),
    new RegExp(`${newest}: (block of|its blocks is) .*byte`),
  );
});

test("sums that cannot be written are no fault", async () => {
  const folder = await filled("unwritten");
  await mkdir(join(folder, "SUMS.draft"));
  const { guard, told } = await guarded(folder);
  const stop = guard.begin(soon);
  await until(() => !existsSync(`${folder}.opened`));
  await stop();
  assert.deepEqual([told, existsSync(join(folder, "SUMS"))], [[], false]);
});

test("tables of one length that changed places are told", async () => {
  const folder = join(parent, "swapped");
  for (const name of ["", "p", "q", ""]) {
    const store = await openLevelStore(folder, { create: true });
    const keys = MANY_KEYS.slice(0, 20).map((key) => name + key.slice(1));
    const writes = keys.map((key) => ({ key, value: new Uint8Array(300).fill(1) }));
    if (name !== "") await store.commit(writes, { durable: true });
    await store.close();
  }
  const names = await tablesOf(folder);
  const bytes = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const equal = names.flatMap((name, at) =>
    names.slice(0, at).flatMap((other, from) => {
      const [one, two] = [bytes[at], bytes[from]];
      return one && two && one.length === two.length && !one.equals(two) ? [[name, other]] : [];
    }),
  );
  const [pair = []] = equal;
  const [one = "", two = ""] = pair.map((name) => join(folder, name));
  assert.notEqual(one, "", names.join());
  const kept = await readFile(one);
  await writeFile(one, await readFile(two));
  await writeFile(two, kept);
  const { guard, told } = await guarded(folder);
  assert.throws(() => guard.requireRange("p", "r"), /rows of another table/);
  assert.match(told.join(), /not those that the manifest says/);
});
