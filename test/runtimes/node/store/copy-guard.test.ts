/** A ledger that this node wrote last is told from copies and older states of it. */
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { metaKey } from "../../../../core/ledger/keys.ts";
import { VoteStore } from "../../../../core/node/voting/vote-store.ts";
import type { Store } from "../../../../core/ports/store.ts";
import { copySuspicion, createCopyGuard } from "../../../../runtimes/node/store/copy-guard.ts";
import { createNodeEntropy } from "../../../../runtimes/node/machine/entropy.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { loseTwoVotes } from "../../../support/ledger/lost-votes.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-copies-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Examines the ledger of a node's folder as a start does; gives what is suspected. */
async function start(folder: string, work?: (store: Store) => Promise<void>) {
  const ledger = join(folder, "block");
  const store = await openLevelStore(ledger, { create: true });
  const guard = createCopyGuard(() => ledger, createNodeEntropy());
  const suspicion = await guard.suspicion(1, store);
  await guard.adopt(1, store);
  await work?.(store);
  await store.close();
  return suspicion;
}

async function ranBefore(name: string): Promise<string> {
  const folder = join(home, name);
  await mkdir(folder);
  await start(folder);
  return folder;
}

test("restarts and a move on the same disk are not suspected", async () => {
  const folder = await ranBefore("plain");
  assert.equal(await start(folder), undefined);
  await rename(folder, `${folder}-moved`);
  await mkdir(join(home, "deeper"));
  await rename(`${folder}-moved`, join(home, "deeper/plain"));
  assert.equal(await start(join(home, "deeper/plain")), undefined);
});

test("a copy is suspected, the original is not", async () => {
  const folder = await ranBefore("original");
  await cp(folder, `${folder}-copy`, { recursive: true, preserveTimestamps: true });
  const ledger = join(`${folder}-copy`, "block");
  assert.match((await copySuspicion(ledger)) ?? "", /block\.made was copied or put back/);
  assert.match((await start(`${folder}-copy`)) ?? "", /block\.made was copied or put back/);
  assert.equal(await copySuspicion(ledger), undefined, "a start makes it its own");
  assert.equal(await copySuspicion(join(folder, "block")), undefined);
  assert.equal(await start(`${folder}-copy`), undefined);
  assert.equal(await start(folder), undefined);
});

test("an older state of the ledger alone is suspected, in a new folder or the old one", async () => {
  const folder = await ranBefore("older");
  const backup = join(home, "older-backup");
  await cp(join(folder, "block"), backup, { recursive: true });
  await start(folder);
  await start(folder);
  // As rsync --delete does: the folder stays, what is in it is the backup's.
  for (const name of await readdir(join(folder, "block"))) await rm(join(folder, "block", name));
  await cp(backup, join(folder, "block"), { recursive: true });
  assert.match((await start(folder)) ?? "", /holds another state than the one/);
  await rm(join(folder, "block"), { recursive: true });
  await cp(backup, join(folder, "block"), { recursive: true });
  assert.match((await start(folder)) ?? "", /block was copied or put back/);
});

test("the state that one start left is suspected after the next one", async () => {
  const folder = await ranBefore("one-older");
  const ledger = join(folder, "block");
  const backup = join(home, "one-older-backup");
  await cp(ledger, backup, { recursive: true });
  await start(folder);
  for (const name of await readdir(ledger)) await rm(join(ledger, name));
  await cp(backup, ledger, { recursive: true });
  assert.match((await start(folder)) ?? "", /holds another state than the one/);
});

test("a crash between the two writes of an adoption is not suspected", async () => {
  const folder = await ranBefore("torn");
  const ledger = join(folder, "block");
  const guard = createCopyGuard(() => ledger, createNodeEntropy());
  const store = await openLevelStore(ledger, { create: false });
  const dies = new Error("the power goes");
  const failing: Store = { ...readsOf(store), commit: () => Promise.reject(dies) };
  await assert.rejects(guard.adopt(1, failing), dies);
  assert.equal(await guard.suspicion(1, store), undefined);
  await store.close();
});

test("a mark that is empty, damaged or gone is suspected", async () => {
  const folder = await ranBefore("marks");
  const mark = join(folder, "block.made");
  for (const text of ["", "{", '{"epoch":1}', "null"]) {
    await writeFile(mark, text);
    assert.match((await start(folder)) ?? "", /does not say which ledger/);
  }
  await rm(mark);
  assert.match((await start(folder)) ?? "", /does not say which ledger/);
});

test("votes that were on the disk and are cut from the end of its log are missed", async () => {
  const folder = await ranBefore("cut");
  await loseTwoVotes(join(folder, "block"));
  assert.match((await start(folder)) ?? "", /block has lost 2 records of votes/);
  assert.equal(await start(folder), undefined, "a start makes it its own");
});

test("votes that are all there are not missed; their count is when it is gone", async () => {
  const folder = await ranBefore("counted");
  const ledger = join(folder, "block");
  const guard = createCopyGuard(() => ledger, createNodeEntropy());
  const vote = async (store: Store): Promise<void> => {
    const votes = new VoteStore(store, (count) => guard.noteVotes?.(1, count));
    await votes.persist(Uint8Array.of(1), undefined);
  };
  await start(folder, vote);
  assert.equal(await start(folder, vote), undefined);
  await rm(`${ledger}.votes`);
  assert.match((await start(folder)) ?? "", /block\.votes is gone/);
  await writeFile(`${ledger}.votes`, "??");
  assert.match((await start(folder)) ?? "", /block\.votes is damaged/);
  assert.equal(await start(folder), undefined, "a start makes it whole");
});

test("votes of a store that never counted them are not missed", async () => {
  const folder = await ranBefore("uncounted");
  const ledger = join(folder, "block");
  await start(folder, (store) =>
    store.commit([{ key: metaKey("votes"), value: new Uint8Array(0) }], { durable: true }),
  );
  await rm(`${ledger}.votes`);
  assert.equal(await start(folder), undefined);
});

test("a count that went away while the node runs is there again with the next vote", async () => {
  const folder = await ranBefore("away");
  const ledger = join(folder, "block");
  const guard = createCopyGuard(() => ledger, createNodeEntropy());
  await rm(`${ledger}.votes`);
  await guard.noteVotes?.(1, 7);
  assert.equal((await stat(`${ledger}.votes`)).size, 6);
});

function readsOf(store: Store): Omit<Store, "commit"> {
  return {
    get: (key) => store.get(key),
    load: (key) => store.load(key),
    range: (from, to, limit) => store.range(from, to, limit),
    close: () => store.close(),
  };
}
