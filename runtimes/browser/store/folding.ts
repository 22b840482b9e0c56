/**
 * The journal into segments, and segments into larger ones. A fold is one transaction; a merge
 * writes pages that do not count until the manifest names them. Each entry is rewritten once per
 * level, and levels grow with the logarithm of the store.
 */
import { isPlaceKey } from "../../../core/ledger/keys.ts";
import type { StoreKey } from "../../../core/ports/store.ts";
import {
  change,
  finish,
  type Manifest,
  pagesFrom,
  pagesOf,
  type SegmentFacts,
  STRICT,
  type TabDatabase,
} from "./database.ts";
import {
  changeMark,
  EMPTY_JOURNAL,
  type JournalSum,
  manifestSum,
  requirePage,
  withoutRecords,
} from "./marks.ts";
import { mergedFrom, type PageList } from "./merge.ts";
import { type Entry, Packed } from "./packed.ts";
import { listOfSegment, type Recent, sortedEntries } from "./rows.ts";
import type { StoreSizes } from "./sizes.ts";
import { faultOfKind } from "./tab-fault.ts";
import { type MadePage, pageFor, type Segment, SegmentMaker } from "./segment.ts";

/** The two lists of segments: rows are in memory, places of transactions are not. */
export type SegmentKind = "resident" | "paged";

/** Bytes of pages that one transaction of a merge writes. */
const MERGE_BYTES = 512 * 1024;

/** All segments of a store, each list the newest first. */
export type Segments = Readonly<Record<SegmentKind, readonly Segment[]>>;

/** A state of the segments. */
export interface Folded {
  readonly segments: Segments;
  readonly manifest: Manifest;
}

interface Made {
  readonly segment: Segment;
  readonly pages: readonly MadePage[];
}

function manifestOf(segments: Segments, nextSegment: number): Manifest {
  const facts = (kind: SegmentKind): SegmentFacts[] => segments[kind].map(({ facts: of }) => of);
  const listed = { resident: facts("resident"), paged: facts("paged") };
  const manifest: Manifest = { format: 1, nextSegment, ...listed };
  return { ...manifest, sum: manifestSum(manifest) };
}

function withPages(kind: SegmentKind, made: Omit<Segment, "pages">, pages: Packed[]): Segment {
  return kind === "resident" ? { ...made, pages } : made;
}

function pageBytes(kind: SegmentKind, sizes: StoreSizes): number {
  return kind === "resident" ? sizes.residentPageBytes : sizes.pagedPageBytes;
}

/** A segment that is being made. */
interface Making {
  readonly kind: SegmentKind;
  readonly id: number;
  readonly sizes: StoreSizes;
}

function makeSegment({ kind, id, sizes }: Making, entries: readonly Entry[]): Made {
  const maker = new SegmentMaker(entries.length, pageBytes(kind, sizes));
  const made = entries.map((entry) => maker.add(entry));
  const pages = [...made, maker.rest()].filter((page) => page !== undefined);
  const packed = pages.map(({ bytes }) => new Packed(bytes));
  return { segment: withPages(kind, maker.finish(id, 0), packed), pages };
}

/** What is folded, and up to which record of the journal. */
export interface FoldOrder {
  readonly recent: Recent;
  readonly lastRecord: number;
  /** The records up to that one. */
  readonly journal: JournalSum;
  readonly sizes: StoreSizes;
}

/** Makes segments of what the journal holds, in one transaction. */
export async function foldJournal(
  database: TabDatabase,
  { segments, manifest }: Folded,
  { recent, lastRecord, journal, sizes }: FoldOrder,
): Promise<Folded> {
  let next = manifest.nextSegment;
  const made: Made[] = [];
  const add = (kind: SegmentKind, wanted: (key: StoreKey) => boolean): readonly Segment[] => {
    const entries = sortedEntries(recent, wanted);
    if (entries.length === 0) return segments[kind];
    const one = makeSegment({ kind, id: next++, sizes }, entries);
    made.push(one);
    return [one.segment, ...segments[kind]];
  };
  const after = {
    resident: add("resident", (key) => !isPlaceKey(key)),
    paged: add("paged", isPlaceKey),
  };
  const newManifest = manifestOf(after, next);
  const stores = ["meta", "journal", "pages", "indexes"] as const;
  const transaction = database.transaction(stores, "readwrite", STRICT);
  await finish(transaction, (add) => {
    // What a merge that failed may have left under these numbers.
    add(transaction.objectStore("pages").delete(pagesFrom(manifest.nextSegment)));
    for (const { segment, pages } of made) {
      const { id } = segment.facts;
      add(transaction.objectStore("indexes").put(segment.index, id));
      for (const { page, bytes } of pages)
        add(transaction.objectStore("pages").put(bytes, [id, page]));
    }
    add(transaction.objectStore("journal").delete(IDBKeyRange.upperBound(lastRecord)));
    const meta = transaction.objectStore("meta");
    add(meta.put(newManifest, "manifest"));
    const { sum = 0 } = newManifest;
    add(changeMark(meta, journal, (mark) => ({ ...withoutRecords(mark, journal), manifest: sum })));
  });
  return { segments: after, manifest: newManifest };
}

