/** Which stores may have spoken before: examined while their group does not run yet. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { ZERO_HASH } from "../../../../core/bytes/ids.ts";
import type { Ledger } from "../../../../core/ledger/ledger-view.ts";
import { admitStore, EPOCH_KEY } from "../../../../core/node/group/group-abstention.ts";
import { readAbstention } from "../../../../core/node/voting/abstention-store.ts";
import { VoteStore } from "../../../../core/node/voting/vote-store.ts";
import { type MemoryStore, openMemoryStore } from "../../../../core/storage/memory-store.ts";

// rules: README 25

/** Examines a store at a height, of which the platform has a suspicion. */
async function modeOf(store: MemoryStore, number: number): Promise<string | undefined> {
  const ledger = { head: () => ({ number, hash: ZERO_HASH }) } as unknown as Ledger;
  const guard = { suspicion: async () => "put back", adopt: async () => undefined };
  await admitStore(1, { store, ledger, guard, log: { write: () => undefined } });
  return readAbstention(store)?.mode;
}

test("a ledger that was never opened before is silent over no suspicion", async () => {
  assert.equal(await modeOf(openMemoryStore(), 0), undefined);
});

test("a ledger with blocks, or with a record, is silent when it was put back", async () => {
  assert.equal(await modeOf(openMemoryStore(), 1), "silent");
  const store = openMemoryStore();
  await new VoteStore(store).persist(Uint8Array.of(1), undefined);
  assert.equal(await modeOf(store, 0), "silent");
});

test("a state from before the first word is an older state of a ledger that may have spoken", async () => {
  const store = openMemoryStore();
  await store.commit([{ key: EPOCH_KEY, value: Uint8Array.of(1) }], { durable: true });
  assert.equal(await modeOf(store, 0), "silent");
});

test("a store that has lost the record of its votes is silent, no matter who suspects what", async () => {
  const store = openMemoryStore();
  await new VoteStore(store).persist(Uint8Array.of(1), undefined);
  await store.commit([{ key: "c", value: undefined }], { durable: true });
  const ledger = { head: () => ({ number: 4, hash: ZERO_HASH }) } as unknown as Ledger;
  await admitStore(1, { store, ledger, guard: undefined, log: { write: () => undefined } });
  assert.deepEqual(readAbstention(store), { mode: "silent", cause: "lostVotes", since: 4 });
});
