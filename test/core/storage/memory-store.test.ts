import assert from "node:assert/strict";
import { test } from "vitest";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { storeContract } from "../../contract/store.ts";

storeContract("the memory store", async () => {
  const store = openMemoryStore();
  return { store, reopen: async () => store.copy() };
});

test("a copy of a memory store is independent of it", async () => {
  const store = openMemoryStore([["a", new Uint8Array([1])]]);
  const copy = store.copy();
  await store.commit([{ key: "a", value: undefined }], { durable: true });
  assert.equal(store.size, 0);
  assert.equal(copy.size, 1);
  assert.deepEqual(copy.get("a"), new Uint8Array([1]));
});

test("a closed memory store answers nothing", async () => {
  const store = openMemoryStore();
  await store.close();
  assert.throws(() => store.get("a"), StoreFault);
  await assert.rejects(store.load("a"), StoreFault);
  await assert.rejects(store.range("a", "b", 1), StoreFault);
});
