// What becomes of single transactions: committed, dropped by whatever way, ended with the group.
// rules: channel-protocol 6.1, txpool 6
import assert from "node:assert/strict";
import { beforeEach, test } from "vitest";
import type { Hash } from "../../../../core/bytes/ids.ts";
import type { LocatedTransaction } from "../../../../core/ports/ledger.ts";
import type { TransactionWatcher } from "../../../../core/api/node-api.ts";
import { MAX_WATCHED, TransactionWatches } from "../../../../core/node/feed/transaction-watches.ts";
import type { TxPool } from "../../../../core/txpool/state.ts";

const hash = (digit: string) => `0x${digit.repeat(64)}` as Hash;
const [A, B, C] = [hash("a"), hash("b"), hash("c")];

let told: unknown[];
let pending: Set<Hash>;
let committed: Map<Hash, LocatedTransaction>;
let watches: TransactionWatches;
/** Heights of the block that is stored and of the head. */
let heights: { stored: number; head: number };

const watcher: TransactionWatcher = {
  committed: (block) => void told.push(["committed", block.number, block.found]),
  dropped: (hashes) => void told.push(["dropped", hashes]),
  ended: (hashes) => void told.push(["ended", hashes]),
};

beforeEach(() => {
  told = [];
  pending = new Set([A, B, C]);
  committed = new Map();
  const byHash = { get: (key: Hash) => (pending.has(key) ? { transaction: {} } : undefined) };
  heights = { stored: 4, head: 4 };
  const ledger = {
    transaction: async (key: Hash) => committed.get(key),
    totals: async () => ({ number: heights.stored, transactions: 0n, failed: 0n }),
    head: () => ({ number: heights.head, hash: hash("4") }),
  };
  watches = new TransactionWatches({ byHash } as unknown as TxPool, ledger);
});

test("a block reports those of its transactions that are watched, once", () => {
  const watch = watches.watch(watcher);
  for (const each of [A, B]) watch.add(each);
  watches.onBlock({ number: 5, hash: hash("5") }, [C, B, A]);
  const found = [
    { hash: B, index: 1 },
    { hash: A, index: 2 },
  ];
  assert.deepEqual(told, [["committed", 5, found]]);
  watches.onBlock({ number: 6, hash: hash("6") }, [A]);
  assert.equal(told.length, 1);
});

test("what left the pool without a block is reported as dropped, whatever the way", async () => {
  const watch = watches.watch(watcher);
  for (const each of [A, B]) watch.add(each);
  await watches.sweep();
  assert.deepEqual(told, []);
  pending.delete(A);
  await watches.sweep();
  await watches.sweep();
  assert.deepEqual(told, [["dropped", [A]]]);
});

test("what was in a block before it was watched is told all the same", async () => {
  const placed = { blockNumber: 7, blockHash: hash("7"), index: 3 } as LocatedTransaction;
  committed.set(A, placed);
  pending.delete(A);
  watches.watch(watcher).add(A);
  await watches.sweep();
  assert.deepEqual(told, [["committed", 7, [{ hash: A, index: 3 }]]]);
});

test("nothing is dropped while a block is stored and not yet the head", async () => {
  watches.watch(watcher).add(A);
  pending.delete(A);
  heights.stored = 5;
  await watches.sweep();
  assert.deepEqual(told, []);
  heights.head = 5;
  watches.onBlock({ number: 5, hash: hash("5") }, [A]);
  await watches.sweep();
  assert.deepEqual(told, [["committed", 5, [{ hash: A, index: 0 }]]]);
});

test("a block that comes while the sweep reads is told once", async () => {
  watches.watch(watcher).add(A);
  pending.delete(A);
  const sweep = watches.sweep();
  watches.onBlock({ number: 5, hash: hash("5") }, [A]);
  await sweep;
  assert.deepEqual(told, [["committed", 5, [{ hash: A, index: 0 }]]]);
});

test("what is removed, and who closes, is told nothing", async () => {
  const watch = watches.watch(watcher);
  watch.add(A);
  watch.add(B);
  watch.remove(A);
  pending.clear();
  await watches.sweep();
  assert.deepEqual(told, [["dropped", [B]]]);
  watch.add(C);
  watch.close();
  await watches.sweep();
  assert.equal(told.length, 1);
});

test("the end of the group is told, and ends the watching", async () => {
  watches.watch(watcher).add(A);
  watches.close();
  assert.deepEqual(told, [["ended", [A]]]);
  watches.onBlock({ number: 5, hash: hash("5") }, [A]);
  assert.equal(told.length, 1);
});

test("two watchers do not see each other's transactions", () => {
  const others: unknown[] = [];
  watches.watch(watcher).add(A);
  const second = { ...watcher, committed: () => void others.push("told") };
  watches.watch(second).add(B);
  watches.onBlock({ number: 5, hash: hash("5") }, [A]);
  assert.deepEqual([told.length, others.length], [1, 0]);
});

test("no watcher watches more than its bound", () => {
  const watch = watches.watch(watcher);
  for (let i = 0; i < MAX_WATCHED; i++)
    assert.ok(watch.add(`0x${i.toString(16).padStart(64, "0")}` as Hash));
  assert.ok(!watch.add(A));
});
