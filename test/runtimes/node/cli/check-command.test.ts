/** `chain-node check`: in a process of its own twice, and in this one. */
import assert from "node:assert/strict";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { noncesKey } from "../../../../core/ledger/keys.ts";
import { openDataFolder } from "../../../../runtimes/node/store/data-folder.ts";
import { markDamaged } from "../../../../runtimes/node/store/repaired-ledger.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { endOf, runProgram } from "../../../support/process/dev-chain-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import {
  databaseOf,
  recordedNodeFolder,
  temporaryFolder,
} from "../../../support/ledger/recorded-folder.ts";
import { loseTwoVotes } from "../../../support/ledger/lost-votes.ts";
import { inFull } from "../../../support/runner/in-full.ts";

let folder = "";
let home = "";

beforeAll(async () => {
  folder = await temporaryFolder();
  home = await recordedNodeFolder(folder, "node0");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runHosted("check", ...args);
  return { code, out: stdout, err: stderr };
}

/** The built program in a process of its own. */
async function runBuilt(...args: string[]) {
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

// Files that are damaged are told in the tests below.
inFull(
  "a database that ends a caller that reads it is told with its file, and code 1",
  async () => {
    const database = databaseOf(home);
    await (await openLevelStore(database, { create: false })).close();
    const name = (await readdir(database)).find((file) => file.endsWith(".ldb")) ?? "";
    const whole = await readFile(join(database, name));
    const seen: string[] = [];
    // Places at which LevelDB ends the process, among others at which it reads something else.
    for (const at of [779, 3_452, 1_000]) {
      await writeFile(join(database, name), whole.with(at, (whole[at] ?? 0) ^ 0x10));
      const { code, out } = await run(home);
      assert.equal(code, 1);
      assert.match(out, new RegExp(`file: ${name}: block of \\d+ bytes`));
      assert.match(out, /chain-node repair/);
      seen.push(out);
    }
    await writeFile(join(database, name), whole);
    assert.match(
      seen.join(),
      /the database as a whole\n +stored +reading it ended the process \(SIGABRT/,
    );
  },
);

test("the first bad block is named with both values and what to do, with code 1", async () => {
  const store = await openLevelStore(databaseOf(home), { create: false });
  const key = noncesKey(2);
  const value = store.get(key);
  assert.ok(value);
  await store.commit([{ key, value: value.with(1, 0x7f) }], { durable: true });
  await store.close();
  const { code, out } = await runBuilt(home, "--group", "1");
  assert.match(out, /^node0 group 1:\nblock 2: nonces: nonces\n {2}stored .*\n {2}expected 0x/);
  assert.match(out, /\nnode0 +1 .* 1 +block 2\nnode0 group 1: do not start it as it is\. Restore/);
  assert.equal(code, 1);
});

test("overwritten bytes in a file of the database are found, and looking changes none", async () => {
  const other = await recordedNodeFolder(folder, "node7");
  const database = databaseOf(other);
  // Opened once more, its log is a table.
  await (await openLevelStore(database, { create: false })).close();
  const [table = ""] = (await readdir(database)).filter((name) => name.endsWith(".ldb"));
  const path = join(database, table);
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 16));
  const before = await readdir(database);
  const { code, out } = await run(other);
  assert.match(out, new RegExp(`^node7 group 1:\nfile: ${table}: block of \\d+ bytes at byte`));
  assert.equal(code, 1);
  assert.deepEqual([await readdir(database), await readFile(path)], [before, bytes]);
  await rm(other, { recursive: true });
});

test("votes that the disk lost are no defect of blocks, but told, by a repair, too", async () => {
  const other = await recordedNodeFolder(folder, "node8");
  await loseTwoVotes(databaseOf(other));
  const told = /note: .*block has lost 2 records of votes .*: a start follows as a silent observer/;
  const { code, out } = await run(other);
  assert.match(out, told);
  assert.equal(code, 0);
  const { stdout } = await runHosted("repair", other);
  assert.match(stdout, /^group 1 at block 3: nothing is damaged;/);
  assert.match(stdout, told);
  await rm(`${databaseOf(other)}.made`);
  assert.match((await run(other)).out, /note: .*block\.made does not say which ledger it is of/);
  await rm(other, { recursive: true });
});

test("of several nodes those that stand still are checked, and the others are named", async () => {
  const chain = await temporaryFolder();
  await recordedNodeFolder(chain, "node0");
  const busy = await recordedNodeFolder(chain, "node1");
  const held = await openDataFolder(join(busy, "data"), {
    chainId: 1,
    now: 1,
    mayHold: () => true,
  });
  const { code, out } = await run(chain);
  const { skipped } = JSON.parse((await run(chain, "--json")).out);
  await held.close();
  const row =
    /\nnode0 +1 +3 .* 0 +-\nthese are clean; .*\nnode1: not checked: .*process \d+\)\. The/;
  assert.match(out, row);
  assert.deepEqual([code, skipped.length, skipped[0].node], [1, 1, "node1"]);
  await rm(chain, { recursive: true });
});

