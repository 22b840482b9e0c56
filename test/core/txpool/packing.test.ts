// rules: txpool 4.1, txpool 4.2, txpool 4.3, txpool 4.4, txpool 4.5, pbft 16.3.8
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { Address } from "../../../core/bytes/ids.ts";
import type { SignedTransaction } from "../../../core/model/transaction.ts";
import {
  HEAVY_LIMIT,
  LIGHT_TRIES,
  TRAVELLED_BYTES_PER_MS,
  TRAVELLING_FROM_BYTES,
} from "../../../core/txpool/limits.ts";
import { giveLightTurn, markHeavy, pack, sendBack } from "../../../core/txpool/packing.ts";
import {
  importBatch,
  isSeen,
  onBlock,
  packableCount,
  pendingCount,
} from "../../../core/txpool/pool.ts";
import type { TxPool } from "../../../core/txpool/state.ts";
import {
  buildPool,
  buildTransaction,
  contextAt,
  hashOfNumber,
} from "../../support/world/pool-builders.ts";

const EXPIRY_MS = 600_000;

function fill(pool: TxPool, transactions: readonly SignedTransaction[], now = 0): void {
  const items = transactions.map((transaction) => ({ transaction }));
  const outcomes = importBatch(pool, items, contextAt(100, now));
  assert.ok(outcomes.every(({ ok }) => ok));
}

function poolOf(count: number): TxPool {
  const pool = buildPool(100);
  fill(
    pool,
    Array.from({ length: count }, (_, i) => buildTransaction(i)),
  );
  return pool;
}

function packHashes(pool: TxPool, limit: number): number[] {
  const { transactions } = pack(pool, { limit, head: 100, now: 0 });
  return transactions.map(({ hash }) => Number(hash));
}

function commit(pool: TxPool, ids: readonly number[]): void {
  const transactions = ids.map((id) => buildTransaction(id));
  onBlock(pool, {
    number: pool.window.head + 1,
    hashes: transactions.map(({ hash }) => hash),
    nonces: transactions.map(({ nonce }) => nonce),
  });
}

test("packing takes the oldest transactions and leaves them pending", () => {
  const pool = poolOf(5);
  assert.deepEqual(packHashes(pool, 3), [0, 1, 2]);
  assert.equal(pendingCount(pool), 5);
});

test("packing takes what is there when more is wanted", () => {
  assert.deepEqual(packHashes(poolOf(2), 1_000), [0, 1]);
});

test("packing nothing is allowed and changes nothing", () => {
  const pool = poolOf(2);
  assert.deepEqual(packHashes(pool, 0), []);
  assert.equal(pendingCount(pool), 2);
});

test("a transaction whose nonce another one used on the chain is kept but not packed", () => {
  const pool = poolOf(3);
  const nonce = buildTransaction(1).nonce;
  onBlock(pool, { number: 101, hashes: [hashOfNumber(99)], nonces: [nonce] });
  assert.deepEqual(packHashes(pool, 10), [0, 2]);
  assert.deepEqual([pendingCount(pool), packableCount(pool)], [3, 2]);
});

test("a transaction whose block limit has passed is dropped while packing", () => {
  const pool = buildPool(100);
  fill(pool, [buildTransaction(0, { blockLimit: 101n }), buildTransaction(1)]);
  onBlock(pool, { number: 101, hashes: [], nonces: [] });
  const { transactions } = pack(pool, { limit: 10, head: 101, now: 0 });
  assert.deepEqual(
    transactions.map(({ hash }) => Number(hash)),
    [1],
  );
  assert.equal(pendingCount(pool), 1);
  assert.equal(pool.byHash.has(hashOfNumber(0)), false);
});

test("a transaction is packed up to its expiry and dropped after it", () => {
  const pool = buildPool(100);
  fill(pool, [buildTransaction(0)], 1_000);
  const inTime = pack(pool, { limit: 10, head: 100, now: 1_000 + EXPIRY_MS });
  assert.equal(inTime.transactions.length, 1);
  const late = pack(pool, { limit: 10, head: 100, now: 1_001 + EXPIRY_MS });
  assert.deepEqual(late.transactions, []);
  assert.deepEqual([...pool.byHash.keys()], []);
  assert.equal(isSeen(pool, hashOfNumber(0)), true);
});

