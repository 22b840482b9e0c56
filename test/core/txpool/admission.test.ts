// rules: txpool 3.1, txpool 3.2.1, txpool 3.2.2, txpool 3.2.3, txpool 3.2.4, txpool 3.2.5
// rules: txpool 3.2.6, txpool 3.2.7, txpool 3.2.8, txpool 3.2.9, txpool 3.2.10, txpool 3.2.11, txpool 9
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Transaction } from "../../../core/model/transaction.ts";
import type { SubmitRefusal } from "../../../core/api/node-api.ts";
import {
  type EntryRefusal,
  entryRefusal,
  type ImportRefusal,
  unsignedRefusal,
} from "../../../core/txpool/admission.ts";
import {
  cleanUp,
  importBatch,
  isSeen,
  onBlock,
  pendingCount,
  pendingTransactions,
} from "../../../core/txpool/pool.ts";
import type { TxPool } from "../../../core/txpool/state.ts";
import {
  buildPool,
  buildTransaction,
  contextAt,
  DEFAULT_POOL_LIMITS,
  nodeIdOfNumber,
} from "../../support/world/pool-builders.ts";

const MAX = 2n ** 256n - 1n;

/** Outcome of one submission: `accepted` or the refusal. */
function submit(pool: TxPool, transaction: Transaction, head = 200): ImportRefusal | "accepted" {
  const [outcome] = importBatch(pool, [{ transaction }], contextAt(head));
  assert.ok(outcome !== undefined);
  return outcome.ok ? "accepted" : outcome.refusal;
}

function unsigned(transaction: Transaction): Transaction {
  const copy = Object.create(Object.getPrototypeOf(transaction));
  return Object.assign(copy, transaction, { from: undefined });
}

test("every refusal of the pool is one that the node's interface can tell", () => {
  const told: Record<ImportRefusal | EntryRefusal, SubmitRefusal> = {
    overGroupMemoryLimit: "overGroupMemoryLimit",
    txPoolIsFull: "txPoolIsFull",
    alreadyKnown: "alreadyKnown",
    alreadyInChain: "alreadyInChain",
    chainNonceUsed: "chainNonceUsed",
    poolNonceUsed: "poolNonceUsed",
    blockLimitCheckFail: "blockLimitCheckFail",
    malformedTx: "malformedTx",
    invalidChainId: "invalidChainId",
    invalidGroupId: "invalidGroupId",
    notInGroup: "notInGroup",
    nodeIsSyncing: "nodeIsSyncing",
  };
  for (const [name, refusal] of Object.entries(told)) assert.equal(name, refusal);
});

// Worked cases of txpool 9, at head 200.
const BLOCK_LIMITS = [
  { blockLimit: 0n, outcome: "blockLimitCheckFail" },
  { blockLimit: 200n, outcome: "blockLimitCheckFail" },
  { blockLimit: 201n, outcome: "accepted" },
  { blockLimit: 1_200n, outcome: "accepted" },
  { blockLimit: 1_201n, outcome: "blockLimitCheckFail" },
  { blockLimit: MAX, outcome: "blockLimitCheckFail" },
] as const;
for (const { blockLimit, outcome } of BLOCK_LIMITS) {
  test(`block limit ${blockLimit} at head 200: ${outcome}`, () => {
    assert.equal(submit(buildPool(200), buildTransaction(1, { blockLimit })), outcome);
  });
}

test("the same bytes a second time are already known", () => {
  const pool = buildPool(200);
  assert.equal(submit(pool, buildTransaction(1)), "accepted");
  assert.equal(submit(pool, buildTransaction(1)), "alreadyKnown");
});

test("another transaction with a pending nonce is refused", () => {
  const pool = buildPool(200);
  submit(pool, buildTransaction(1, { nonce: 5n }));
  assert.equal(submit(pool, buildTransaction(2, { nonce: 5n })), "poolNonceUsed");
});

test("the same bytes after inclusion are refused by their nonce", () => {
  const pool = buildPool(200);
  const transaction = buildTransaction(1);
  submit(pool, transaction);
  onBlock(pool, { number: 201, hashes: [transaction.hash], nonces: [transaction.nonce] });
  assert.equal(submit(pool, transaction, 201), "chainNonceUsed");
});

test("another chain's transaction is refused", () => {
  assert.equal(submit(buildPool(200), buildTransaction(1, { chainId: 2n })), "invalidChainId");
});

