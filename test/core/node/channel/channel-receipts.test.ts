// Receipts that sessions await: read once for a block, with proofs where they are wanted, in turns.
// rules: channel-protocol 6.1
import assert from "node:assert/strict";
import { test } from "vitest";
import { ZERO_HASH, type Hash } from "../../../../core/bytes/ids.ts";
import type { Answer } from "../../../../core/rpc/long-answer.ts";
import { NEWEST_VERSION, version } from "../../../../core/model/version.ts";
import { ChannelReceipts } from "../../../../core/node/channel/channel-receipts.ts";
import type { GroupApi, TransactionWatcher } from "../../../../core/api/node-api.ts";
import type { LedgerApi } from "../../../../core/ports/ledger.ts";
import { collectLog } from "../../../support/collected-log.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { smallChain } from "../../../support/ledger/small-chain.ts";

const [, , BLOCK] = smallChain();
assert.ok(BLOCK && BLOCK.transactions.length > 0);
const [FIRST] = BLOCK.transactions;
assert.ok(FIRST);
const LEVEL = [{ left: [], right: [new Uint8Array(32)] }];

function open(options: { readonly version?: number; fails?: boolean; lacks?: boolean } = {}) {
  const reads: string[] = [];
  const watched: Hash[] = [];
  let watcher: TransactionWatcher | undefined;
  const located = { transaction: FIRST, receipt: BLOCK?.receipts[0], blockNumber: 2, index: 0 };
  const ledger = {
    async receipt(hash: Hash) {
      reads.push("receipt");
      if (options.fails) throw new TypeError("the disk is gone");
      if (options.lacks) return undefined;
      return { ...located, blockHash: hash };
    },
    async block() {
      reads.push("block");
      return BLOCK;
    },
    transactionProof: async () => LEVEL,
    receiptProof: async () => [],
  } as unknown as LedgerApi;
  const watchTransactions: GroupApi["watchTransactions"] = (told) => {
    watcher = told;
    const add = (hash: Hash) => watched.push(hash) > 0;
    return { add, remove: () => undefined, close: () => undefined };
  };
  const log = collectLog();
  const clock = createHandClock();
  const chosen = (options.version ?? NEWEST_VERSION) as typeof NEWEST_VERSION;
  const receipts = new ChannelReceipts({ version: chosen, clock, log, pace: () => undefined });
  const group = { groupId: 1, ledger, watchTransactions } as unknown as GroupApi;
  const texts: (Answer | undefined)[] = [];
  const awaitOne = (hash: Hash, withProof = false) =>
    receipts.await(group, { hash, withProof, settle: (text) => void texts.push(text) });
  const commit = async (hashes: readonly Hash[]) => {
    const found = hashes.map((hash) => ({ hash, index: 0 }));
    watcher?.committed({ number: 2, hash: ZERO_HASH, found });
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { reads, watched, texts, log, clock, awaitOne, commit };
}

const many = (count: number) =>
  Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(64, "0")}` as Hash);

test("a few receipts are read one by one, many with their block", async () => {
  const few = open();
  for (const hash of many(2)) few.awaitOne(hash);
  await few.commit(many(2));
  assert.deepEqual(few.reads, ["receipt", "receipt"]);
  const all = open();
  for (const hash of many(9)) all.awaitOne(hash);
  await all.commit(many(9));
  assert.deepEqual(all.reads, ["block"]);
  assert.equal(all.texts.length, 9);
});

test("proofs come with whom they are wanted, one that cannot be built is left out", async () => {
  const { texts, awaitOne, commit } = open();
  awaitOne(many(1)[0] ?? ZERO_HASH, true);
  await commit(many(1));
  assert.match(String(texts[0] ?? ""), /"txProof" : \[/);
  assert.doesNotMatch(String(texts[0] ?? ""), /receiptProof/);
});

test("below version 2.2.0 there are no proofs", async () => {
  const { texts, awaitOne, commit } = open({ version: version(2, 1, 0) });
  awaitOne(many(1)[0] ?? ZERO_HASH, true);
  await commit(many(1));
  assert.doesNotMatch(String(texts[0] ?? ""), /Proof/);
});

test("a full block of receipts gives other work its turn", async () => {
  const { texts, clock, awaitOne, commit } = open();
  for (const hash of many(200)) awaitOne(hash);
  await commit(many(200));
  assert.ok(texts.length < 200, "it waits for the clock");
  clock.move(0);
  await commit([]);
  assert.equal(texts.length, 200);
});

test("who has stopped waiting is not reported", async () => {
  const { texts, awaitOne, commit } = open();
  awaitOne(many(1)[0] ?? ZERO_HASH)?.();
  await commit(many(1));
  assert.deepEqual(texts, []);
});

for (const trouble of ["fails", "lacks"] as const) {
  test(`a receipt that the ledger ${trouble} once is looked for again`, async () => {
    const options = { [trouble]: true };
    const { texts, watched, awaitOne, commit } = open(options);
    const [hash = ZERO_HASH] = many(1);
    awaitOne(hash);
    await commit([hash]);
    assert.deepEqual([texts, watched], [[], [hash, hash]]);
    options[trouble] = false;
    await commit([hash]);
    assert.match(String(texts[0] ?? ""), /"transactionHash"/);
    assert.equal(watched.length, 2);
  });
}

test("a receipt that cannot be read five times is given up; each time is logged", async () => {
  const { texts, log, awaitOne, commit } = open({ fails: true });
  awaitOne(many(1)[0] ?? ZERO_HASH);
  for (let times = 0; times < 4; times++) await commit(many(1));
  assert.deepEqual(texts, []);
  await commit(many(1));
  assert.deepEqual(texts, [undefined]);
  assert.equal(log.messages("error").length, 5);
});