test("a block takes no more bytes than its bound, and at least one transaction", () => {
  const pool = buildPool(100);
  const raw = new Uint8Array(100);
  fill(
    pool,
    [0, 1, 2].map((id) => buildTransaction(id, { raw })),
  );
  const packed = (bytes: number) =>
    pack(pool, { limit: 10, head: 100, now: 0, bytes }).transactions.length;
  assert.deepEqual([packed(99), packed(199), packed(200), packed(1_000)], [1, 1, 2, 3]);
});

test("a long transaction is packed once the others can have it", () => {
  const pool = poolOf(2);
  fill(pool, [buildTransaction(2, { raw: new Uint8Array(TRAVELLING_FROM_BYTES) })], 1_000);
  const arrival = 1_000 + TRAVELLING_FROM_BYTES / TRAVELLED_BYTES_PER_MS;
  const at = (now: number) => pack(pool, { limit: 10, head: 100, now, bytes: 1e9 });
  const before = at(1_001);
  assert.deepEqual([before.transactions.length, before.arrivesAt], [2, arrival]);
  assert.equal(at(arrival).transactions.length, 3);
});

test("a heavy transaction is packed alone, first", () => {
  const pool = poolOf(4);
  markHeavy(pool, [hashOfNumber(2)]);
  const packed = pack(pool, { limit: 10, head: 100, now: 0 });
  assert.deepEqual(
    packed.transactions.map(({ hash }) => Number(hash)),
    [2],
  );
});

test("lone and ordinary proposals take turns while both kinds are pending", () => {
  const pool = poolOf(20);
  markHeavy(pool, [hashOfNumber(0), hashOfNumber(1)]);
  const order: number[][] = [];
  while (pendingCount(pool) > 0) {
    const block = packHashes(pool, 6);
    order.push(block);
    commit(pool, block);
  }
  assert.deepEqual(order, [
    [0],
    [2, 3, 4, 5, 6, 7],
    [1],
    [8, 9, 10, 11, 12, 13],
    [14, 15, 16, 17, 18, 19],
  ]);
});

test("after a lone block, no matter who packed it, comes an ordinary one, unless it keeps failing", () => {
  const pool = poolOf(4);
  markHeavy(pool, [hashOfNumber(0), hashOfNumber(1)]);
  commit(pool, [0]);
  for (let tried = 0; tried < LIGHT_TRIES; tried++) assert.deepEqual(packHashes(pool, 6), [2, 3]);
  assert.deepEqual(packHashes(pool, 6), [1]);
  // One more of them is due after the attempt of this node.
  assert.deepEqual(packHashes(pool, 6), [2, 3]);
  giveLightTurn(pool);
  commit(pool, [2]);
  assert.deepEqual(packHashes(pool, 6), [1]);
});

test("an ordinary block of one transaction gives nobody a turn", () => {
  const pool = poolOf(3);
  markHeavy(pool, [hashOfNumber(0)]);
  commit(pool, [1]);
  assert.deepEqual(packHashes(pool, 6), [0]);
});

test("senders that are sent back take their turns last, the last of the proposal first", () => {
  const pool = buildPool(100);
  const senders = ["aa", "bb", "cc", "dd", "aa"].map((it) => `0x${it.repeat(20)}` as Address);
  const made = senders.map((from, i) => ({ ...buildTransaction(i), from }));
  fill(pool, made as SignedTransaction[]);
  assert.deepEqual(packHashes(pool, 9), [0, 1, 2, 3, 4]);
  sendBack(pool, [0, 1, 2, 77].map(hashOfNumber));
  assert.deepEqual(packHashes(pool, 9), [3, 0, 1, 2, 4]);
  sendBack(pool, [0, 1, 2].map(hashOfNumber));
  assert.deepEqual(packHashes(pool, 9), [3, 2, 0, 1, 4]);
  sendBack(pool, []);
  assert.deepEqual(packHashes(pool, 9), [3, 2, 0, 1, 4]);
});