test("another group's transaction is refused", () => {
  assert.equal(submit(buildPool(200), buildTransaction(1, { groupId: 2n })), "invalidGroupId");
});

test("the nonce 2^256 - 1 is never valid", () => {
  assert.equal(submit(buildPool(200), buildTransaction(1, { nonce: MAX })), "chainNonceUsed");
});

test("the largest valid nonce enters", () => {
  assert.equal(submit(buildPool(200), buildTransaction(1, { nonce: MAX - 1n })), "accepted");
});

test("a sender that does not recover makes a transaction malformed", () => {
  assert.equal(submit(buildPool(200), unsigned(buildTransaction(1))), "malformedTx");
});

test("memory is input, raw bytes and extra data, and the limit itself still fits", () => {
  const pool = buildPool(200, { memoryBytes: 33 });
  const sized = { input: new Uint8Array(4), raw: new Uint8Array(5), extraData: new Uint8Array(2) };
  assert.equal(submit(pool, buildTransaction(1, sized)), "accepted");
  assert.equal(pool.memoryBytes, 11);
  assert.equal(submit(pool, buildTransaction(2, sized)), "accepted");
  assert.equal(submit(pool, buildTransaction(3, sized)), "accepted");
  assert.equal(submit(pool, buildTransaction(4, sized)), "overGroupMemoryLimit");
});

test("the pool is full at its count limit", () => {
  const pool = buildPool(200, { count: 2 });
  assert.equal(submit(pool, buildTransaction(1)), "accepted");
  assert.equal(submit(pool, buildTransaction(2)), "accepted");
  assert.equal(submit(pool, buildTransaction(3)), "txPoolIsFull");
});

test("a pool with limit 0 takes nothing", () => {
  assert.equal(submit(buildPool(200, { count: 0 }), buildTransaction(1)), "txPoolIsFull");
});

/**
 * One fault per row of txpool 3.2, in its order. The transaction of row n has the faults of all
 * rows from n on and none before, so the outcome shows that check n runs before the later ones.
 */
const ORDER: readonly ImportRefusal[] = [
  "overGroupMemoryLimit",
  "txPoolIsFull",
  "alreadyKnown",
  "alreadyInChain",
  "chainNonceUsed",
  "blockLimitCheckFail",
  "malformedTx",
  "poolNonceUsed",
  "invalidChainId",
  "invalidGroupId",
];
ORDER.forEach((refusal, position) => {
  test(`check ${position + 1} (${refusal}) comes before the later ones`, () => {
    const has = (fault: ImportRefusal) => ORDER.indexOf(fault) >= position;
    const pool = buildPool(200, {}, [55n]);
    const resident = buildTransaction(1, { nonce: 5n });
    submit(pool, resident);
    const candidate = buildTransaction(has("alreadyKnown") ? 1 : 2, {
      nonce: has("chainNonceUsed") ? 55n : has("poolNonceUsed") ? 5n : 6n,
      blockLimit: has("blockLimitCheckFail") ? 5_000n : 300n,
      chainId: has("invalidChainId") ? 2n : 1n,
      groupId: has("invalidGroupId") ? 2n : 1n,
    });
    if (has("alreadyInChain")) pool.dropped.set(candidate.hash, 900);
    pool.limits = {
      ...pool.limits,
      count: has("txPoolIsFull") ? 1 : 10,
      memoryBytes: has("overGroupMemoryLimit") ? 1 : 1_000,
    };
    const offered = has("malformedTx") ? unsigned(candidate) : candidate;
    assert.equal(submit(pool, offered), refusal);
    assert.equal(pendingCount(pool), 1);
  });
});

test("a refusal for the chain or group leaves the nonce free", () => {
  const pool = buildPool(200);
  assert.equal(submit(pool, buildTransaction(1, { nonce: 5n, chainId: 2n })), "invalidChainId");
  assert.equal(submit(pool, buildTransaction(2, { nonce: 5n, groupId: 2n })), "invalidGroupId");
  assert.equal(submit(pool, buildTransaction(3, { nonce: 5n })), "accepted");
});

