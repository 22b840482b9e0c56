/** What a store holds in memory: recent commits over sorted segments. */
import type { StoreKey } from "../../../core/ports/store.ts";
import { keyHash } from "./key-filter.ts";
import { listOfEntries, type PageList } from "./merge.ts";
import { findInMemory, mayHoldKey, pageFor, type Segment } from "./segment.ts";
import type { Entry, Packed } from "./packed.ts";

/** Entries by key; undefined says that the key was removed. */
export type Recent = ReadonlyMap<StoreKey, Uint8Array | undefined>;

/** Entries at a moment. */
export interface Rows {
  /** Written since the last fold. */
  readonly recent: Recent;
  /** Being folded. */
  readonly frozen: Recent | undefined;
  /** The newest first, with their pages. */
  readonly resident: readonly Segment[];
}

/** What was written of a key since the last fold; undefined: nothing. */
export function recentEntry({ recent, frozen }: Rows, key: StoreKey): Entry | undefined {
  const value = recent.get(key);
  if (value !== undefined || recent.has(key)) return [key, value];
  const older = frozen?.get(key);
  return older !== undefined || frozen?.has(key) ? [key, older] : undefined;
}

/** The value of a key. */
export function rowValue(rows: Rows, key: StoreKey): Uint8Array | undefined {
  const recent = recentEntry(rows, key);
  if (recent) return recent[1];
  const hash = keyHash(key);
  for (const segment of rows.resident) {
    const found = mayHoldKey(segment, hash) ? findInMemory(segment, key) : undefined;
    if (found) return found[1];
  }
  return undefined;
}

/** Entries of a map in order of their keys. */
export function sortedEntries(
  recent: Recent,
  wanted: (key: StoreKey) => boolean = () => true,
): Entry[] {
  return [...recent].filter(([key]) => wanted(key)).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The pages of a segment in memory as a source. */
export function listOfSegment({ facts, index, pages = [] }: Segment): PageList {
  return {
    pages: facts.pages,
    pageFor: (key) => pageFor(index, key),
    page: (number) => pages[number] as Packed,
  };
}

/** What was written since the last fold, as sources, the newest first. */
export function recentLists(
  { recent, frozen }: Rows,
  wanted: (key: StoreKey) => boolean,
): PageList[] {
  const lists = [listOfEntries(sortedEntries(recent, wanted))];
  if (frozen) lists.push(listOfEntries(sortedEntries(frozen, wanted)));
  return lists;
}
