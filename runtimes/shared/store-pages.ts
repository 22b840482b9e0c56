/** Walks through a range of a store in pages, so that memory stays bounded. */
import type { Store, StoreKey } from "../../core/ports/store.ts";

/** A key with its value. */
export interface StoreEntry {
  readonly key: StoreKey;
  readonly value: Uint8Array;
}

/** Entries of a page of small values. */
export const SMALL_PAGE = 512;
/** Entries of a page of bodies and receipts, which may have 16 MiB each. */
export const LARGE_PAGE = 4;

/** All entries in [from, to), ascending. */
export async function* entriesOf(
  store: Pick<Store, "range">,
  [from, to]: readonly [StoreKey, StoreKey],
  page: number = SMALL_PAGE,
): AsyncGenerator<StoreEntry> {
  let next = from;
  for (;;) {
    const entries = await store.range(next, to, page);
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < page) return;
    next = `${last.key}\0`;
  }
}
