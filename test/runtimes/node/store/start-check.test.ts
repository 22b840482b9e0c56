/** What is examined before a database is opened: manifest, log, lengths of tables. */
// rules: README 30
import assert from "node:assert/strict";
import { cp, open, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { checkBeforeOpening } from "../../../../runtimes/node/store/start-check.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { temporaryFolder } from "../../../support/ledger/recorded-folder.ts";

const PARTLY = { note: assert.fail, wholeTables: false };

let parent = "";
let whole = "";

beforeAll(async () => {
  parent = await temporaryFolder();
  whole = join(parent, "whole");
  for (const round of [1, 2]) {
    const store = await openLevelStore(whole, { create: true });
    for (let at = 0; at < 20; at++) {
      const value = new Uint8Array(3_000).fill(at * round);
      await store.commit([{ key: `n${at}`, value }], { durable: true });
    }
    await store.close();
  }
});
afterAll(() => rm(parent, { recursive: true, force: true }));

async function damagedCopy(file: RegExp, damage: (path: string) => Promise<unknown>) {
  const folder = join(parent, "copy");
  await rm(folder, { recursive: true, force: true });
  await cp(whole, folder, { recursive: true });
  const name = (await readdir(folder)).find((found) => file.test(found));
  assert.ok(name, `${file}`);
  await damage(join(folder, name));
  const notes: string[] = [];
  const fault = await checkBeforeOpening(folder, {
    ...PARTLY,
    note: (note) => notes.push(note),
  }).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return { fault, notes };
}

async function flip(path: string, at: number): Promise<void> {
  const file = await open(path, "r+");
  const [byte = 0] = (await file.read(Buffer.alloc(1), 0, 1, at)).buffer;
  await file.write(Buffer.from([byte ^ 16]), 0, 1, at);
  await file.close();
}

test("a database that is whole, and a folder that holds none, pass", async () => {
  const { fault, notes } = await damagedCopy(/CURRENT/, async () => undefined);
  assert.equal(fault, undefined);
  assert.deepEqual(notes, []);
  await checkBeforeOpening(join(parent, "none"), PARTLY);
});

test("a bit in the middle of the log or of the manifest is refused, with file and place", async () => {
  const log = await damagedCopy(/\.log$/, (path) => flip(path, 30_000));
  assert.match(String(log.fault), /copy holds a damaged database: \d+\.log: record at byte \d+/);
  for (const at of [3, 20, 60]) {
    const { fault } = await damagedCopy(/^MANIFEST/, (path) => flip(path, at));
    assert.match(String(fault), /MANIFEST-\d+: record at byte \d+/);
  }
});

test("an end of the log that is not as it was written is told, and no fault", async () => {
  const torn = await damagedCopy(/\.log$/, async (path) => {
    // A sector of the last record was not written.
    const sector = Math.floor((await stat(path)).size / 512 - 2) * 512;
    const file = await open(path, "r+");
    await file.write(Buffer.alloc(512), 0, 512, sector);
    await file.close();
  });
  assert.equal(torn.fault, undefined);
  assert.match(torn.notes.join(), /record at byte \d+ is not as it was written, and is the end/);
  const zeros = await damagedCopy(/\.log$/, async (path) => {
    await truncate(path, (await stat(path)).size + 50_000);
  });
  assert.equal(zeros.fault, undefined);
  assert.match(zeros.notes.join(), /zeros from byte \d+ on/);
  const cut = await damagedCopy(/\.log$/, async (path) => {
    await truncate(path, (await stat(path)).size - 10);
  });
  assert.equal(cut.fault, undefined);
  assert.match(cut.notes.join(), /cut short/);
});

test("a bit in the last record, and a log that is gone, are refused", async () => {
  const flipped = await damagedCopy(/\.log$/, async (path) => {
    await flip(path, (await stat(path)).size - 100);
  });
  assert.match(String(flipped.fault), /\d+\.log: record at byte \d+ is checksum/);
  const gone = await damagedCopy(/\.log$/, (path) => rm(path));
  assert.match(String(gone.fault), /\d+\.log: the file is \(absent\)/);
});

test("zeros in the middle of the log are refused", async () => {
  const { fault } = await damagedCopy(/\.log$/, async (path) => {
    const file = await open(path, "r+");
    await file.write(Buffer.alloc(4_096), 0, 4_096, 4_096);
    await file.close();
  });
  assert.match(String(fault), /record at byte \d+/);
});

test("a table that is gone or shorter is refused", async () => {
  const gone = await damagedCopy(/\.ldb$/, (path) => rm(path));
  assert.match(String(gone.fault), /\d+\.ldb: the file is \(absent\)/);
  const short = await damagedCopy(/\.ldb$/, async (path) => {
    await truncate(path, (await readFile(path)).length - 1);
  });
  assert.match(String(short.fault), /\d+\.ldb: its length/);
});
