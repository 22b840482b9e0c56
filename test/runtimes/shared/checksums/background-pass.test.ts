/** The look through a store in the background: what is gone, or changed, is told without a read. */
// rules: README 30
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterAll, beforeAll, test } from "vitest";
import type { StoreFault } from "../../../../core/fault/store-fault.ts";
import { passInBackground } from "../../../../runtimes/shared/checksums/background-pass.ts";
import { pause } from "../../../../runtimes/node/store/pause.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { temporaryFolder } from "../../../support/ledger/recorded-folder.ts";

let parent = "";
let count = 0;
beforeAll(async () => {
  parent = await temporaryFolder();
});
afterAll(() => rm(parent, { recursive: true, force: true }));

/** A database with a table of 500 rows and some records, closed. */
async function filled(): Promise<string> {
  const folder = join(parent, `db-${count++}`);
  const store = await openLevelStore(folder, { create: true });
  const rows = Array.from({ length: 500 }, (_, at) => `ru_users\0${at}`);
  const writes = [...rows, `h${"x".repeat(32)}`, `b${"y".repeat(32)}`].map((key) => ({
    key,
    value: Buffer.from(`value of ${key}`),
  }));
  await store.commit(writes, { durable: true });
  await store.close();
  return folder;
}

/** Changes the database as it lies. */
async function change(
  folder: string,
  work: (level: ClassicLevel<Buffer, Buffer>) => Promise<void>,
) {
  const level = new ClassicLevel<Buffer, Buffer>(folder, {
    keyEncoding: "buffer",
    valueEncoding: "buffer",
  });
  await level.open();
  await work(level);
  await level.close();
}

const key = (text: string) => Buffer.from(text, "latin1");

/** What the open store reports itself. */
async function told(folder: string): Promise<string> {
  const store = await openLevelStore(folder, { create: false, pace: {} });
  const fault = await new Promise<StoreFault>((found) => store.onDamage(found));
  await store.close();
  return fault.message;
}

test("a row that is gone, and a record that changed, are told without a read", async () => {
  const gone = await filled();
  await change(gone, (level) => level.del(key("ru_users\x00123")));
  assert.match(await told(gone), /table u_users has 499 keys of rows, and 500 were written/);
  const changed = await filled();
  await change(changed, async (level) => {
    const at = key(`b${"y".repeat(32)}`);
    const value = Buffer.from((await level.get(at)) ?? "");
    value.writeUInt8(1, 5);
    await level.put(at, value);
  });
  assert.match(await told(changed), /the body of proposal 0x7979\w+ is not as it was written/);
});

test("damage that a read finds first is told once, also to who listens later", async () => {
  const folder = await filled();
  await change(folder, (level) => level.put(key("ru_users\x007"), key("rubbish")));
  const store = await openLevelStore(folder, { create: false });
  assert.throws(() => store.get("ru_users\x007"), /row 7 of table u_users/);
  assert.throws(() => store.get("ru_users\x007"), /row 7 of table u_users/);
  const faults: StoreFault[] = [];
  store.onDamage((fault) => faults.push(fault));
  await store.close();
  assert.equal(faults.length, 1);
});

test("a store that is whole is gone through again and again, and closes in the middle", async () => {
  const folder = await filled();
  const store = await openLevelStore(folder, { create: false });
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  let begun = 0;
  const counted = {
    isSealed: true,
    pass() {
      begun += 1;
      if (begun === 3) resolve();
      return store.pass();
    },
  };
  const pace = { pause, beginMs: 0, rest: 0, betweenMs: 0 };
  const pass = passInBackground(counted, { onDamage: assert.fail, ...pace });
  await promise;
  assert.ok(pass.view().passes >= 2);
  assert.notEqual(pass.view().endedMs, undefined);
  await pass.stop();
  store.onDamage(assert.fail);
  await store.close();
});
