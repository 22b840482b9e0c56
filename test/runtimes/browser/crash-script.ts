/** A worker that writes numbered batches without end, and looks first at what is there. */
import { openTabStore } from "../../../runtimes/browser/store/open.ts";
import { STORE_SIZES } from "../../../runtimes/browser/store/sizes.ts";
import type { TabLedgerStore } from "../../../runtimes/browser/store/checked.ts";
import { claim } from "../../contract/claims.ts";

/** What the page says first. */
interface Order {
  readonly name: string;
  /** The last batch that was acknowledged as durable. */
  readonly acknowledged: number;
  readonly isSmall: boolean;
}

/** What the worker says. */
export type CrashWord =
  | { readonly type: "found"; readonly last: number }
  | { readonly type: "durable"; readonly batch: number }
  | { readonly type: "broken"; readonly text: string };

/** Folds every few commits and merges pairs. */
const SMALL = {
  ...STORE_SIZES,
  foldBytes: 4_000,
  foldRecords: 6,
  fan: 2,
  residentPageBytes: 500,
  pagedPageBytes: 500,
};
const MARK = "rmark";
const ROWS = 5;

function digits(batch: number): string {
  return String(batch).padStart(8, "0");
}

function keysOf(batch: number): readonly string[] {
  const rows = Array.from({ length: ROWS }, (_, row) => `rbatch\0${digits(batch)}.${row}`);
  const hash = digits(batch).padEnd(32, "x");
  return [...rows, `t${hash}`, `b${hash}`, `o${digits(batch)}`];
}

async function open({ name, isSmall }: Order): Promise<TabLedgerStore> {
  for (;;) {
    try {
      return await openTabStore(name, isSmall ? { sizes: SMALL } : {});
    } catch (error) {
      // The lock of a worker that was ended is freed in a moment.
      const isLocked = error instanceof Error && "kind" in error && error.kind === "locked";
      if (!isLocked) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Every batch is there as a whole, and none that was acknowledged is missing. */
async function look(store: TabLedgerStore, { acknowledged }: Order): Promise<number> {
  const last = Number(new TextDecoder().decode(store.get(MARK) ?? new Uint8Array()));
  claim(last >= acknowledged, `batch ${acknowledged} was durable, and ${last} is the last`);
  for (let batch = 1; batch <= last + 3; batch++) {
    const there = await Promise.all(keysOf(batch).map((key) => store.load(key)));
    const count = there.filter((value) => value?.[0] === (batch & 0xff)).length;
    const wanted = batch <= last ? there.length : 0;
    claim(count === wanted, `batch ${batch} of ${last} has ${count} of ${wanted} keys`);
  }
  const listed = await store.range("rbatch", "rbatci", 1_000_000);
  claim(listed.length === last * ROWS, `${listed.length} rows of ${last} batches`);
  return last;
}

async function write(store: TabLedgerStore, from: number): Promise<void> {
  for (let batch = from; ; batch++) {
    const value = new Uint8Array(40).fill(batch & 0xff);
    const writes = keysOf(batch).map((key) => ({ key, value }));
    const mark = { key: MARK, value: new TextEncoder().encode(String(batch)) };
    const durable = batch % 3 !== 0;
    await store.commit([...writes, mark], { durable });
    if (durable) postMessage({ type: "durable", batch } satisfies CrashWord);
  }
}

addEventListener("message", async ({ data }: MessageEvent<Order>) => {
  try {
    const store = await open(data);
    const last = await look(store, data);
    postMessage({ type: "found", last } satisfies CrashWord);
    await write(store, last + 1);
  } catch (error) {
    postMessage({ type: "broken", text: String(error) } satisfies CrashWord);
  }
});
