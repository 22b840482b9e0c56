/** Opens the store of a node's group in a browser. */
import type { PassPace } from "../../shared/checksums/background-pass.ts";
import { checkedTabStore, type TabLedgerStore } from "./checked.ts";
import {
  EMPTY_MANIFEST,
  openTabDatabase,
  pagesFrom,
  pagesOf,
  readManifest,
  readMark,
  requireDatabase,
  type SegmentFacts,
  type TabDatabase,
} from "./database.ts";
import { dropPages } from "./folding.ts";
import { EMPTY_JOURNAL, requireIndex, requirePage, requireWhole, withRecord } from "./marks.ts";
import { Packed } from "./packed.ts";
import type { Segment } from "./segment.ts";
import { STORE_SIZES, type StoreSizes } from "./sizes.ts";
import { damagedTab, faultOfKind, tabFault } from "./tab-fault.ts";
import { type OpenedParts, TabStore } from "./tab-store.ts";

interface OpenStoreOptions {
  /** Make the database when there is none; otherwise that is a fault. By default it is made. */
  readonly create?: boolean;
  readonly sizes?: StoreSizes;
  /** Of the look through all of it in the background. */
  readonly pace?: PassPace;
}

/**
 * Keeps a second handle from the database, in this tab or another: each would not see what the
 * other writes. Gives what lets go; undefined when somebody has it. Locks need a secure context.
 */
async function hold(name: string): Promise<(() => Promise<void>) | undefined> {
  const { locks } = navigator as { readonly locks?: LockManager };
  if (!locks) return async () => undefined;
  let held: Promise<void> = Promise.resolve();
  const letGo = await new Promise<(() => void) | undefined>((settle, fail) => {
    held = locks
      .request(`chain-node store ${name}`, { ifAvailable: true }, (lock) => {
        if (!lock) return settle(undefined);
        return new Promise<void>((release) => settle(release));
      })
      .then(() => undefined);
    held.catch(fail);
  });
  return (
    letGo &&
    (async () => {
      letGo();
      await held;
    })
  );
}

async function readSegments(
  database: TabDatabase,
  facts: readonly SegmentFacts[],
  isResident: boolean,
): Promise<Segment[]> {
  const transaction = database.transaction(["pages", "indexes"], "readonly");
  const read = facts.map(async (of): Promise<Segment> => {
    const index = await transaction.objectStore("indexes").get(of.id);
    return { facts: of, index: requireIndex(database.name, of, index) };
  });
  const pages = facts.map((of) =>
    isResident ? transaction.objectStore("pages").getAll(pagesOf(of.id, of.pages)) : [],
  );
  const [segments, lists] = await Promise.all([Promise.all(read), Promise.all(pages)]);
  return segments.map((segment, index) => {
    if (!isResident) return segment;
    const { id, pages: count } = segment.facts;
    const packed = (lists[index] ?? []).map((bytes, page) =>
      requirePage(database.name, segment.index, [id, page], new Packed(bytes)),
    );
    if (packed.length !== count) throw damagedTab(database.name, `the number of pages of ${id}`);
    return { ...segment, pages: packed };
  });
}

async function readParts(database: TabDatabase): Promise<Omit<OpenedParts, "release" | "sizes">> {
  const [listed, mark, journal, places] = await Promise.all([
    readManifest(database),
    readMark(database),
    database.getAll("journal"),
    database.getAllKeys("journal"),
  ]);
  const manifest = listed ?? EMPTY_MANIFEST;
  const stray = await database.getKey("pages", pagesFrom(manifest.nextSegment));
  const hasPages = stray !== undefined;
  const journalSum = journal.reduce(
    (sum, bytes, at) => withRecord(sum, places[at] ?? 0, bytes),
    EMPTY_JOURNAL,
  );
  requireWhole(database.name, { manifest: listed, mark, journal: journalSum, hasPages });
  // A merge that was cut short; looking first keeps an opening on a full disk from writing.
  if (hasPages) await dropPages(database, manifest.nextSegment);
  const [resident, paged] = await Promise.all([
    readSegments(database, manifest.resident, true),
    readSegments(database, manifest.paged, false),
  ]);
  const lastRecord = places.at(-1) ?? 0;
  return { database, manifest, segments: { resident, paged }, journal, lastRecord, journalSum };
}

/**
 * Opens the store of that database. What its checksums do not fit is never given.
 *
 * @throws StoreFault locked (open already, here or in another tab), full, version, corrupt,
 * foreign (no database and not `create`), unwritable, io
 */
export async function openTabStore(
  name: string,
  options: OpenStoreOptions = {},
): Promise<TabLedgerStore> {
  const raw = await openRawTabStore(name, options);
  return checkedTabStore(raw, options.pace).catch(async (cause: unknown) => {
    await raw.close();
    throw cause;
  });
}

/** As {@link openTabStore}, with values as they lie. */
export async function openRawTabStore(
  name: string,
  { create = true, sizes = STORE_SIZES }: OpenStoreOptions = {},
): Promise<TabStore> {
  const release = await hold(name);
  if (!release) throw faultOfKind(name, "locked");
  try {
    if (!create) await requireDatabase(name);
    let store: TabStore | undefined;
    const database = await openTabDatabase(name, () => store?.lose());
    try {
      store = new TabStore({ ...(await readParts(database)), sizes, release });
      return store;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    await release();
    throw tabFault(name, error);
  }
}
