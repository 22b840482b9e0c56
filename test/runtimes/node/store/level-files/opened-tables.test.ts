/** What LevelDB reads from a damaged table is not believed: its keys are compared first. */
// rules: README 30
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { openLedger } from "../../../../../runtimes/node/store/open-ledger.ts";
import { openLevelStore } from "../../../../../runtimes/node/store/store.ts";
import { temporaryFolder } from "../../../../support/ledger/recorded-folder.ts";

const LOG = { write: () => undefined };
const KEYS = Array.from({ length: 40 }, (_, at) => `o${"\0".repeat(7)}${String.fromCharCode(at)}`);

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

/** Zeros the first page of a table. */
async function zeroPage(path: string): Promise<void> {
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0, 0, 4_096));
}

test("no older value, and no absence, is given where a newer one was in a damaged block", async () => {
  const folder = await filled("zeroed");
  const newest = (await tablesOf(folder)).at(-1);
  assert.ok(newest);
  await zeroPage(join(folder, newest));
  const store = await openLedger(folder, LOG);
  const [first = "", last = ""] = [KEYS[0], KEYS.at(-1)];
  const refused = new RegExp(`${newest}: block of \\d+ bytes at byte 0 is `);
  assert.throws(() => store.get(first), refused);
  await assert.rejects(store.load(last), refused);
  await assert.rejects(store.range(first, "p", 10), refused);
  await assert.rejects(store.has(first), refused);
  const told = await new Promise((tell) => store.onDamage(tell));
  assert.match(String(told), refused);
  await store.close();
});

test("all tables are compared once somebody listens, and have their second names until then", async () => {
  const folder = await filled("whole");
  const store = await openLedger(folder, LOG);
  const names = `${folder}.opened`;
  assert.deepEqual((await readdir(names)).sort(), await tablesOf(folder));
  store.onDamage(assert.fail);
  while (existsSync(names)) await new Promise((resume) => setTimeout(resume, 5));
  assert.equal(store.get(KEYS[3] ?? "")?.[0], 2);
  await store.close();
});

test("a compaction of damaged tables does not hide that they were", async () => {
  const folder = await filled("compacted");
  const [oldest] = await tablesOf(folder);
  assert.ok(oldest);
  await zeroPage(join(folder, oldest));
  const store = await openLedger(folder, LOG);
  await rm(join(folder, oldest));
  const told = await new Promise((tell) => store.onDamage(tell));
  assert.match(String(told), new RegExp(`${oldest}: block`));
  await store.close();
});
