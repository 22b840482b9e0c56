// rules: txpool 2, txpool 5, txpool 6, txpool 7, txpool 8
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { Hash } from "../../../core/bytes/ids.ts";
import type { SignedTransaction } from "../../../core/model/transaction.ts";
import type { ImportRefusal } from "../../../core/txpool/admission.ts";
import {
  CLEANUP_LIMIT,
  KNOWN_BY_LIMIT,
  LEAST_BYTES_PER_MS,
  STALE_AFTER_MS,
  TRAVELLING_FROM_BYTES,
} from "../../../core/txpool/limits.ts";
import { pack } from "../../../core/txpool/packing.ts";
import {
  cleanUp,
  clearPool,
  importBatch,
  isSeen,
  onBlock,
  packableCount,
  pendingCount,
  pendingTransaction,
  pendingTransactions,
} from "../../../core/txpool/pool.ts";
import {
  addKnown,
  isTravelling,
  onLeftGroup,
  onSealerConnected,
  takeStale,
  takeUnsynced,
  unsyncedCount,
} from "../../../core/txpool/spreading.ts";
import type { TxPool } from "../../../core/txpool/state.ts";
import { cases } from "../../support/runner/cases.ts";
import {
  buildPool,
  buildTransaction,
  contextAt,
  hashOfNumber,
  nodeIdOfNumber,
} from "../../support/world/pool-builders.ts";

const EXPIRY_MS = 600_000;
const EVERYTHING = { count: 1_000_000, bytes: 1_000_000_000 };

function fill(pool: TxPool, from: number, to: number, peer?: number): void {
  const fromPeer = peer === undefined ? undefined : nodeIdOfNumber(peer);
  const items = Array.from({ length: to - from }, (_, i) => ({
    transaction: buildTransaction(from + i),
    fromPeer,
  }));
  assert.ok(importBatch(pool, items, contextAt(100)).every(({ ok }) => ok));
}

