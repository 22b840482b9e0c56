/** `chain-node check` as an operator runs it. */
import assert from "node:assert/strict";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { noncesKey } from "../../../core/ledger/keys.ts";
import { openDataFolder } from "../../../runtimes/node/data-folder.ts";
import { openLevelStore } from "../../../runtimes/node/store.ts";
import { endOf, runProgram } from "../../support/dev-chain-process.ts";
import { databaseOf, recordedNodeFolder, temporaryFolder } from "../../support/recorded-folder.ts";

let folder = "";
let home = "";

beforeAll(async () => {
  folder = await temporaryFolder();
  home = await recordedNodeFolder(folder, "node0");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]) {
  const { code, stdout, stderr } = await endOf(runProgram("check", ...args));
  return { code, out: stdout, err: stderr };
}

test("a whole ledger is a row of a table and code 0, by each way to name it", async () => {
  const wanted = /^node +group +head .*\nnode0 +1 +3 +4 +4 +\d+ +0 +-\nclean: all blocks executed/;
  const whole = await run(folder, "--execute");
  const data = await run("--data", join(home, "data"), "--from", "2", "--json");
  assert.match(whole.out, wanted, whole.err);
  const { ledgers } = JSON.parse(data.out);
  assert.deepEqual([ledgers.length, ledgers[0].blocks, ledgers[0].firstBadBlock], [1, 2, null]);
  assert.deepEqual([whole.code, data.code], [0, 0]);
});

test("the first bad block is named with both values and what to do, with code 1", async () => {
  const store = await openLevelStore(databaseOf(home), { create: false });
  const key = noncesKey(2);
  const value = store.get(key);
  assert.ok(value);
  await store.commit([{ key, value: value.with(1, 0x7f) }], { durable: true });
  await store.close();
  const { code, out } = await run(home, "--group", "1");
  assert.match(out, /^node0 group 1:\nblock 2: nonces: nonces\n {2}stored .*\n {2}expected 0x/);
  assert.match(out, /\nnode0 +1 .* 1 +block 2\nnode0 group 1: do not start it as it is\. Restore/);
  assert.equal(code, 1);
});

test("what cannot be checked is said in one sentence", async () => {
  const held = await openDataFolder(join(home, "data"), { chainId: 1, now: 1 });
  const busy = await run(home);
  await held.close();
  const table = join(databaseOf(home), "CURRENT");
  await rename(table, `${table}.away`);
  const cases: readonly (readonly [Awaited<ReturnType<typeof run>>, number, RegExp])[] = [
    [busy, 1, /data is in use by another process \(process \d+\)\. The node runs: stop it first/],
    [await run(home), 1, /block holds no database\. Restore it with chain-node restore, or move/],
    [await run(join(folder, "none")), 2, /holds no config\.ini and no node's data/],
    [await run(), 2, /check takes one folder/],
  ];
  for (const [{ code, err }, wanted, words] of cases) {
    assert.match(err, words);
    assert.equal(code, wanted, err);
    assert.doesNotMatch(err, /\n {4}at /);
  }
});