test("a block above the newest one is told, and so is a genesis file that is not there", async () => {
  const other = await recordedNodeFolder(folder, "node8");
  const above = await run(other, "--from", "4");
  assert.match(above.err, /node8: --from 4 is above the newest block of group 1, 3\n$/);
  assert.deepEqual([above.code, above.out], [2, ""]);
  await rm(join(other, "conf", "group.1.genesis"));
  const { code, out } = await run(other);
  assert.match(
    out,
    /^node8 group 1:\nnote: .*group\.1\.genesis is not there: block 0 is as it says/,
  );
  assert.equal(code, 0);
  await rm(other, { recursive: true });
});

test("another genesis file is reported as that, and no ledger is marked for it", async () => {
  const other = await recordedNodeFolder(folder, "node9");
  const path = join(other, "conf", "group.1.genesis");
  const genesis = await readFile(path, "utf8");
  await writeFile(path, genesis.replace(/gas_limit=\d+/, "gas_limit=300000001"));
  const { code, out } = await run(other);
  assert.match(
    out,
    /^node9 group 1:\ngenesis file: hash of block 0\n {2}stored +0x.*\n {2}expected 0x/,
  );
  assert.match(
    out,
    /\nnode9 group 1: the ledger in .* was begun with another genesis file or version: put back/,
  );
  assert.doesNotMatch(out, /repair/);
  assert.equal(code, 1);
  const repaired = await runHosted("repair", other, "--force");
  assert.match(repaired.stderr, /was begun with another genesis file or version: put back/);
  assert.equal(repaired.code, 1);
  await writeFile(path, genesis);
  const again = await run(other);
  assert.deepEqual([again.code, /marked|repair/.test(again.out)], [0, false]);
  await markDamaged(databaseOf(other), "StoreFault: told before");
  assert.match((await run(other)).out, /\nnote: marked as damaged: the next start .*told before\)/);
  await rm(other, { recursive: true });
});

test("what cannot be checked is reported in one sentence", async () => {
  const held = await openDataFolder(join(home, "data"), { chainId: 1, now: 1 });
  const busy = await runBuilt(home);
  await held.close();
  const table = join(databaseOf(home), "CURRENT");
  await rename(table, `${table}.away`);
  const lost = await run(home);
  assert.match(lost.out, /\nfile: CURRENT: its text\n {2}stored {3}\(absent\)/);
  assert.match(lost.out, /\nnode0 group 1: do not start it as it is\. Restore it with chain-node/);
  assert.equal(lost.code, 1);
  const cases: readonly (readonly [Awaited<ReturnType<typeof run>>, number, RegExp])[] = [
    [busy, 1, /data is in use by another process \(process \d+\)\. The node runs: stop it first/],
    [await run(join(folder, "none")), 2, /holds no config\.ini and no node's data/],
    [await run(), 2, /check takes one folder/],
  ];
  for (const [{ code, err }, wanted, words] of cases) {
    assert.match(err, words);
    assert.equal(code, wanted, err);
    assert.doesNotMatch(err, /\n {4}at /);
  }
});