function idsBetween(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function idsOf(entries: readonly { readonly transaction: SignedTransaction }[]): number[] {
  return entries.map(({ transaction }) => Number(transaction.hash));
}

test("a block takes its transactions out and gives back the entries that waited for it", () => {
  const pool = buildPool(100);
  fill(pool, 0, 4);
  const block = [2, 9, 0].map((id) => buildTransaction(id));
  const committed = onBlock(pool, {
    number: 101,
    hashes: block.map(({ hash }) => hash),
    nonces: block.map(({ nonce }) => nonce),
  });
  assert.deepEqual(idsOf(committed), [2, 0]);
  assert.deepEqual(pendingTransactions(pool), [buildTransaction(1), buildTransaction(3)]);
  assert.equal(pool.memoryBytes, 20);
  assert.equal(isSeen(pool, hashOfNumber(2)), false);
  assert.equal(pendingTransaction(pool, hashOfNumber(3))?.hash, hashOfNumber(3));
  assert.equal(pendingTransaction(pool, hashOfNumber(2)), undefined);
});

test("a transaction whose nonce is spent counts as unpackable once, until it leaves", () => {
  const pool = buildPool(100);
  fill(pool, 0, 3);
  const { nonce } = buildTransaction(1);
  onBlock(pool, { number: 101, hashes: [hashOfNumber(98)], nonces: [nonce] });
  onBlock(pool, { number: 102, hashes: [hashOfNumber(99)], nonces: [nonce] });
  assert.deepEqual([pendingCount(pool), packableCount(pool)], [3, 2]);
  cleanUp(pool, { head: 102, now: EXPIRY_MS + 1 });
  assert.deepEqual([pendingCount(pool), packableCount(pool)], [0, 0]);
});

// rules: txpool 4
test("packing drops what passed its block limit, once the chain has forgotten its spent nonce", () => {
  const pool = buildPool(100);
  fill(pool, 0, 1);
  const { nonce } = buildTransaction(0);
  onBlock(pool, { number: 101, hashes: [hashOfNumber(98)], nonces: [nonce] });
  const countAt = (head: number) => {
    while (pool.window.head < head)
      onBlock(pool, { number: pool.window.head + 1, hashes: [], nonces: [] });
    assert.deepEqual(pack(pool, { limit: 1, head, now: 0 }).transactions, []);
    return pendingCount(pool);
  };
  assert.equal(countAt(1_101), 1);
  assert.equal(countAt(1_102), 0);
});

test("a clean-up pass examines no more than its limit and the next one goes on", () => {
  const pool = buildPool(100);
  fill(pool, 0, 10);
  const late = { head: 100, now: EXPIRY_MS + 1 };
  assert.deepEqual(cleanUp(pool, { head: 100, now: 0 }, 7), []);
  const drops = [1, 2, 3].map(() => idsOf(cleanUp(pool, late, 4)));
  assert.deepEqual(drops, [
    [7, 8, 9],
    [0, 1, 2, 3],
    [4, 5, 6],
  ]);
  assert.equal(pendingCount(pool), 0);
});

test("a clean-up pass goes on behind an entry that left meanwhile", () => {
  const pool = buildPool(100);
  fill(pool, 0, 6);
  cleanUp(pool, { head: 100, now: 0 }, 3);
  onBlock(pool, { number: 101, hashes: [hashOfNumber(3)], nonces: [buildTransaction(3).nonce] });
  const late = { head: 101, now: EXPIRY_MS + 1 };
  assert.deepEqual(idsOf(cleanUp(pool, late, 2)), [4, 5]);
});

test("a clean-up drops what has passed its block limit", () => {
  const pool = buildPool(100);
  importBatch(pool, [{ transaction: buildTransaction(1, { blockLimit: 101n }) }], contextAt(100));
  assert.deepEqual(cleanUp(pool, { head: 100, now: 0 }), []);
  assert.deepEqual(idsOf(cleanUp(pool, { head: 101, now: 0 })), [1]);
});

test("one clean-up pass inspects at most 10000 entries", () => {
  const pool = buildPool(100);
  fill(pool, 0, CLEANUP_LIMIT + 500);
  assert.equal(cleanUp(pool, { head: 100, now: EXPIRY_MS + 1 }).length, CLEANUP_LIMIT);
  assert.equal(pendingCount(pool), 500);
});

test("dropped hashes never outnumber the count limit and the oldest are forgotten", () => {
  const pool = buildPool(100, { count: 16 });
  const all: Hash[] = [];
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 16; i++) {
      const transaction = buildTransaction(round * 16 + i);
      importBatch(pool, [{ transaction }], contextAt(100));
      all.push(transaction.hash);
    }
    cleanUp(pool, { head: 100, now: EXPIRY_MS + 1 });
    assert.ok(pool.dropped.size <= 16);
    assert.ok(pool.hashFilter.size <= 16);
  }
  const kept = [...pool.dropped.keys()];
  assert.deepEqual(kept, all.slice(-kept.length));
  const byLimit = [...pool.droppedByLimit.values()].reduce((sum, set) => sum + set.size, 0);
  assert.equal(byLimit, pool.dropped.size);
});

test("a cleared pool is as good as new", () => {
  const pool = buildPool(100);
  fill(pool, 0, 50);
  cleanUp(pool, { head: 100, now: EXPIRY_MS + 1 }, 10);
  clearPool(pool);
  assert.deepEqual([pendingCount(pool), unsyncedCount(pool), pool.memoryBytes], [0, 0, 0]);
  fill(pool, 0, 50);
  assert.equal(pendingCount(pool), 50);
});

test("local transactions are taken for pushing once, in order and within both bounds", () => {
  const pool = buildPool(100);
  fill(pool, 0, 5);
  assert.deepEqual(idsOf(takeUnsynced(pool, { count: 2, bytes: 1_000 })), [0, 1]);
  assert.deepEqual([pool.outbox.length, unsyncedCount(pool)], [3, 3]);
  assert.deepEqual(idsOf(takeUnsynced(pool, { count: 9, bytes: 13 })), [2, 3]);
  assert.deepEqual(idsOf(takeUnsynced(pool, { count: 9, bytes: 1 })), [4]);
  assert.deepEqual(idsOf(takeUnsynced(pool, EVERYTHING)), []);
});

