/** Sorted segments: pages of packed entries, the first key of each, and a filter over all keys. */
import type { StoreKey } from "../../../core/ports/store.ts";
import type { SegmentFacts, SegmentIndex } from "./database.ts";
import { indexSum, pageSum } from "./marks.ts";
import { addToFilter, createFilter, type KeyHash, keyHash, mayHold } from "./key-filter.ts";
import { type Entry, type Packed, packedLength, packEntries } from "./packed.ts";

/** A segment of which everything but the pages is known. */
export interface Segment {
  readonly facts: SegmentFacts;
  readonly index: SegmentIndex;
  /** Absent when the pages are read from the database. */
  readonly pages?: readonly Packed[];
}

/** The page that holds a key if any does; -1 when the key is below all. */
export function pageFor({ firstKeys }: SegmentIndex, key: StoreKey): number {
  let low = 0;
  let high = firstKeys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firstKeys[middle] ?? "") <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Whether the segment may hold the key. */
export function mayHoldKey({ index }: Segment, hash: KeyHash): boolean {
  return mayHold(index.filter, hash);
}

/** The entry of a key in a segment that is in memory. */
export function findInMemory(segment: Segment, key: StoreKey): Entry | undefined {
  return segment.pages?.[pageFor(segment.index, key)]?.find(key);
}

/** A finished page and its place. */
export interface MadePage {
  readonly page: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Cuts sorted entries into pages. */
export class SegmentMaker {
  readonly #pageBytes: number;
  readonly #filter: Uint8Array<ArrayBuffer>;
  readonly #firstKeys: StoreKey[] = [];
  readonly #sums: number[] = [];
  #waiting: Entry[] = [];
  #waitingBytes = 0;
  #entries = 0;
  #bytes = 0;

  /** @param expected at least how many entries will come */
  constructor(expected: number, pageBytes: number) {
    this.#pageBytes = pageBytes;
    this.#filter = createFilter(expected);
  }

  /** Takes the next entry; gives a page when one is full. */
  add(entry: Entry): MadePage | undefined {
    const [key, value] = entry;
    addToFilter(this.#filter, keyHash(key));
    this.#waiting.push(entry);
    this.#waitingBytes += packedLength(key, value);
    this.#entries += 1;
    return this.#waitingBytes < this.#pageBytes ? undefined : this.rest();
  }

  /** The page that is not full; undefined when nothing waits. */
  rest(): MadePage | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const bytes = packEntries(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#bytes += bytes.length;
    this.#sums.push(pageSum(bytes));
    return { page: this.#firstKeys.push(first[0]) - 1, bytes };
  }

  /** What the segment is, once all pages are made. */
  finish(id: number, level: number): Pick<Segment, "facts" | "index"> {
    const [entries, bytes, pages] = [this.#entries, this.#bytes, this.#firstKeys.length];
    const index = { firstKeys: this.#firstKeys, filter: this.#filter, sums: this.#sums };
    return { facts: { id, level, pages, entries, bytes, sum: indexSum(index) }, index };
  }
}