test("a heavy transaction that keeps failing alone costs the others ever less", () => {
  const pool = poolOf(1);
  markHeavy(pool, [hashOfNumber(0)]);
  let next = 1;
  const gaps: number[] = [];
  let gap = 0;
  for (let round = 0; round < 300; round++) {
    fill(pool, [buildTransaction(next++)]);
    const { transactions } = pack(pool, { limit: 10, head: 100, now: 0 });
    if (transactions[0]?.hash === hashOfNumber(0)) {
      gaps.push(gap);
      gap = 0;
      continue;
    }
    gap++;
    commit(
      pool,
      transactions.map(({ hash }) => Number(hash)),
    );
  }
  assert.deepEqual(gaps, [0, 1, 2, 4, 8, 16, 32, 64, 64, 64]);
});

test("ever new heavy transactions do not keep out one that was tried", () => {
  const pool = buildPool(100);
  const order: number[] = [];
  for (let id = 0; id < 12; id++) {
    fill(pool, [buildTransaction(id)]);
    markHeavy(pool, [hashOfNumber(id)]);
    const [packed = -1] = packHashes(pool, 6);
    order.push(packed);
    // The first one fails, whenever it is tried; the others are written.
    if (packed !== 0) commit(pool, [packed]);
  }
  assert.deepEqual(order, [0, 1, 0, 2, 3, 4, 0, 5, 6, 7, 8, 9]);
});

test("a heavy transaction is packed at once when nothing else is pending", () => {
  const pool = poolOf(1);
  markHeavy(pool, [hashOfNumber(0)]);
  assert.deepEqual(
    [packHashes(pool, 9), packHashes(pool, 9), packHashes(pool, 9)],
    [[0], [0], [0]],
  );
});

test("a mark comes before its transaction and goes with it", () => {
  const pool = buildPool(100);
  markHeavy(pool, [hashOfNumber(1)]);
  fill(pool, [buildTransaction(0), buildTransaction(1)]);
  assert.deepEqual(packHashes(pool, 10), [1]);
  commit(pool, [1]);
  assert.equal(pool.heavy.has(hashOfNumber(1)), false);
});

test("marks are bounded and the oldest goes first", () => {
  const pool = buildPool(100);
  markHeavy(
    pool,
    Array.from({ length: HEAVY_LIMIT + 5 }, (_, i) => hashOfNumber(i)),
  );
  assert.equal(pool.heavy.size, HEAVY_LIMIT);
  assert.deepEqual(
    [4, 5].map((id) => pool.heavy.has(hashOfNumber(id))),
    [false, true],
  );
});

test("with any marks and failures every transaction commits in bounded time", () => {
  const heavyIds = fc.uniqueArray(fc.nat({ max: 29 }), { maxLength: 10 });
  const failures = fc.array(fc.boolean(), { maxLength: 40 });
  fc.assert(
    fc.property(heavyIds, failures, fc.integer({ min: 1, max: 7 }), (marked, fails, limit) => {
      const pool = poolOf(30);
      markHeavy(pool, marked.map(hashOfNumber));
      let proposals = 0;
      for (; pendingCount(pool) > 0 && proposals < 400; proposals++) {
        const { transactions } = pack(pool, { limit, head: 100, now: 0 });
        const ids = transactions.map(({ hash }) => Number(hash));
        assert.ok(ids.length > 0 && ids.length <= limit);
        if (ids.some((id) => marked.includes(id))) assert.equal(ids.length, 1);
        if (!fails[proposals]) commit(pool, ids);
      }
      assert.equal(pendingCount(pool), 0);
    }),
  );
});

test("senders take turns, each in order of arrival, and who was served goes last", () => {
  const pool = buildPool(100);
  const [crowd, lone] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`] as Address[];
  const senders = [crowd, crowd, crowd, crowd, lone, lone];
  const made = senders.map((from, i) => ({ ...buildTransaction(i), from: from ?? lone }));
  fill(pool, made as SignedTransaction[]);
  assert.deepEqual(packHashes(pool, 3), [0, 4, 1]);
  assert.deepEqual(packHashes(pool, 100), [0, 4, 1, 5, 2, 3]);
  commit(pool, [0]);
  assert.deepEqual(packHashes(pool, 2), [4, 1]);
  commit(pool, [4, 5]);
  assert.deepEqual(packHashes(pool, 100), [1, 2, 3]);
});