// rules: sync 5
test("what has waited for long is announced in turns, then from the beginning again", () => {
  const pool = buildPool(100);
  const importAt = (from: number, to: number, now: number) => {
    const items = idsBetween(from, to).map((id) => ({ transaction: buildTransaction(id) }));
    importBatch(pool, items, contextAt(100, now));
  };
  importAt(0, 3, 10);
  importAt(3, 5, 20);
  importAt(5, 6, 30);
  const stale = (imported: number) => takeStale(pool, { now: imported + STALE_AFTER_MS, count: 2 });
  assert.deepEqual(stale(9), []);
  // Those imported in one moment stay together: the next turn begins behind them.
  assert.deepEqual(stale(25), [0, 1, 2].map(hashOfNumber));
  assert.deepEqual(stale(25), [3, 4].map(hashOfNumber));
  assert.deepEqual(stale(25), []);
  assert.deepEqual(stale(25), [0, 1, 2].map(hashOfNumber));
});

// rules: sync 5
test("a long transaction is announced once its push has had its time", () => {
  const pool = buildPool(100);
  const raw = new Uint8Array(TRAVELLING_FROM_BYTES * 20);
  importBatch(pool, [{ transaction: buildTransaction(0, { raw }) }], contextAt(100, 0));
  const travels = raw.length / LEAST_BYTES_PER_MS;
  const [hash] = [hashOfNumber(0)];
  assert.deepEqual(takeStale(pool, { now: STALE_AFTER_MS + 1, count: 2 }), []);
  assert.equal(isTravelling(pool, hash, travels - 1), true);
  assert.equal(isTravelling(pool, hash, travels), false);
  assert.equal(isTravelling(pool, hashOfNumber(1), 0), false);
  assert.deepEqual(takeStale(pool, { now: travels, count: 2 }), [hash]);
});

test("a transaction from a peer is not pushed and its sender is known to have it", () => {
  const pool = buildPool(100);
  fill(pool, 0, 2, 7);
  assert.deepEqual(takeUnsynced(pool, EVERYTHING), []);
  assert.deepEqual(pool.first?.knownBy, [nodeIdOfNumber(7)]);
});

test("a transaction that is committed before it was pushed is not pushed", () => {
  const pool = buildPool(100);
  fill(pool, 0, 3);
  onBlock(pool, { number: 101, hashes: [hashOfNumber(1)], nonces: [buildTransaction(1).nonce] });
  assert.deepEqual(idsOf(takeUnsynced(pool, EVERYTHING)), [0, 2]);
});

test("a sealer that connects is sent the local transactions again, others are not", () => {
  const pool = buildPool(100);
  fill(pool, 0, 2);
  fill(pool, 2, 4, 7);
  const [one, two] = [nodeIdOfNumber(1), nodeIdOfNumber(2)];
  const taken = takeUnsynced(pool, EVERYTHING);
  addKnown(
    pool,
    taken.map(({ transaction }) => transaction.hash),
    [one, two],
  );
  onSealerConnected(pool, one);
  const again = takeUnsynced(pool, EVERYTHING);
  assert.deepEqual(idsOf(again), [0, 1]);
  assert.deepEqual(
    again.map(({ knownBy }) => knownBy),
    [[two], [two]],
  );
});

test("after leaving the group everything pending is sent again", () => {
  const pool = buildPool(100);
  fill(pool, 0, 2, 7);
  fill(pool, 2, 4);
  takeUnsynced(pool, EVERYTHING);
  onLeftGroup(pool);
  const again = takeUnsynced(pool, EVERYTHING);
  assert.deepEqual(idsOf(again), [0, 1, 2, 3]);
  assert.ok(again.every(({ knownBy }) => knownBy.length === 0));
});

test("the outbox of a node without peers stays in proportion to what is pending", () => {
  const pool = buildPool(100);
  fill(pool, 0, 2);
  for (let id = 2; id < 20_000; id++) {
    fill(pool, id, id + 1);
    const gone = buildTransaction(id - 1);
    onBlock(pool, { number: pool.window.head + 1, hashes: [gone.hash], nonces: [] });
  }
  assert.deepEqual([pendingCount(pool), unsyncedCount(pool)], [2, 2]);
  assert.ok(pool.outbox.length < 1_100);
});

