/** Proposals of the current and the next height. */
// rules: pbft 9, pbft 16.3.3
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hash } from "../../../../core/bytes/ids.ts";
import { headerHash, unexecuted } from "../../../../core/model/header.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import type { SignedTransaction } from "../../../../core/model/transaction.ts";
import {
  PROPOSAL_LIMIT,
  executeRequestOf,
  ProposalCache,
  USED_LIMIT,
} from "../../../../core/node/proposals/proposal-cache.ts";
import { hashOfNumber } from "../../../support/world/pool-builders.ts";
import { PROPOSAL_RULES, proposalHeader } from "../../../support/world/proposals.ts";
import { smallTransaction } from "../../../support/ledger/small-chain.ts";

const TRANSACTIONS = [1n, 2n, 3n].map((nonce) => smallTransaction({ nonce }));

function compactOf(transactions: readonly SignedTransaction[], number = 1, timestamp = 1n) {
  const root = transactionsRoot(transactions, PROPOSAL_RULES);
  const header = proposalHeader({ number, timestamp, transactionsRoot: root });
  return { header, hashes: transactions.map(({ hash }) => hash) };
}

function lookupIn(transactions: readonly SignedTransaction[]) {
  return (hash: Hash) => transactions.find((transaction) => transaction.hash === hash);
}

const nothing = () => undefined;

test("a compact proposal whose transactions are known is complete and can be executed", () => {
  const cache = new ProposalCache(PROPOSAL_RULES);
  const entry = cache.add(compactOf(TRANSACTIONS), lookupIn(TRANSACTIONS));
  assert.ok(entry && entry.missing.size === 0);
  const request = executeRequestOf(entry);
  assert.deepEqual(
    request?.hashes,
    TRANSACTIONS.map(({ hash }) => hash),
  );
  assert.deepEqual(
    request?.senders,
    TRANSACTIONS.map(({ from }) => from),
  );
});

test("what is missing is filled in by arrivals, once, and tells when it is complete", () => {
  const cache = new ProposalCache(PROPOSAL_RULES);
  const [first, second, third] = TRANSACTIONS;
  assert.ok(first && second && third);
  const entry = cache.add(compactOf(TRANSACTIONS), lookupIn([first]));
  assert.ok(entry);
  assert.deepEqual(
    [...entry.missing],
    [
      [second.hash, 1],
      [third.hash, 2],
    ],
  );
  assert.equal(executeRequestOf(entry), undefined);
  assert.deepEqual(cache.offer([second, first]), []);
  assert.deepEqual(cache.offer([third]), [entry]);
  assert.deepEqual(cache.offer([third]), []);
  assert.ok(executeRequestOf(entry));
});

test("hashes that are not those of the root are refused", () => {
  const cache = new ProposalCache(PROPOSAL_RULES);
  const { header, hashes } = compactOf(TRANSACTIONS);
  assert.equal(cache.add({ header, hashes: hashes.slice(1) }, nothing), undefined);
  assert.equal(cache.add({ header, hashes: [...hashes, hashOfNumber(4)] }, nothing), undefined);
  assert.equal(cache.add({ header, hashes: hashes.toReversed() }, nothing), undefined);
  assert.ok(cache.add({ header, hashes }, nothing));
});

test("the same proposal is kept once", () => {
  const cache = new ProposalCache(PROPOSAL_RULES);
  const entry = cache.add(compactOf(TRANSACTIONS), nothing);
  assert.equal(cache.add(compactOf(TRANSACTIONS), lookupIn(TRANSACTIONS)), entry);
});

test("an executed header leads back to its proposal", () => {
  const { header } = compactOf(TRANSACTIONS);
  const executed = {
    ...header,
    stateRoot: hashOfNumber(1),
    receiptsRoot: hashOfNumber(2),
    dbHash: hashOfNumber(3),
  };
  assert.equal(
    headerHash(unexecuted(executed), PROPOSAL_RULES.suite),
    headerHash(header, PROPOSAL_RULES.suite),
  );
});

test("a written height takes everything up to it along", () => {
  const cache = new ProposalCache(PROPOSAL_RULES);
  const [four, five, six] = [4, 5, 6].map((number) => cache.add(compactOf([], number), nothing));
  assert.deepEqual(cache.dropUpTo(5), [four, five]);
  assert.ok(six && cache.get(six.proposal) === six);
  assert.ok(four && cache.get(four.proposal) === undefined);
});

test("a flood of compact proposals pushes out neither what is worked on nor what is stored", () => {
  const cache = new ProposalCache(PROPOSAL_RULES);
  const [used, stored, idle] = [1n, 2n, 3n].map((time) =>
    cache.add(compactOf([], 1, time), nothing),
  );
  assert.ok(used && stored && idle);
  cache.use(used.proposal);
  stored.stored = true;
  for (let i = 0; i < 2 * PROPOSAL_LIMIT; i++) cache.add(compactOf([], 1, BigInt(10 + i)), nothing);
  assert.equal(cache.get(used.proposal), used);
  assert.equal(cache.get(stored.proposal), stored);
  assert.equal(cache.get(idle.proposal), undefined);
});

test("what was worked on is bounded too: the longest unused goes first", () => {
  const cache = new ProposalCache(PROPOSAL_RULES);
  const entries = Array.from({ length: USED_LIMIT + 1 }, (_, i) => {
    const entry = cache.add(compactOf([], 1, BigInt(i)), nothing);
    assert.ok(entry);
    return cache.use(entry.proposal);
  });
  const kept = entries.filter((entry) => entry && cache.get(entry.proposal));
  assert.deepEqual(kept, entries.slice(1));
});
