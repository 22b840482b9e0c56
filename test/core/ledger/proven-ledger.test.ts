/** Of a damaged ledger only what proves itself by hash is told. */
// rules: README 30
import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import { bodyKey, headerKey, numberKey, receiptsKey } from "../../../core/ledger/keys.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import { provenLedger } from "../../../core/ledger/proven-ledger.ts";
import { decodeHeaderRecord } from "../../../core/ledger/records.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { type MemoryStore, openMemoryStore } from "../../../core/storage/memory-store.ts";
import { fillStore } from "../../support/ledger/recorded-folder.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";

const RULES = { suite: STANDARD_SUITE, version: NEWEST_VERSION };

let whole: MemoryStore;
beforeAll(async () => {
  whole = openMemoryStore();
  await fillStore(whole);
});

function refuse(): never {
  throw new RangeError("refused");
}

function views(store: MemoryStore) {
  const ledger = openLedger({ ...RULES, store });
  return { ledger, proven: provenLedger(ledger, RULES, refuse) };
}

/** A copy in which the value of one key lies under another, or nothing. */
async function withValue(key: string, from: string | undefined): Promise<MemoryStore> {
  const store = whole.copy();
  const value = from === undefined ? undefined : await whole.load(from);
  await store.commit([{ key, value }], { durable: false });
  return store;
}

const refused = (work: Promise<unknown>) => assert.rejects(work, RangeError);

test("blocks of a whole ledger are those of the ledger", async () => {
  const { ledger, proven } = views(whole);
  for (let number = 0; number <= ledger.head().number; number++) {
    const hash = await proven.hashOf(number);
    assert.ok(hash);
    const block = await proven.block(hash);
    assert.deepEqual(block, await ledger.block(hash));
    assert.deepEqual(await proven.header(hash), await ledger.header(hash));
    for (const [index, { hash: transaction }] of (block?.transactions ?? []).entries()) {
      const expected = await ledger.receipt(transaction);
      assert.deepEqual((await proven.receipt(transaction))?.receipt, expected?.receipt);
      const located = await proven.transactionAt(hash, index);
      assert.equal(located?.transaction.hash, transaction);
    }
  }
});

test("neither rows are told, nor that something is not there", async () => {
  const { proven } = views(whole);
  const nothing = `0x${"1".repeat(64)}` as const;
  await refused(proven.totals());
  await refused(proven.sealers());
  await refused(proven.systemConfig("tx_count_limit"));
  await refused(proven.transaction(nothing as never));
  await refused(proven.header(nothing as never));
  await refused(proven.hashOf(99));
});

test("a header, a body or receipts that are of another block are refused", async () => {
  const { ledger } = views(whole);
  const [first, second] = [await ledger.hashOf(1), await ledger.hashOf(2)];
  assert.ok(first && second);
  const keys = [first, second].map((hash) => {
    const bytes = whole.get(headerKey(hash));
    assert.ok(bytes);
    return bodyKey(decodeHeaderRecord(bytes).unexecuted);
  });
  const [body = "", other = ""] = keys;
  await refused(views(await withValue(headerKey(first), headerKey(second))).proven.header(first));
  await refused(views(await withValue(body, other)).proven.block(first));
  await refused(views(await withValue(body, undefined)).proven.block(first));
  const receipts = await withValue(receiptsKey(first), receiptsKey(second));
  await refused(views(receipts).proven.block(first));
  await refused(views(await withValue(numberKey(1), numberKey(2))).proven.hashOf(1));
});
