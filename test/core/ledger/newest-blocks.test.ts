/** The newest blocks are compared with the head before a group builds on them. */
// rules: README 30
import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import {
  bodyKey,
  headerKey,
  numberKey,
  receiptsKey,
  transactionKey,
} from "../../../core/ledger/keys.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import { requireNewest } from "../../../core/ledger/newest-blocks.ts";
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

const look = async (store: MemoryStore) => requireNewest(openLedger({ ...RULES, store }), RULES);

test("a whole ledger passes", async () => {
  await look(whole);
});

test("each record of the newest blocks is missed", async () => {
  const ledger = openLedger({ ...RULES, store: whole });
  const { hash, number } = ledger.head();
  const block = await ledger.block(hash);
  const bytes = whole.get(headerKey(hash));
  assert.ok(block && bytes);
  const parent = block.header.parentHash;
  const keys = [
    headerKey(hash),
    headerKey(parent),
    numberKey(number - 1),
    bodyKey(decodeHeaderRecord(bytes).unexecuted),
    receiptsKey(hash),
    ...block.transactions.map((it) => transactionKey(it.hash)),
  ];
  assert.ok(block.transactions.length > 0);
  for (const key of keys) {
    const store = whole.copy();
    await store.commit([{ key, value: undefined }], { durable: false });
    await assert.rejects(look(store), { name: "StoreFault", kind: "corrupt" });
  }
});