test("a refusal names hash and block limit, in the order of the batch", () => {
  const pool = buildPool(200);
  const good = buildTransaction(1);
  const late = buildTransaction(2, { blockLimit: 9_999n });
  const items = [good, late, good].map((transaction) => ({ transaction }));
  assert.deepEqual(importBatch(pool, items, contextAt(200)), [
    { ok: true, hash: good.hash },
    { ok: false, refusal: "blockLimitCheckFail", hash: late.hash, blockLimit: 9_999n },
    { ok: false, refusal: "alreadyKnown", hash: good.hash, blockLimit: 600n },
  ]);
  assert.deepEqual(pendingTransactions(pool), [good]);
});

test("an admitted transaction is pending, counted and seen", () => {
  const pool = buildPool(200);
  const transaction = buildTransaction(1);
  submit(pool, transaction);
  assert.deepEqual(pendingTransactions(pool), [transaction]);
  assert.equal(pool.memoryBytes, 10);
  assert.equal(isSeen(pool, transaction.hash), true);
  assert.equal(isSeen(pool, buildTransaction(2).hash), false);
});

test("a transaction that expired is refused as on the chain until its block limit", () => {
  const pool = buildPool(200);
  const transaction = buildTransaction(1, { blockLimit: 202n });
  submit(pool, transaction);
  cleanUp(pool, { head: 200, now: DEFAULT_POOL_LIMITS.expiryMs + 1 });
  assert.equal(submit(pool, transaction), "alreadyInChain");
  onBlock(pool, { number: 201, hashes: [], nonces: [] });
  assert.equal(submit(pool, transaction, 201), "alreadyInChain");
  onBlock(pool, { number: 202, hashes: [], nonces: [] });
  assert.equal(submit(pool, transaction, 202), "blockLimitCheckFail");
});

test("a transaction whose block limit has passed was seen all the same", () => {
  const pool = buildPool(200);
  const transaction = buildTransaction(1, { blockLimit: 201n });
  submit(pool, transaction);
  onBlock(pool, { number: 201, hashes: [], nonces: [] });
  cleanUp(pool, { head: 201, now: 0 });
  assert.equal(pendingCount(pool), 0);
  assert.equal(isSeen(pool, transaction.hash), true);
});

test("the nonce of an expired transaction is free again", () => {
  const pool = buildPool(200);
  submit(pool, buildTransaction(1, { nonce: 5n }));
  cleanUp(pool, { head: 200, now: DEFAULT_POOL_LIMITS.expiryMs + 1 });
  assert.equal(submit(pool, buildTransaction(2, { nonce: 5n })), "accepted");
});

test("a peer that offers a pending transaction is noted as having it", () => {
  const pool = buildPool(200);
  const transaction = buildTransaction(1);
  submit(pool, transaction);
  const fromPeer = nodeIdOfNumber(9);
  importBatch(pool, [{ transaction, fromPeer }], contextAt(200));
  assert.deepEqual(pool.byHash.get(transaction.hash)?.knownBy, [fromPeer]);
});

test("the checks without signature agree with import on signed transactions", () => {
  const pool = buildPool(200, {}, [55n]);
  submit(pool, buildTransaction(1, { nonce: 5n }));
  const candidates = [
    buildTransaction(1),
    buildTransaction(2, { nonce: 5n }),
    buildTransaction(3, { nonce: 55n }),
    buildTransaction(4, { chainId: 9n }),
    buildTransaction(5),
  ];
  const early = candidates.map((each) => unsignedRefusal(pool, each, contextAt(200)));
  assert.deepEqual(early, [
    "alreadyKnown",
    "poolNonceUsed",
    "chainNonceUsed",
    "invalidChainId",
    undefined,
  ]);
  const imported = candidates.map((each) => submit(pool, each));
  assert.deepEqual(imported, [
    "alreadyKnown",
    "poolNonceUsed",
    "chainNonceUsed",
    "invalidChainId",
    "accepted",
  ]);
});

const STANDINGS = [
  { isMember: true, head: 100, knownHead: 100, refusal: undefined },
  { isMember: true, head: 100, knownHead: 120, refusal: undefined },
  { isMember: true, head: 100, knownHead: 121, refusal: "nodeIsSyncing" },
  { isMember: false, head: 100, knownHead: 121, refusal: "notInGroup" },
] as const;
for (const { refusal, ...standing } of STANDINGS) {
  const who = standing.isMember ? "member" : "outsider";
  test(`a ${who} at ${standing.head} of ${standing.knownHead}: ${refusal ?? "may submit"}`, () => {
    assert.equal(entryRefusal(standing), refusal);
  });
}
