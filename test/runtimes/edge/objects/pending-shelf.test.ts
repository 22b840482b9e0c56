/** What an object has acknowledged stays on its shelf until its fate is known. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hash } from "../../../../core/bytes/ids.ts";
import type { SubmitOutcome, TransactionWatcher } from "../../../../core/api/node-api.ts";
import type { Store } from "../../../../core/ports/store.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { keepingNode, PendingShelf } from "../../../../runtimes/edge/objects/pending-shelf.ts";
import { dataGroup, dataNode } from "../../../support/data-node.ts";
import { memoryLedger } from "../../../support/ledger/memory-ledger.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const HASH = `0x${"12".repeat(32)}` as Hash;

async function kept(outcome: SubmitOutcome) {
  const store: Store = { ...openMemoryStore(), close: async () => undefined };
  const shelf = new PendingShelf(store);
  await shelf.put(1, HASH, new Uint8Array([1]));
  const watched: Hash[] = [];
  let watcher: TransactionWatcher | undefined;
  const group = dataGroup(memoryLedger({ suite: STANDARD_SUITE, blocks: [], sealers: [] }), {
    submit: async () => outcome,
    watchTransactions: (given) => {
      watcher = given;
      const add = (hash: Hash) => watched.push(hash) > 0;
      return { add, remove: () => undefined, close: () => undefined };
    },
  });
  keepingNode(dataNode([group]), shelf, () => undefined);
  const settled = () => new Promise((resolve) => setTimeout(resolve, 10));
  await settled();
  return { shelf, watched, watcher, settled };
}

test("a transaction that the pool has before the start stays until it is in a block", async () => {
  const refusal = { ok: false, refusal: "alreadyKnown", hash: HASH, blockLimit: 9n } as const;
  const { shelf, watched, watcher, settled } = await kept(refusal);
  assert.equal(await shelf.isEmpty(), false);
  assert.deepEqual(watched, [HASH]);
  watcher?.committed({ number: 1, hash: HASH, found: [{ hash: HASH, index: 0 }] });
  await settled();
  assert.equal(await shelf.isEmpty(), true);
});

test("a transaction that is in a block already is forgotten by the next start", async () => {
  const refusal = { ok: false, refusal: "alreadyInChain", hash: HASH, blockLimit: 9n } as const;
  const { shelf, watched } = await kept(refusal);
  assert.equal(await shelf.isEmpty(), true);
  assert.deepEqual(watched, []);
});