test("the peers known to have a transaction are bounded", () => {
  const pool = buildPool(100);
  fill(pool, 0, 1);
  for (let peer = 0; peer < KNOWN_BY_LIMIT + 50; peer++) {
    addKnown(pool, [hashOfNumber(0), hashOfNumber(77)], [nodeIdOfNumber(peer)]);
  }
  assert.equal(pool.first?.knownBy.length, KNOWN_BY_LIMIT);
  assert.equal(pool.first?.knownBy.at(-1), nodeIdOfNumber(KNOWN_BY_LIMIT + 49));
});

test("entries that know the same peers share the list", () => {
  const pool = buildPool(100);
  fill(pool, 0, 100);
  const hashes = pendingTransactions(pool).map(({ hash }) => hash);
  addKnown(pool, hashes, [nodeIdOfNumber(1)]);
  addKnown(pool, hashes, [nodeIdOfNumber(2)]);
  const lists = new Set(hashes.map((hash) => pool.byHash.get(hash)?.knownBy));
  assert.equal(lists.size, 1);
});

/** The pool of txpool 2 to 6 as a list and plain loops. */
class NaivePool {
  pending: { tx: SignedTransaction; at: number; spent: boolean }[] = [];
  blocks: { number: number; nonces: bigint[] }[] = [];
  dropped: { hash: Hash; blockLimit: number }[] = [];
  head = 100;
  readonly count: number;

  constructor(count: number) {
    this.count = count;
  }

  chainHas(nonce: bigint): boolean {
    return this.blocks.some(
      ({ number, nonces }) => number >= this.head - 1_000 && nonces.includes(nonce),
    );
  }

  refusal(tx: SignedTransaction): ImportRefusal | undefined {
    if (this.pending.length >= this.count) return "txPoolIsFull";
    if (this.pending.some((each) => each.tx.hash === tx.hash)) return "alreadyKnown";
    if (this.dropped.some(({ hash }) => hash === tx.hash)) return "alreadyInChain";
    if (this.chainHas(tx.nonce)) return "chainNonceUsed";
    const limit = Number(tx.blockLimit);
    if (limit <= this.head || limit > this.head + 1_000) return "blockLimitCheckFail";
    if (this.pending.some((each) => each.tx.nonce === tx.nonce)) return "poolNonceUsed";
    if (tx.chainId !== 1n) return "invalidChainId";
    return undefined;
  }

  import(tx: SignedTransaction, now: number): ImportRefusal | undefined {
    const refusal = this.refusal(tx);
    if (refusal === undefined) this.pending.push({ tx, at: now, spent: false });
    return refusal;
  }

  isStale(each: { tx: SignedTransaction; at: number }, now: number): boolean {
    return Number(each.tx.blockLimit) <= this.head || now > each.at + EXPIRY_MS;
  }

  dropWhere(isGone: (each: { tx: SignedTransaction; at: number }) => boolean): void {
    for (const { tx } of this.pending.filter(isGone)) {
      const blockLimit = Number(tx.blockLimit);
      if (blockLimit > this.head) this.dropped.push({ hash: tx.hash, blockLimit });
    }
    this.pending = this.pending.filter((each) => !isGone(each));
  }

  pack(limit: number, now: number): SignedTransaction[] {
    const taken: SignedTransaction[] = [];
    const stale = new Set<SignedTransaction>();
    for (const each of this.pending) {
      if (taken.length >= limit) break;
      if (this.chainHas(each.tx.nonce)) continue;
      if (this.isStale(each, now)) stale.add(each.tx);
      else taken.push(each.tx);
    }
    this.dropWhere(({ tx }) => stale.has(tx));
    return taken;
  }

  commit(transactions: readonly SignedTransaction[]): void {
    this.head++;
    this.blocks.push({ number: this.head, nonces: transactions.map(({ nonce }) => nonce) });
    this.pending = this.pending.filter(({ tx }) => !transactions.includes(tx));
    for (const each of this.pending) {
      if (transactions.some(({ nonce }) => nonce === each.tx.nonce)) each.spent = true;
    }
    this.dropped = this.dropped.filter(({ blockLimit }) => blockLimit > this.head);
  }
}