/** A page of a segment from the database; undefined when the segment is gone. */
export async function fetchPage(
  database: TabDatabase,
  { facts: { id }, index }: Segment,
  page: number,
): Promise<Packed | undefined> {
  const bytes = await database.get("pages", [id, page]);
  return bytes && requirePage(database.name, index, [id, page], new Packed(bytes));
}

/** A segment as a source, wherever its pages are. */
export function listOf(database: TabDatabase, segment: Segment): PageList {
  if (segment.pages) return listOfSegment(segment);
  return {
    pages: segment.facts.pages,
    pageFor: (key) => pageFor(segment.index, key),
    async page(number) {
      const page = await fetchPage(database, segment, number);
      if (!page) throw faultOfKind(database.name, "corrupt");
      return page;
    },
  };
}

/** Segments of one level that are due; they lie side by side. */
function dueSegments(list: readonly Segment[], fan: number): readonly Segment[] | undefined {
  const levels = [...new Set(list.map(({ facts }) => facts.level))];
  const level = levels.find((one) => list.filter(({ facts }) => facts.level === one).length >= fan);
  return level === undefined ? undefined : list.filter(({ facts }) => facts.level === level);
}

async function putPages(
  database: TabDatabase,
  id: number,
  pages: readonly MadePage[],
): Promise<void> {
  const transaction = database.transaction("pages", "readwrite", STRICT);
  await finish(transaction, (add) => {
    if (pages[0]?.page === 0) add(transaction.store.delete(pagesFrom(id)));
    for (const { page, bytes } of pages) add(transaction.store.put(bytes, [id, page]));
  });
}

/** Gives the room back that a merge took which did not get to its end. */
export function dropPages(database: TabDatabase, id: number): Promise<void> {
  return change(database, "pages", (store) => store.delete(pagesFrom(id)));
}

/** Writes one segment with the entries of several. */
async function mergeSegments(
  database: TabDatabase,
  { kind, id, sizes }: Making,
  { inputs, isOldest }: { readonly inputs: readonly Segment[]; readonly isOldest: boolean },
): Promise<Segment> {
  const expected = inputs.reduce((sum, { facts }) => sum + facts.entries, 0);
  const maker = new SegmentMaker(expected, pageBytes(kind, sizes));
  const packed: Packed[] = [];
  let waiting: MadePage[] = [];
  let waitingBytes = 0;
  const flush = async (): Promise<void> => {
    await putPages(database, id, waiting);
    waiting = [];
    waitingBytes = 0;
  };
  const take = (made: MadePage | undefined): void => {
    if (!made) return;
    waiting.push(made);
    waitingBytes += made.bytes.length;
    if (kind === "resident") packed.push(new Packed(made.bytes));
  };
  const lists = inputs.map((segment) => listOf(database, segment));
  for await (const batch of mergedFrom(lists, "")) {
    for (const entry of batch) {
      // Below the oldest segment there is nothing that a removal could hide.
      if (entry[1] !== undefined || !isOldest) take(maker.add(entry));
    }
    if (waitingBytes >= MERGE_BYTES) await flush();
  }
  take(maker.rest());
  if (waiting.length > 0) await flush();
  const level = 1 + Math.max(...inputs.map(({ facts }) => facts.level));
  return withPages(kind, maker.finish(id, level), packed);
}

/** Merges what is due in one of the lists; undefined when nothing is. */
export async function mergeOnce(
  database: TabDatabase,
  { segments, manifest }: Folded,
  sizes: StoreSizes,
): Promise<Folded | undefined> {
  const kinds: readonly SegmentKind[] = ["resident", "paged"];
  const kind = kinds.find((one) => dueSegments(segments[one], sizes.fan));
  const inputs = kind && dueSegments(segments[kind], sizes.fan);
  if (!kind || !inputs) return undefined;
  const id = manifest.nextSegment;
  const list = segments[kind];
  const isOldest = list.at(-1) === inputs.at(-1);
  const making = { kind, id, sizes };
  const merged = await mergeSegments(database, making, { inputs, isOldest }).catch(
    async (error: unknown) => {
      await dropPages(database, id).catch(() => undefined);
      throw error;
    },
  );
  const first = list.indexOf(inputs[0] as Segment);
  const isEmpty = merged.facts.entries === 0;
  const after = {
    ...segments,
    [kind]: [
      ...list.slice(0, first),
      ...(isEmpty ? [] : [merged]),
      ...list.slice(first + inputs.length),
    ],
  };
  const newManifest = manifestOf(after, id + 1);
  const transaction = database.transaction(["meta", "pages", "indexes"], "readwrite", STRICT);
  await finish(transaction, (add) => {
    if (!isEmpty) add(transaction.objectStore("indexes").put(merged.index, id));
    for (const { facts } of inputs) {
      add(transaction.objectStore("pages").delete(pagesOf(facts.id)));
      add(transaction.objectStore("indexes").delete(facts.id));
    }
    const meta = transaction.objectStore("meta");
    add(meta.put(newManifest, "manifest"));
    const { sum = 0 } = newManifest;
    add(changeMark(meta, EMPTY_JOURNAL, (mark) => ({ ...mark, manifest: sum })));
  });
  return { segments: after, manifest: newManifest };
}
