/**
 * Checksums over what a database holds of a store besides the entries: its journal, its pages, what
 * is known of its segments, and the list of them. An entry has a checksum of its own, but one that
 * cannot be found any more has nothing that could differ.
 * Source: decision 30
 */
import type { IDBPObjectStore, StoreNames } from "idb";
import { EMPTY_BYTES } from "../../../core/bytes/bytes.ts";
import { computedChecksum } from "../../shared/checksums/crc32.ts";
import type { JournalMark, Manifest, SegmentFacts, SegmentIndex, TabSchema } from "./database.ts";
import type { Packed } from "./packed.ts";
import { damagedTab } from "./tab-fault.ts";

const MODULUS = 2 ** 48;

/** Records of the journal, counted and summed. */
export type JournalSum = Pick<JournalMark, "records" | "sum">;

/** Of a journal without records. */
export const EMPTY_JOURNAL: JournalSum = { records: 0, sum: 0 };

/** The sum with a record more. */
export function withRecord(
  { records, sum }: JournalSum,
  place: number,
  bytes: Uint8Array,
): JournalSum {
  return { records: records + 1, sum: (sum + computedChecksum(`${place}`, bytes)) % MODULUS };
}

/** The sum without those that another one counts. */
export function withoutRecords(all: JournalSum, gone: JournalSum): JournalSum {
  const sum = (all.sum - gone.sum + MODULUS) % MODULUS;
  return { records: all.records - gone.records, sum };
}

/** Of the bytes of a page. */
export function pageSum(bytes: Uint8Array): number {
  return computedChecksum("", bytes);
}

/** Of what is known of a segment without its pages. */
export function indexSum({ firstKeys, filter, sums }: SegmentIndex): number {
  return computedChecksum(JSON.stringify([firstKeys, sums]), filter);
}

/** Of a list of segments. */
export function manifestSum({ nextSegment, resident, paged }: Manifest): number {
  const plain = ({ id, level, pages, entries, bytes, sum }: SegmentFacts) =>
    [id, level, pages, entries, bytes, sum ?? -1] as const;
  const all = [nextSegment, resident.map(plain), paged.map(plain)];
  return computedChecksum(JSON.stringify(all), EMPTY_BYTES);
}

/** A page that is what its segment has; earlier versions kept no sums. @throws StoreFault */
export function requirePage(
  database: string,
  { sums }: SegmentIndex,
  place: readonly [segment: number, page: number],
  packed: Packed,
): Packed {
  const [segment, page] = place;
  if (sums === undefined || sums[page] === pageSum(packed.bytes)) return packed;
  throw damagedTab(database, `page ${page} of segment ${segment}`);
}

/** @throws StoreFault corrupt when what is known of a segment is not what was written */
export function requireIndex(
  database: string,
  { id, sum }: SegmentFacts,
  index: SegmentIndex | undefined,
): SegmentIndex {
  if (index && (sum === undefined || sum === indexSum(index))) return index;
  throw damagedTab(database, `the index of segment ${id}`);
}

/** What was read of a database to be judged together. */
export interface ReadState {
  /** Undefined when there is none. */
  readonly manifest: Manifest | undefined;
  readonly mark: JournalMark | undefined;
  readonly journal: JournalSum;
  readonly hasPages: boolean;
}

/** @throws StoreFault corrupt when list or journal are not what was written */
export function requireWhole(
  database: string,
  { manifest, mark, journal, hasPages }: ReadState,
): void {
  const sum = manifest?.sum;
  // The first pages come in one transaction with the list that names them.
  const isGone = manifest === undefined && hasPages;
  const isOther = manifest !== undefined && sum !== undefined && sum !== manifestSum(manifest);
  if (isGone || isOther || (mark && mark.manifest !== (sum ?? 0)))
    throw damagedTab(database, "the list of its segments");
  // A list with a sum was written together with a mark.
  if (mark === undefined && sum === undefined) return;
  if (mark?.records !== journal.records || mark.sum !== journal.sum)
    throw damagedTab(database, "its journal");
}

type MetaStore = IDBPObjectStore<TabSchema, ArrayLike<StoreNames<TabSchema>>, "meta", "readwrite">;

/**
 * Changes the mark within a transaction that changes the journal or the list.
 *
 * @param before what the journal held, for a store of an earlier version, which has no mark
 */
export async function changeMark(
  meta: MetaStore,
  before: JournalSum,
  change: (mark: JournalMark) => JournalMark,
): Promise<void> {
  const mark = (await meta.get("journal")) as JournalMark | undefined;
  const manifest = mark ? undefined : ((await meta.get("manifest")) as Manifest | undefined);
  await meta.put(change(mark ?? { ...before, manifest: manifest?.sum ?? 0 }), "journal");
}
