/** A key that was used elsewhere is silent over a new ledger. */
// rules: pbft 16.2
import assert from "node:assert/strict";
import { test } from "vitest";
import { prepareGenesis } from "../../../core/ledger/genesis-block.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { readAbstention } from "../../../core/node/voting/abstention-store.ts";
import { distrustKey, storageOf } from "../../../runtimes/browser/brought-key.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import type { TabStorage } from "../../../runtimes/browser/tab-storage.ts";
import type { TabRecord } from "../../../runtimes/browser/tab-record.ts";
import { GENESIS, SUITE } from "../../support/execution/test-chain.ts";

const RECORD: TabRecord = {
  name: "tab",
  kind: "join",
  chainId: 1,
  sm: false,
  consensus: "pbft",
  created: 0,
  nodeIds: [],
  isWanted: true,
};

/** A storage with one empty store. */
function emptyStorage(): TabStorage {
  const store = { ...openMemoryStore(), close: async () => undefined };
  return { openStore: async () => store } as unknown as TabStorage;
}

test("a node with a key that was made here may vote at once", async () => {
  const storage = storageOf(emptyStorage(), RECORD);
  assert.equal(readAbstention(await storage.openStore(RECORD, 0, 1)), undefined);
});

test("one with a key from elsewhere is silent from its first block on, and once only", async () => {
  const storage = storageOf(emptyStorage(), { ...RECORD, isKeyBrought: true });
  const store = await storage.openStore(RECORD, 0, 1);
  const silence = readAbstention(store);
  assert.deepEqual([silence?.mode, silence?.cause, silence?.since], ["silent", "copied", 0]);
  const base = { store, suite: SUITE, version: NEWEST_VERSION, genesis: GENESIS };
  await prepareGenesis(store, base);
  assert.equal(readAbstention(store)?.mode, "silent", "the genesis block leaves it");
  await store.commit([], { durable: true });
  await distrustKey(store);
  assert.equal(readAbstention(store)?.since, 0);
});
