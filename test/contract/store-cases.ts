/**
 * What every Store port does, as cases without a test runner: each implementation runs them in its
 * real runtime.
 */
import { byteString } from "../../core/bytes/byte-string.ts";
import type { Store, StoreWrite } from "../../core/ports/store.ts";
import { claim, claimRejects, claimSame } from "./claims.ts";

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

/** Keys as the ledger has them for what grows with the chain. */
const headerKey = `h${"x".repeat(32)}`;
const RECORDS = [
  `b${"x".repeat(32)}`,
  `e${"x".repeat(32)}`,
  headerKey,
  `o${"\0".repeat(7)}\x01`,
  `t${"x".repeat(32)}`,
];

/** One rule of the port. */
export interface StoreCase {
  readonly name: string;
  /** Throws when the rule is broken; gives the reason when it does not apply. */
  run(open: () => Promise<OpenedStore>): Promise<string | undefined>;
}

async function keysOf(store: Store, from: string, to: string, limit = 1_000): Promise<string[]> {
  return (await store.range(from, to, limit)).map(({ key }) => key);
}

/** A case that uses one store. */
function using(name: string, body: (store: Store) => Promise<void>): StoreCase {
  return {
    name,
    async run(open) {
      const { store } = await open();
      try {
        await body(store);
      } finally {
        await store.close();
      }
      return undefined;
    },
  };
}

/** All rules, in order. */
export const STORE_CASES: readonly StoreCase[] = [
  using("an empty store has no value and no range", async (store) => {
    claimSame(store.get("missing"), undefined);
    claimSame(await store.load("missing"), undefined);
    claimSame(await keysOf(store, "", "\xff"), []);
  }),

  using("a value that was committed is read by get, load and range", async (store) => {
    await store.commit([put("key", 1, 2, 3)], DURABLE);
    claimSame([...(store.get("key") ?? [])], [1, 2, 3]);
    claimSame([...((await store.load("key")) ?? [])], [1, 2, 3]);
    const [entry] = await store.range("k", "l", 1);
    claimSame(entry?.key, "key");
    claimSame([...(entry?.value ?? [])], [1, 2, 3]);
  }),

  using("a commit that is not durable is visible at once", async (store) => {
    await store.commit([put("key", 7)], RELAXED);
    claimSame([...(store.get("key") ?? [])], [7]);
  }),

  using("an empty value is a value", async (store) => {
    await store.commit([put("empty")], DURABLE);
    claimSame(store.get("empty")?.length, 0);
    claimSame(await keysOf(store, "a", "z"), ["empty"]);
  }),

  using("a key that was removed is gone everywhere", async (store) => {
    await store.commit([put("a", 1), put("b", 2)], DURABLE);
    await store.commit([remove("a"), remove("never there")], DURABLE);
    claimSame(store.get("a"), undefined);
    claimSame(await store.load("a"), undefined);
    claimSame(await keysOf(store, "", "\xff"), ["b"]);
  }),

  using("the last write of a key in a batch wins", async (store) => {
    await store.commit([put("a", 1), put("a", 2), put("b", 1), remove("b")], DURABLE);
    claimSame([...(store.get("a") ?? [])], [2]);
    claimSame(store.get("b"), undefined);
  }),

  using("keys are any bytes and keep their order by bytes", async (store) => {
    const shuffled = [...ALL_BYTES].sort(
      (a, b) => (a.charCodeAt(0) ^ 0x55) - (b.charCodeAt(0) ^ 0x55),
    );
    await store.commit(
      shuffled.map((key) => put(key, key.charCodeAt(0))),
      DURABLE,
    );
    claimSame(await keysOf(store, "\0", "\xff\xff"), ALL_BYTES);
    for (const key of ALL_BYTES) claimSame(store.get(key)?.[0], key.charCodeAt(0));
  }),

  using("a key does not match a longer key that begins with it", async (store) => {
    await store.commit([put("ab", 1), put("a", 2), put("abc", 3)], DURABLE);
    claimSame(await keysOf(store, "a", "b"), ["a", "ab", "abc"]);
    claimSame(await keysOf(store, "ab", "abc"), ["ab"]);
  }),

  using(
    "a range holds its first key, leaves out its end, and stops at the limit",
    async (store) => {
      await store.commit(
        ["a", "b", "c", "d"].map((key) => put(key, 1)),
        DURABLE,
      );
      claimSame(await keysOf(store, "b", "d"), ["b", "c"]);
      claimSame(await keysOf(store, "a", "z", 2), ["a", "b"]);
      claimSame(await keysOf(store, "a", "z", 0), []);
      claimSame(await keysOf(store, "c", "c"), []);
    },
  ),

  using("large values come back whole", async (store) => {
    const large = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 31) & 0xff);
    await store.commit([{ key: "large", value: large }], DURABLE);
    claim(
      byteString((await store.load("large")) ?? bytes()) === byteString(large),
      "it came back whole",
    );
  }),

  using("many writes are one commit", async (store) => {
    const writes = Array.from({ length: 5_000 }, (_, index) =>
      put(`key ${String(index).padStart(4, "0")}`, index & 0xff),
    );
    await store.commit(writes, DURABLE);
    claimSame((await store.range("key", "kez", 10_000)).length, 5_000);
  }),

  using("commits that overlap in time are applied in the order they were made", async (store) => {
    const commits = [1, 2, 3, 4].map((value) =>
      store.commit([put("key", value), put(`key ${value}`, value)], { durable: value === 4 }),
    );
    await Promise.all(commits);
    claimSame([...(store.get("key") ?? [])], [4]);
    claimSame((await keysOf(store, "key ", "key~")).length, 4);
  }),

  using("records of blocks are loaded, found by ranges, replaced and removed", async (store) => {
    await store.commit([...RECORDS.map((key, index) => put(key, index)), put("r", 9)], DURABLE);
    for (const [index, key] of RECORDS.entries())
      claimSame([...((await store.load(key)) ?? [])], [index]);
    claimSame(await keysOf(store, "", "\xff"), [...RECORDS, "r"].sort());
    claimSame(await keysOf(store, "e", "p"), RECORDS.slice(1, 4));
    claimSame(await keysOf(store, "", "\xff", 2), RECORDS.slice(0, 2));
    claimSame(await store.load(`t${"y".repeat(32)}`), undefined);
    await store.commit(
      RECORDS.map((key) => (key === headerKey ? put(key, 7) : remove(key))),
      RELAXED,
    );
    claimSame(await keysOf(store, "", "\xff"), [headerKey, "r"]);
    claimSame([...((await store.load(headerKey)) ?? [])], [7]);
    claimSame(await store.load(RECORDS[0] ?? ""), undefined);
  }),

  {
    name: "what was committed durably is there after a reopening",
    async run(open) {
      const { store, reopen } = await open();
      if (reopen === undefined) {
        await store.close();
        return "nothing outlives this store";
      }
      await store.commit([put("early", 1)], RELAXED);
      await store.commit([put("late", 2), remove("absent")], DURABLE);
      await store.close();
      const again = await reopen();
      try {
        claimSame(await keysOf(again, "", "\xff"), ["early", "late"]);
      } finally {
        await again.close();
      }
      return undefined;
    },
  },
  {
    name: "a closed store refuses commits",
    async run(open) {
      const { store } = await open();
      await store.close();
      await claimRejects(() => store.commit([put("key", 1)], DURABLE));
      return undefined;
    },
  },
];
