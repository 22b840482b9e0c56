/** What an object has acknowledged stays in its store until its fate is known. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { fromHex } from "../../../../core/bytes/hex.ts";
import type { Hash } from "../../../../core/bytes/ids.ts";
import type { SubmitOutcome, TransactionWatcher } from "../../../../core/api/node-api.ts";
import { decodeTransaction } from "../../../../core/model/transaction.ts";
import type { Store } from "../../../../core/ports/store.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { keepingNode, PendingStore } from "../../../../runtimes/edge/objects/pending-store.ts";
import { dataGroup, dataNode } from "../../../support/data-node.ts";
import { decodedTransaction } from "../../../support/gateway/raw-transaction.ts";
import { memoryLedger } from "../../../support/ledger/memory-ledger.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const HASH = `0x${"12".repeat(32)}` as Hash;

async function kept(outcome: SubmitOutcome) {
  const store: Store = { ...openMemoryStore(), close: async () => undefined };
  const pending = new PendingStore(store);
  await pending.put(1, HASH, new Uint8Array([1]));
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
  keepingNode(dataNode([group]), pending, () => undefined);
  await settled();
  return { pending, watched, watcher };
}

test("a transaction that the pool has before the start stays until it is in a block", async () => {
  const refusal = { ok: false, refusal: "alreadyKnown", hash: HASH, blockLimit: 9n } as const;
  const { pending, watched, watcher } = await kept(refusal);
  assert.equal(await pending.isEmpty(), false);
  assert.deepEqual(watched, [HASH]);
  watcher?.committed({ number: 1, hash: HASH, found: [{ hash: HASH, index: 0 }] });
  await settled();
  assert.equal(await pending.isEmpty(), true);
});

test("a transaction that is in a block already is forgotten by the next start", async () => {
  const refusal = { ok: false, refusal: "alreadyInChain", hash: HASH, blockLimit: 9n } as const;
  const { pending, watched } = await kept(refusal);
  assert.equal(await pending.isEmpty(), true);
  assert.deepEqual(watched, []);
});

/** A group whose pool answers as it is told, over a store with this many places. */
function storeOver(store: Store, most: number) {
  const taken: string[] = [];
  let watcher: TransactionWatcher | undefined;
  const pool: { refusal: "txPoolIsFull" | undefined } = { refusal: undefined };
  const group = dataGroup(memoryLedger({ suite: STANDARD_SUITE, blocks: [], sealers: [] }), {
    submit: async (raw) => {
      const decoded = decodeTransaction(raw, STANDARD_SUITE);
      assert.ok(decoded.ok);
      const { hash, blockLimit } = decoded.transaction;
      if (pool.refusal) return { ok: false, refusal: pool.refusal, hash, blockLimit };
      taken.push(hash);
      return { ok: true, hash };
    },
    watchTransactions: (given) => {
      watcher = given;
      return { add: () => true, remove: () => undefined, close: () => undefined };
    },
  });
  const pending = new PendingStore(store, most);
  const kept = keepingNode(dataNode([group]), pending, () => undefined);
  const commit = (hash: string) =>
    watcher?.committed({ number: 1, hash: HASH, found: [{ hash: hash as Hash, index: 0 }] });
  return { pending, kept, pool, taken, commit };
}

function transaction(nonce: bigint): { raw: Uint8Array; hash: string } {
  const { raw, hash } = decodedTransaction(STANDARD_SUITE, nonce);
  return { raw: fromHex(raw) ?? new Uint8Array(), hash };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 10));

test("what the pool refuses for a while is handed in again while the object runs", async () => {
  const store: Store = { ...openMemoryStore(), close: async () => undefined };
  const { raw, hash } = transaction(1n);
  await new PendingStore(store).put(1, hash as Hash, raw);
  const { pending, kept, pool, taken, commit } = storeOver(store, 10);
  pool.refusal = "txPoolIsFull";
  await settled();
  await kept.retry();
  assert.deepEqual(taken, []);
  pool.refusal = undefined;
  await kept.retry();
  assert.deepEqual(taken, [hash]);
  await kept.retry();
  assert.deepEqual(taken, [hash], "it waits for its block now");
  commit(hash);
  await settled();
  assert.equal(await pending.isEmpty(), true);
});

test("the store has a bound, and a transaction above it is refused: that the pool is full", async () => {
  const store: Store = { ...openMemoryStore(), close: async () => undefined };
  const [first, second, third] = [transaction(1n), transaction(2n), transaction(3n)];
  await new PendingStore(store).put(1, first.hash as Hash, first.raw);
  const { kept, taken, commit } = storeOver(store, 2);
  const group = kept.api.group(1);
  assert.ok(group);
  assert.equal((await group.submit(second.raw)).ok, true);
  const refused = await group.submit(third.raw);
  assert.equal(!refused.ok && refused.refusal, "txPoolIsFull");
  assert.equal((await store.range("0", ":", 9)).length, 2);
  commit(first.hash);
  assert.equal((await group.submit(third.raw)).ok, true);
  assert.deepEqual([...taken].sort(), [first, second, third].map(({ hash }) => hash).sort());
});
