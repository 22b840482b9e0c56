/** The consensus record and kept proposals on disk. */
// rules: pbft 16.2
import assert from "node:assert/strict";
import { beforeEach, test } from "vitest";
import type { Hash } from "../../../../core/bytes/ids.ts";
import { headerHash } from "../../../../core/model/header.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import {
  type CachedProposal,
  ProposalCache,
} from "../../../../core/node/proposals/proposal-cache.ts";
import { VoteStore } from "../../../../core/node/voting/vote-store.ts";
import { bodyKey } from "../../../../core/ledger/keys.ts";
import { type MemoryStore, openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { PROPOSAL_RULES, proposalHeader } from "../../../support/world/proposals.ts";
import { smallTransaction } from "../../../support/ledger/small-chain.ts";

let store: MemoryStore;
let votes: VoteStore;

beforeEach(() => {
  store = openMemoryStore();
  votes = new VoteStore(store);
});

function entryOf(nonces: readonly bigint[], number = 5): CachedProposal {
  const transactions = nonces.map((nonce) => smallTransaction({ nonce }));
  const root = transactionsRoot(transactions, PROPOSAL_RULES);
  const header = proposalHeader({ number, transactionsRoot: root });
  const byHash = new Map(transactions.map((it) => [it.hash, it]));
  const entry = new ProposalCache(PROPOSAL_RULES).add(
    { header, hashes: [...byHash.keys()] },
    (hash) => byHash.get(hash),
  );
  assert.ok(entry);
  return entry;
}

test("a new store has no record", () => {
  assert.equal(votes.record(), undefined);
});

test("the record that is read is the one written last", async () => {
  await votes.persist(Uint8Array.of(1), undefined);
  await votes.persist(Uint8Array.of(2, 3), undefined);
  assert.deepEqual(votes.record(), Uint8Array.of(2, 3));
});

test("a record that is gone is missed, and one that never was is not", async () => {
  assert.equal(votes.isLost, false);
  await votes.persist(Uint8Array.of(1), undefined);
  assert.equal(votes.isLost, false);
  await store.commit([{ key: "c", value: undefined }], { durable: true });
  assert.equal(new VoteStore(store).isLost, true);
});

test("a record and its proposal are one durable batch, and the body is written once", async () => {
  const batches: { keys: string[]; durable: boolean }[] = [];
  const watched = new VoteStore({
    ...store,
    commit: (writes, options) => {
      batches.push({ keys: writes.map(({ key }) => key[0] ?? ""), durable: options.durable });
      return store.commit(writes, options);
    },
  });
  const entry = entryOf([1n, 2n]);
  await watched.persist(Uint8Array.of(1), entry);
  await watched.persist(Uint8Array.of(2), entry);
  assert.deepEqual(batches, [
    { keys: ["c", "m", "p", "b"], durable: true },
    { keys: ["c", "m"], durable: true },
  ]);
});

test("a kept proposal comes back with header, hashes and body", async () => {
  const entry = entryOf([7n, 8n, 9n]);
  await votes.persist(Uint8Array.of(1), entry);
  const kept = await votes.load(entry.proposal);
  assert.ok(kept);
  assert.equal(headerHash(kept.header, PROPOSAL_RULES.suite), entry.proposal);
  assert.deepEqual(kept.hashes, entry.hashes);
  assert.deepEqual(
    kept.body.transactions,
    entry.transactions.map((it) => it?.raw),
  );
  assert.deepEqual(
    kept.body.senders,
    entry.transactions.map((it) => it?.from),
  );
});

test("an unknown proposal is not there", async () => {
  assert.equal(await votes.load(`0x${"12".repeat(32)}` as Hash), undefined);
});

test("forgetting keeps the body of the block that was written and drops the others", async () => {
  const [written, other] = [entryOf([1n]), entryOf([2n])];
  for (const entry of [written, other]) await votes.persist(Uint8Array.of(1), entry);
  await votes.forget([written.proposal, other.proposal], written.proposal);
  assert.equal(await votes.load(written.proposal), undefined, "its compact proposal is gone");
  assert.ok(await store.load(bodyKey(written.proposal)), "its body belongs to the ledger");
  assert.equal(await store.load(bodyKey(other.proposal)), undefined);
});

test("proposals up to the head are stale, later ones are not", async () => {
  const [old, next] = [entryOf([1n], 5), entryOf([2n], 6)];
  for (const entry of [old, next]) await votes.persist(Uint8Array.of(1), entry);
  assert.deepEqual(await votes.stale(5), [{ proposal: old.proposal, number: 5 }]);
  assert.deepEqual(await votes.stale(4), []);
});
