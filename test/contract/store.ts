/** What every Store port does; each implementation runs this in its real runtime. */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { byteString } from "../../core/bytes/byte-string.ts";
import type { Store, StoreWrite } from "../../core/ports/store.ts";

/** A store to test; `reopen` gives what a new process would find after a clean close. */
export interface OpenedStore {
  readonly store: Store;
  /** Absent where nothing outlives the store. */
  readonly reopen?: () => Promise<Store>;
}

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
const put = (key: string, ...values: number[]): StoreWrite => ({ key, value: bytes(...values) });
const remove = (key: string): StoreWrite => ({ key, value: undefined });
const DURABLE = { durable: true } as const;
const RELAXED = { durable: false } as const;

/** Every byte value as a one-character key. */
const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));

/** The suite: pass what opens an empty store of the implementation under test. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  async function using(body: (store: Store, opened: OpenedStore) => Promise<void>): Promise<void> {
    const opened = await open();
    try {
      await body(opened.store, opened);
    } finally {
      await opened.store.close();
    }
  }
  const keysOf = async (store: Store, from: string, to: string, limit = 1_000) =>
    (await store.range(from, to, limit)).map(({ key }) => key);

  describe(name, () => {
    test("an empty store has no value and no range", () =>
      using(async (store) => {
        assert.equal(store.get("missing"), undefined);
        assert.equal(await store.load("missing"), undefined);
        assert.deepEqual(await keysOf(store, "", "\xff"), []);
      }));

    test("a value that was committed is read by get, load and range", () =>
      using(async (store) => {
        await store.commit([put("key", 1, 2, 3)], DURABLE);
        assert.deepEqual([...(store.get("key") ?? [])], [1, 2, 3]);
        assert.deepEqual([...((await store.load("key")) ?? [])], [1, 2, 3]);
        const [entry] = await store.range("k", "l", 1);
        assert.equal(entry?.key, "key");
        assert.deepEqual([...(entry?.value ?? [])], [1, 2, 3]);
      }));

    test("a commit that is not durable is visible at once", () =>
      using(async (store) => {
        await store.commit([put("key", 7)], RELAXED);
        assert.deepEqual([...(store.get("key") ?? [])], [7]);
      }));

    test("an empty value is a value", () =>
      using(async (store) => {
        await store.commit([put("empty")], DURABLE);
        assert.equal(store.get("empty")?.length, 0);
        assert.deepEqual(await keysOf(store, "a", "z"), ["empty"]);
      }));

    test("a key that was removed is gone everywhere", () =>
      using(async (store) => {
        await store.commit([put("a", 1), put("b", 2)], DURABLE);
        await store.commit([remove("a"), remove("never there")], DURABLE);
        assert.equal(store.get("a"), undefined);
        assert.equal(await store.load("a"), undefined);
        assert.deepEqual(await keysOf(store, "", "\xff"), ["b"]);
      }));

    test("the last write of a key in a batch wins", () =>
      using(async (store) => {
        await store.commit([put("a", 1), put("a", 2), put("b", 1), remove("b")], DURABLE);
        assert.deepEqual([...(store.get("a") ?? [])], [2]);
        assert.equal(store.get("b"), undefined);
      }));

    test("keys are any bytes and keep their order by bytes", () =>
      using(async (store) => {
        const shuffled = [...ALL_BYTES].sort(
          (a, b) => (a.charCodeAt(0) ^ 0x55) - (b.charCodeAt(0) ^ 0x55),
        );
        await store.commit(
          shuffled.map((key) => put(key, key.charCodeAt(0))),
          DURABLE,
        );
        assert.deepEqual(await keysOf(store, "\0", "\xff\xff"), ALL_BYTES);
        for (const key of ALL_BYTES) assert.equal(store.get(key)?.[0], key.charCodeAt(0));
      }));

    test("a key does not match a longer key that begins with it", () =>
      using(async (store) => {
        await store.commit([put("ab", 1), put("a", 2), put("abc", 3)], DURABLE);
        assert.deepEqual(await keysOf(store, "a", "b"), ["a", "ab", "abc"]);
        assert.deepEqual(await keysOf(store, "ab", "abc"), ["ab"]);
      }));

    test("a range holds its first key, leaves out its end, and stops at the limit", () =>
      using(async (store) => {
        await store.commit(
          ["a", "b", "c", "d"].map((key) => put(key, 1)),
          DURABLE,
        );
        assert.deepEqual(await keysOf(store, "b", "d"), ["b", "c"]);
        assert.deepEqual(await keysOf(store, "a", "z", 2), ["a", "b"]);
        assert.deepEqual(await keysOf(store, "a", "z", 0), []);
        assert.deepEqual(await keysOf(store, "c", "c"), []);
      }));

    test("large values come back whole", () =>
      using(async (store) => {
        const large = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 31) & 0xff);
        await store.commit([{ key: "large", value: large }], DURABLE);
        assert.equal(byteString((await store.load("large")) ?? bytes()), byteString(large));
      }));

    test("many writes are one commit", () =>
      using(async (store) => {
        const writes = Array.from({ length: 5_000 }, (_, index) =>
          put(`key ${String(index).padStart(4, "0")}`, index & 0xff),
        );
        await store.commit(writes, DURABLE);
        assert.equal((await store.range("key", "kez", 10_000)).length, 5_000);
      }));

    test("commits that overlap in time are applied in the order they were made", () =>
      using(async (store) => {
        const commits = [1, 2, 3, 4].map((value) =>
          store.commit([put("key", value), put(`key ${value}`, value)], { durable: value === 4 }),
        );
        await Promise.all(commits);
        assert.deepEqual([...(store.get("key") ?? [])], [4]);
        assert.equal((await keysOf(store, "key ", "key~")).length, 4);
      }));

    test("what was committed durably is there after a reopening", async (context) => {
      const { store, reopen } = await open();
      if (reopen === undefined) {
        await store.close();
        context.skip("nothing outlives this store");
        return;
      }
      await store.commit([put("early", 1)], RELAXED);
      await store.commit([put("late", 2), remove("absent")], DURABLE);
      await store.close();
      const again = await reopen();
      try {
        assert.deepEqual(await keysOf(again, "", "\xff"), ["early", "late"]);
      } finally {
        await again.close();
      }
    });

    test("a closed store refuses commits", async () => {
      const { store } = await open();
      await store.close();
      await assert.rejects(() => store.commit([put("key", 1)], DURABLE));
    });
  });
}
