/** Opens the store of a node's group in a browser. */
import { checkedTabStore, type TabLedgerStore } from "./checked.ts";
import {
  openTabDatabase,
  pagesFrom,
  pagesOf,
  readManifest,
  requireDatabase,
  type SegmentFacts,
  type TabDatabase,
} from "./database.ts";
import { dropPages } from "./folding.ts";
import { Packed } from "./packed.ts";
import type { Segment } from "./segment.ts";
import { STORE_SIZES, type StoreSizes } from "./sizes.ts";
import { faultOfKind, tabFault } from "./tab-fault.ts";
import { type OpenedParts, TabStore } from "./tab-store.ts";

/** How to open a store. */
export interface OpenStoreOptions {
  /** Make the database when there is none; otherwise that is a fault. By default it is made. */
  readonly create?: boolean;
  readonly sizes?: StoreSizes;
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
    if (!index) throw faultOfKind(database.name, "corrupt");
    return { facts: of, index };
  });
  const pages = facts.map((of) =>
    isResident ? transaction.objectStore("pages").getAll(pagesOf(of.id, of.pages)) : [],
  );
  const [segments, lists] = await Promise.all([Promise.all(read), Promise.all(pages)]);
  return segments.map((segment, index) => {
    if (!isResident) return segment;
    const packed = (lists[index] ?? []).map((bytes) => new Packed(bytes));
    if (packed.length !== segment.facts.pages) throw faultOfKind(database.name, "corrupt");
    return { ...segment, pages: packed };
  });
}

async function readParts(database: TabDatabase): Promise<Omit<OpenedParts, "release" | "sizes">> {
  const manifest = await readManifest(database);
  // A merge that was cut short; looking first keeps an opening on a full disk from writing.
  const stray = await database.getKey("pages", pagesFrom(manifest.nextSegment));
  if (stray !== undefined) await dropPages(database, manifest.nextSegment);
  const [resident, paged, journal, places] = await Promise.all([
    readSegments(database, manifest.resident, true),
    readSegments(database, manifest.paged, false),
    database.getAll("journal"),
    database.getAllKeys("journal"),
  ]);
  const lastRecord = places.at(-1) ?? 0;
  return { database, manifest, segments: { resident, paged }, journal, lastRecord };
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
  return checkedTabStore(raw).catch(async (cause: unknown) => {
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
