/** Records of blocks that are gone show when the store is gone through, whichever they are. */
// rules: README 30
import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import type { StoreKey } from "../../../../core/ports/store.ts";
import { type MemoryStore, openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { entriesOf } from "../../../../runtimes/shared/store-pages.ts";
import { LedgerCensus } from "../../../../runtimes/shared/ledger-check/census.ts";
import { fillStore } from "../../../support/ledger/recorded-folder.ts";

let whole: MemoryStore;
beforeAll(async () => {
  whole = openMemoryStore();
  await fillStore(whole);
});

/** What a count says of a store. */
async function counted(store: MemoryStore, meanwhile = async () => {}): Promise<string> {
  const has = async (key: StoreKey) => (await store.load(key)) !== undefined;
  const census = new LedgerCensus({ get: store.get, has }, "the store");
  await meanwhile();
  try {
    for await (const { key, value } of entriesOf(store, ["", "q"])) await census.take(key, value);
    for await (const { key, value } of entriesOf(store, ["s", "u"])) await census.take(key, value);
    census.end();
    return "whole";
  } catch (cause) {
    return String(cause);
  }
}

test("a ledger that is whole, and an empty store, pass", async () => {
  assert.equal(await counted(whole), "whole");
  assert.equal(await counted(openMemoryStore()), "whole");
});

const SAID: Readonly<Record<string, RegExp>> = {
  b: /it lacks the body of block \d+$/,
  e: /it lacks the receipts of block \d+$/,
  h: /it has \d+ headers of \d+ blocks$/,
  n: /it lacks the hash of block \d+$/,
  o: /it lacks the nonces of block \d+$/,
  t: /it has \d+ places of \d+ transactions$/,
};

for (const [kind, said] of Object.entries(SAID))
  test(`any record of kind ${kind} is missed`, async () => {
    const end = String.fromCharCode(kind.charCodeAt(0) + 1);
    const keys = (await whole.range(kind, end, 100)).map(({ key }) => key);
    assert.ok(keys.length > 0);
    for (const key of keys) {
      const store = whole.copy();
      await store.commit([{ key, value: undefined }], { durable: false });
      assert.match(await counted(store), said);
    }
  });

test("what is written meanwhile is not counted", async () => {
  const store = whole.copy();
  const number = `n${"\0".repeat(7)}\x09`;
  const write = { key: number, value: new Uint8Array(32) };
  const said = await counted(store, () => store.commit([write], { durable: false }));
  assert.equal(said, "whole");
});
