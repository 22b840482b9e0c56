/**
 * The IndexedDB database of one store: a journal of commits, sorted segments, records of blocks by
 * their keys, and the manifest that says which segments count.
 * Source: storage 13
 */
import {
  type DBSchema,
  type IDBPDatabase,
  type IDBPObjectStore,
  openDB,
  type StoreNames,
  unwrap,
  wrap,
} from "idb";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { StoreKey } from "../../../core/ports/store.ts";
import { faultOfKind, guarded } from "./tab-fault.ts";

/** A segment as the manifest names it. */
export interface SegmentFacts {
  readonly id: number;
  /** How often its entries were merged. */
  readonly level: number;
  readonly pages: number;
  readonly entries: number;
  readonly bytes: number;
  /** Checksum of its index; earlier versions had none. */
  readonly sum?: number;
}

/** Which segments count, the newest first. */
export interface Manifest {
  readonly format: 1;
  /** Pages of this number or a greater one belong to nobody: a merge that was cut short. */
  readonly nextSegment: number;
  /** Held in memory. */
  readonly resident: readonly SegmentFacts[];
  /** Read page by page. */
  readonly paged: readonly SegmentFacts[];
  /** Checksum of all above; earlier versions had none. */
  readonly sum?: number;
}

/** What the journal holds, so that a record which is gone shows; it changes together with it. */
export interface JournalMark {
  readonly records: number;
  /** Of the checksums of all records, modulo 2^48. */
  readonly sum: number;
  /** The checksum of the manifest; 0 while there is none. */
  readonly manifest: number;
}

/** What is known of a segment without its pages. */
export interface SegmentIndex {
  readonly firstKeys: readonly StoreKey[];
  readonly filter: Uint8Array<ArrayBuffer>;
  /** Checksums of the pages; earlier versions had none. */
  readonly sums?: readonly number[];
}

/** What is where. */
export interface TabSchema extends DBSchema {
  meta: { key: "manifest" | "journal"; value: Manifest | JournalMark };
  journal: { key: number; value: Uint8Array<ArrayBuffer> };
  pages: { key: [segment: number, page: number]; value: Uint8Array<ArrayBuffer> };
  indexes: { key: number; value: SegmentIndex };
  records: { key: StoreKey; value: Uint8Array<ArrayBuffer> };
}

/** The open database. */
export type TabDatabase = IDBPDatabase<TabSchema>;

/** Everything is written so that it would survive a power cut once the transaction is done. */
export const STRICT = { durability: "strict" } as const;

/** The manifest of an empty store. */
export const EMPTY_MANIFEST: Manifest = { format: 1, nextSegment: 1, resident: [], paged: [] };

function isKnown(manifest: Manifest): boolean {
  return manifest.format === EMPTY_MANIFEST.format;
}

/** A database, and what lies in it. */
export interface Opening<Schema extends DBSchema> {
  readonly name: string;
  readonly version: number;
  /** Those that are not there are made. */
  readonly stores: readonly StoreNames<Schema>[];
}

/**
 * Opens a database, which is made when it is not there.
 *
 * @param onLost called when the browser closes it by itself, as when the site's data are cleared
 * @throws StoreFault
 */
export function openDatabase<Schema extends DBSchema>(
  { name, version, stores }: Opening<Schema>,
  onLost: () => void,
): Promise<IDBPDatabase<Schema>> {
  return guarded(name, async () => {
    const database = await openDB<Schema>(name, version, {
      upgrade(database) {
        for (const store of stores)
          if (!database.objectStoreNames.contains(store)) database.createObjectStore(store);
      },
      // Somebody deletes the database: the site's data are cleared.
      blocking: (_old, _new, event) => {
        (event.target as IDBDatabase).close();
        onLost();
      },
      terminated: onLost,
    });
    heedEnds(unwrap(database));
    return database;
  });
}

/**
 * When the browser cuts a transaction off, its requests tell who made them. Of one that reads,
 * no caller waits for the end: that would be a rejection which nobody handles.
 */
function heedEnds(database: IDBDatabase): void {
  database.transaction = (...args) => {
    const transaction = IDBDatabase.prototype.transaction.apply(database, args);
    wrap(transaction).done.catch(() => undefined);
    return transaction;
  };
}

/** Opens the database of a store, as {@link openDatabase} does. @throws StoreFault */
export function openTabDatabase(name: string, onLost: () => void): Promise<TabDatabase> {
  const stores = ["meta", "journal", "pages", "indexes", "records"] as const;
  return openDatabase<TabSchema>({ name, version: 1, stores }, onLost);
}

/** @throws StoreFault foreign when there is no such database: somebody has deleted it */
export async function requireDatabase(name: string): Promise<void> {
  const all = await indexedDB.databases();
  if (all.some((one) => one.name === name)) return;
  const next = "restore a backup, or wipe the chain";
  throw new StoreFault(
    "foreign",
    `the database ${name} was deleted by the browser or you: ${next}`,
  );
}

/** Which segments count; undefined when none were ever made. @throws StoreFault version */
export async function readManifest(database: TabDatabase): Promise<Manifest | undefined> {
  const manifest = (await database.get("meta", "manifest")) as Manifest | undefined;
  if (manifest && !isKnown(manifest)) throw faultOfKind(database.name, "version");
  return manifest;
}

/** What the journal should hold; undefined when an earlier version wrote it. */
export async function readMark(database: TabDatabase): Promise<JournalMark | undefined> {
  return (await database.get("meta", "journal")) as JournalMark | undefined;
}

/** All pages of a segment, or its first ones. */
export function pagesOf(segment: number, count?: number): IDBKeyRange {
  if (count === undefined) return IDBKeyRange.bound([segment], [segment, []]);
  return IDBKeyRange.bound([segment], [segment, count], false, true);
}

/** Pages of segments that never counted. */
export function pagesFrom(segment: number): IDBKeyRange {
  return IDBKeyRange.lowerBound([segment]);
}

/** What requests are made of: a transaction, whatever its stores. */
interface Transaction {
  readonly done: Promise<void>;
  abort(): void;
}

/**
 * Makes the requests of a transaction and waits for its end. When one of them cannot even be made,
 * none of them counts.
 */
export async function finish(
  transaction: Transaction,
  ask: (add: (request: Promise<unknown>) => void) => void,
): Promise<void> {
  const work: Promise<unknown>[] = [transaction.done];
  try {
    ask((request) => work.push(request));
  } catch (error) {
    // Left alone, the browser would commit what was asked for before.
    abort(transaction);
    throw error;
  } finally {
    for (const one of work) one.catch(() => undefined);
  }
  await Promise.all(work);
}

/** Makes one request of one store in a transaction of its own. On disk when resolved. */
export async function change<Schema extends DBSchema, Name extends StoreNames<Schema>>(
  database: IDBPDatabase<Schema>,
  name: Name,
  ask: (store: IDBPObjectStore<Schema, [Name], Name, "readwrite">) => Promise<unknown>,
): Promise<void> {
  const transaction = database.transaction(name, "readwrite", STRICT);
  await finish(transaction, (add) => add(ask(transaction.store)));
}

function abort(transaction: Transaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended by itself: the database is closed.
  }
}
