/** A ledger whose disk lost the newest votes: what is left of its log is whole. */
import assert from "node:assert/strict";
import { readdir, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { VoteStore } from "../../../core/node/voting/vote-store.ts";
import { createNodeEntropy } from "../../../runtimes/node/machine/entropy.ts";
import { createCopyGuard } from "../../../runtimes/node/store/copy-guard.ts";
import { openLevelStore } from "../../../runtimes/node/store/store.ts";

/** The log that a database writes. */
async function logOf(database: string): Promise<string> {
  const name = (await readdir(database)).find((file) => file.endsWith(".log"));
  assert.ok(name);
  return join(database, name);
}

/** Writes three votes into a database that is closed, as its node does, and loses two of them. */
export async function loseTwoVotes(database: string): Promise<void> {
  const guard = createCopyGuard(() => database, createNodeEntropy());
  const store = await openLevelStore(database, { create: false });
  await guard.adopt(1, store);
  const votes = new VoteStore(store, (count) => guard.noteVotes?.(1, count));
  await votes.persist(Uint8Array.of(1), undefined);
  const kept = (await stat(await logOf(database))).size;
  await votes.persist(Uint8Array.of(2), undefined);
  await votes.persist(Uint8Array.of(3), undefined);
  await store.close();
  // What is left looks like the log of a process that was killed earlier.
  await truncate(await logOf(database), kept);
}