type Command =
  | { readonly import: { id: number; nonce: number; blocks: number; chainId: number } }
  | { readonly pack: number; readonly commit: boolean }
  | { readonly foreign: number }
  | { readonly wait: number }
  | { readonly sweep: true }
  | { readonly skip: number };

const COMMANDS: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      import: fc.record({
        id: fc.nat({ max: 60 }),
        nonce: fc.nat({ max: 25 }),
        blocks: fc.oneof(fc.integer({ min: -1, max: 4 }), fc.integer({ min: 998, max: 1_002 })),
        chainId: fc.constantFrom(1, 1, 1, 2),
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ pack: fc.integer({ min: 1, max: 6 }), commit: fc.boolean() }),
  },
  fc.record({ foreign: fc.nat({ max: 25 }) }),
  fc.record({ wait: fc.nat({ max: 400_000 }) }),
  fc.record({ sweep: fc.constant<true>(true) }),
  fc.record({ skip: fc.integer({ min: 1, max: 600 }) }),
);

/** Runs one command on both pools and compares what they answer. */
function runCommand(pool: TxPool, naive: NaivePool, command: Command, now: number): void {
  const commit = (transactions: readonly SignedTransaction[]) => {
    naive.commit(transactions);
    const hashes = transactions.map(({ hash }) => hash);
    const nonces = transactions.map(({ nonce }) => nonce);
    onBlock(pool, { number: naive.head, hashes, nonces });
  };
  if ("import" in command) {
    const { id, nonce, blocks, chainId } = command.import;
    const transaction = buildTransaction(id, {
      nonce: BigInt(nonce),
      blockLimit: BigInt(naive.head + blocks),
      chainId: BigInt(chainId),
    });
    const expected = naive.import(transaction, now);
    const [outcome] = importBatch(pool, [{ transaction }], contextAt(naive.head, now));
    assert.equal(outcome?.ok === false ? outcome.refusal : undefined, expected);
  } else if ("pack" in command) {
    const expected = naive.pack(command.pack, now);
    const { transactions } = pack(pool, { limit: command.pack, head: naive.head, now });
    assert.deepEqual(transactions, expected);
    if (command.commit) commit(expected);
  } else if ("foreign" in command) {
    commit([buildTransaction(10_000 + naive.head, { nonce: BigInt(command.foreign) })]);
  } else if ("sweep" in command) {
    naive.dropWhere((each) => naive.isStale(each, now));
    // Two passes: the first may start in the middle of the queue.
    cleanUp(pool, { head: naive.head, now });
    cleanUp(pool, { head: naive.head, now });
  } else if ("skip" in command) {
    for (let i = 0; i < command.skip; i++) commit([]);
  }
}

function assertSame(pool: TxPool, naive: NaivePool): void {
  const expected = naive.pending.map(({ tx }) => tx);
  assert.deepEqual(pendingTransactions(pool), expected);
  assert.equal(pendingCount(pool), expected.length);
  assert.equal(pool.memoryBytes, expected.length * 10);
  assert.equal(pool.pendingNonces.size, expected.length);
  assert.equal(unsyncedCount(pool), expected.length);
  const packable = naive.pending.filter(({ spent }) => !spent);
  assert.equal(packableCount(pool), packable.length);
  assert.deepEqual(
    [...pool.dropped.keys()].toSorted(),
    naive.dropped.map(({ hash }) => hash).toSorted(),
  );
  assert.ok(pool.hashFilter.size <= pool.limits.count);
  let previous: unknown;
  for (let entry = pool.first; entry !== undefined; entry = entry.next) {
    assert.equal(entry.previous, previous);
    previous = entry;
  }
  assert.equal(pool.last, previous);
}

test("the pool agrees with a list and plain loops over any history", () => {
  fc.assert(
    fc.property(fc.array(COMMANDS, { maxLength: 80 }), (commands) => {
      const pool = buildPool(100, { count: 12 });
      const naive = new NaivePool(12);
      let now = 0;
      for (const command of commands) {
        if ("wait" in command) now += command.wait;
        runCommand(pool, naive, command, now);
        // The naive pool has no bound on what it drops.
        if (naive.dropped.length >= 12) return;
        assertSame(pool, naive);
      }
    }),
    { numRuns: cases(400) },
  );
});
