/**
 * The tables of a database as they were when it was opened. LevelDB does not look at their
 * checksums: of a damaged block it may give other entries, older ones, or none. So whatever a read
 * may take from a table is compared first, once, by whichever thread comes to it; and all others
 * soon after. The files have second names until then: a compaction would copy what is damaged into
 * a table that looks whole. Source: decision 30
 */
import { existsSync, linkSync, statSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import type { StoreKey } from "../../../../core/ports/store.ts";
import type { Pause } from "../../../shared/checksums/background-pass.ts";
import { isFolder } from "../folder-presence.ts";
import { type Checksum, createChecksum } from "./file-look.ts";
import { logRecords } from "./log-records.ts";
import { applyChange, type LiveTable, noFiles } from "./manifest.ts";
import { type KeyRange, type TableDefect, tableDefects } from "./table-file.ts";
import { openParts, type TableParts } from "./table-parts.ts";
import { readSums, TableSums, tableSum } from "./table-sums.ts";
import { TableRoom } from "./table-room.ts";
import { said, TABLE, tableFault, watchTables } from "./table-watch.ts";

/** Ends the name of the folder with the second names. */
const NAMES = ".opened";
/** A table that the system does not give is asked for again so much later. */
const RETRY_MS = 1_000;
/** A table of which so many blocks were wanted is compared whole. */
const MOST_BLOCKS = 128;
/** So many tables are compared in parts at a time: where their blocks stand is kept meanwhile. */
const MOST_PARTS = 64;
/** A node that starts has other work first: reads compare what they take. */
const BEGIN_MS = 2_000;
/** A table is followed by a pause of so many times its length. */
const REST = 19;

/** A longer table is compared in parts though its sum is known: it holds a huge value. */
const MOST_SUM_BYTES = 4 * 1024 * 1024;

/** A table, and its file. */
interface OpenedTable extends LiveTable {
  readonly name: string;
  /** Over all of it, when an earlier run has compared it. */
  readonly sum?: number;
}

/** The tables of one opening, for all threads of a process: it is sent to them often. */
export interface OpenedTables {
  /** Of the database. */
  readonly folder: string;
  /** The list of them, as JSON. */
  readonly list: SharedArrayBuffer;
  /** A byte for each table, 1 once it was compared; behind them one for all together. */
  readonly whole: SharedArrayBuffer;
  /** Number and length of the manifest while it names all these tables; zeros when unknown. */
  readonly manifest: SharedArrayBuffer;
}

function sharedBytes(text: string): SharedArrayBuffer {
  const bytes = Buffer.from(text);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/**
 * Says of which folder the second names are: those of a ledger that was replaced are none of the
 * new one.
 */
function ownerOf(folder: string): string {
  return join(`${folder}${NAMES}`, `of-${statSync(folder).ino}`);
}

/**
 * Compares tables that a compaction has taken away since they got their second names: the last
 * opening has ended before that.
 * @throws StoreFault corrupt
 */
async function compareGone(folder: string): Promise<void> {
  const names = await readdir(`${folder}${NAMES}`).catch(said);
  // Whoever removed the ledger is told by others.
  if (!names || !existsSync(folder) || !existsSync(ownerOf(folder))) return;
  const checksum = await createChecksum();
  const room = new TableRoom();
  for (const name of names) {
    if (!TABLE.test(name) || existsSync(join(folder, name))) continue;
    const bytes = room.read(join(`${folder}${NAMES}`, name));
    const fault = bytes && tableFault(tableDefects(bytes, checksum), { folder, name });
    if (fault) throw fault;
  }
}

/**
 * Gives the tables of a database second names, before it is opened.
 * @throws StoreFault corrupt when a table is damaged that is gone since the last opening
 */
export async function keepTables(
  folder: string,
  tables: ReadonlyMap<number, LiveTable>,
): Promise<OpenedTables> {
  await compareGone(folder);
  await dropNames(folder);
  const sums = await readSums(folder);
  const named = [...tables].map(([number, table]): OpenedTable => {
    const name = `${`${number}`.padStart(6, "0")}.ldb`;
    const sum = sums.get(name);
    return { ...table, name, ...(sum === undefined ? {} : { sum }) };
  });
  // Where there can be no second names, a table may be gone before it was compared.
  const names = `${folder}${NAMES}`;
  if (named.length > 0) {
    await mkdir(names).catch(said);
    await writeFile(ownerOf(folder), "").catch(said);
  }
  for (const { name } of named) {
    try {
      // By the pool each takes five times the CPU time.
      linkSync(join(folder, name), join(names, name));
    } catch (cause) {
      said(cause);
    }
  }
  const whole = new SharedArrayBuffer(named.length + 1);
  const manifest = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
  return { folder, list: sharedBytes(JSON.stringify(named)), whole, manifest };
}

/** Whether the last opening ended before all its tables were compared. */
export function wasCutShort(folder: string): Promise<boolean> {
  return isFolder(`${folder}${NAMES}`);
}

/** Removes the second names. */
export function dropNames(folder: string): Promise<void> {
  return rm(`${folder}${NAMES}`, { recursive: true, force: true });
}

/**
 * What is asked before a read and after it: a compaction may have ended meanwhile. That of one
 * thread; a class because it keeps what it has found.
 */
export class TableGuard {
  readonly #folder: string;
  readonly #tables: readonly OpenedTable[];
  readonly #checksum: Checksum;
  readonly #whole: Uint8Array;
  /** Tables of one level; all but those of level 0 are in order and apart from each other. */
  readonly #levels: readonly { readonly isOrdered: boolean; readonly places: readonly number[] }[];
  readonly #onDamage: (fault: StoreFault) => void;
  readonly #manifest: Float64Array;
  readonly #room = new TableRoom();
  /** Tables of which some blocks were compared; the oldest is in front. */
  readonly #parts = new Map<number, TableParts>();
  /** Of the thread that keeps them. */
  #sums: TableSums | undefined;

  constructor(opened: OpenedTables, checksum: Checksum, onDamage: (fault: StoreFault) => void) {
    this.#folder = opened.folder;
    const tables = JSON.parse(Buffer.from(opened.list).toString()) as OpenedTable[];
    this.#tables = tables;
    this.#checksum = checksum;
    this.#onDamage = onDamage;
    this.#whole = new Uint8Array(opened.whole);
    this.#manifest = new Float64Array(opened.manifest);
    const levels = new Map<number, number[]>();
    for (const [place, { level }] of tables.entries()) {
      const places = levels.get(level);
      if (places) places.push(place);
      else levels.set(level, [place]);
    }
    const firstOf = (place: number): StoreKey => tables[place]?.first ?? "";
    this.#levels = [...levels].map(([level, places]) => ({
      isOrdered: level > 0,
      places: places.sort((left, right) => (firstOf(left) < firstOf(right) ? -1 : 1)),
    }));
  }

  /** Whether all were compared: then nothing is to be asked. */
  get isComplete(): boolean {
    return this.#whole[this.#tables.length] === 1;
  }

  /** @throws StoreFault corrupt when a table that may hold the key is damaged */
  require(key: StoreKey): void {
    this.#require(key, `${key}\0`, true);
  }

  /** As `require`, for the keys in [from, to). */
  requireRange(from: StoreKey, to: StoreKey): void {
    this.#require(from, to, false);
  }

  /** As `require`, after the read: nothing has changed unless a compaction has ended since. */
  requireAgain(key: StoreKey): void {
    if (this.isComplete || this.#places(key, `${key}\0`, true).length === 0) return;
    if (!this.#isAsOpened()) this.require(key);
  }

  #require(from: StoreKey, to: StoreKey, isOne: boolean): void {
    if (this.isComplete) return void this.#parts.clear();
    const places = this.#places(from, to, isOne);
    if (places.length === 0) return;
    const bytesOf = (key: StoreKey) => Buffer.from(key, "latin1");
    const range = { from: bytesOf(from), to: bytesOf(to), isOne };
    const isAsOpened = this.#isAsOpened();
    for (const place of places) this.#compareRange(place, isAsOpened ? range : undefined);
  }

  /** Tables that may hold a key of a range, but for those that were compared whole. */
  #places(from: StoreKey, to: StoreKey, isOne: boolean): readonly number[] {
    const found: number[] = [];
    for (const { places, isOrdered } of this.#levels) {
      for (let at = isOrdered ? this.#firstFrom(places, from) : 0; at < places.length; at++) {
        const place = places[at] ?? 0;
        const table = this.#tables[place];
        if (!table || (isOne && table.first >= to)) break;
        if (table.last >= from && this.#whole[place] !== 1) found.push(place);
        // A range ends where it finds a key that is not its own: that may be one table further.
        if (isOrdered && table.first >= to) break;
      }
    }
    return found;
  }

  /** The first of ordered tables that does not end before a key. */
  #firstFrom(places: readonly number[], from: StoreKey): number {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#tables[places[middle] ?? 0]?.last ?? "";
      if (last < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Compares what a read may take of a table: a start wants few rows of many tables. From the first
   * compaction on what was damaged in one block may be missing anywhere.
   * @param range undefined for the whole table
   * @throws StoreFault corrupt
   */
  #compareRange(place: number, range: KeyRange | undefined): void {
    if (this.#whole[place] === 1) return void this.#parts.delete(place);
    const { name = "", sum, bytes = 0 } = this.#tables[place] ?? {};
    if (!range || (sum !== undefined && bytes <= MOST_SUM_BYTES)) return this.#compare(place);
    const parts = this.#parts.get(place) ?? this.#open(place);
    this.#parts.set(place, parts);
    const isMany = parts.compareRange(range) > MOST_BLOCKS;
    this.#tell(name, parts.defects);
    if (isMany) return this.#compare(place);
    const [oldest = place] = this.#parts.keys();
    if (this.#parts.size > MOST_PARTS) this.#compare(oldest);
  }

  /** Whether no table was made since the database was opened: the manifest grows by each. */
  #isAsOpened(): boolean {
    const [number = 0, length = 0] = this.#manifest;
    if (number === 0) return false;
    return statSync(join(this.#folder, manifestName(number))).size === length;
  }

  #open(place: number): TableParts {
    const { name = "" } = this.#tables[place] ?? {};
    const options = { checksum: this.#checksum, mostBlocks: MOST_BLOCKS };
    return openParts(this.#pathsOf(name), { ...options, first: this.#firstOf(place) });
  }

  #firstOf(place: number): Uint8Array {
    return Buffer.from(this.#tables[place]?.first ?? "", "latin1");
  }

  /** Compares a table, unless somebody has. @throws StoreFault corrupt */
  #compare(place: number): void {
    this.#parts.delete(place);
    if (this.#whole[place] === 1) return;
    const { name = "", sum } = this.#tables[place] ?? {};
    let bytes: Uint8Array | undefined;
    for (const path of this.#pathsOf(name)) bytes ??= this.#room.read(path);
    if (bytes && (sum === undefined || tableSum(bytes) !== sum)) {
      this.#tell(name, tableDefects(bytes, this.#checksum, this.#firstOf(place)));
      this.#sums?.note(name, bytes);
    }
    this.#whole[place] = 1;
  }

  /** The second name is there as long as not all tables were compared, where there can be one. */
  #pathsOf(name: string): readonly string[] {
    return [join(`${this.#folder}${NAMES}`, name), join(this.#folder, name)];
  }

  /** @throws StoreFault corrupt when there are defects */
  #tell(name: string, defects: readonly TableDefect[]): void {
    const fault = tableFault(defects, { folder: this.#folder, name });
    if (!fault) return;
    this.#onDamage(fault);
    throw fault;
  }

  async #compareAll(pause: Pause, signal: AbortSignal): Promise<void> {
    for (let place = 0; place < this.#tables.length; ) {
      const start = performance.now();
      try {
        this.#compare(place);
        place += 1;
      } catch (cause) {
        // What a busy or failing system refuses now may be had later.
        said(cause);
        await pause(RETRY_MS, signal);
      }
      await pause((performance.now() - start) * REST, signal);
    }
    this.#whole[this.#tables.length] = 1;
  }

  /** Compares all that were not yet, slowly, and from then on all there are. Gives what ends it. */
  begin(pause: Pause): () => Promise<void> {
    const [folder, checksum] = [this.#folder, this.#checksum];
    const ended = new AbortController();
    const told = (cause: unknown) => {
      if (!ended.signal.aborted && cause instanceof StoreFault) this.#onDamage(cause);
    };
    // Of tables that an earlier run has compared.
    const known = this.#tables.flatMap(({ name, sum }) =>
      sum === undefined ? [] : [[name, sum] as const],
    );
    const sums = new TableSums(folder, new Map(known));
    this.#sums = sums;
    const begun = pause(BEGIN_MS, ended.signal);
    const compared = begun
      .then(() => this.#compareAll(pause, ended.signal))
      .catch(told)
      // What is found here is left for the next start to tell.
      .then(() => (this.isComplete ? undefined : compareGone(folder)))
      .then(() => dropNames(folder))
      .catch((cause: unknown) => cause instanceof StoreFault || said(cause));
    const watched = { folder, checksum, pause, sums };
    const watching = begun.then(() => watchTables(watched, ended.signal)).catch(told);
    const done = Promise.all([compared, watching]);
    return async () => {
      ended.abort();
      await done;
      await sums.save().catch(said);
    };
  }
}

function manifestName(number: number): string {
  return `MANIFEST-${`${number}`.padStart(6, "0")}`;
}

/**
 * Notes the manifest of a database that was opened with these tables, unless one of them is gone
 * already. Whatever it cannot read leaves it unknown: then tables are compared whole.
 */
export function noteManifest(opened: OpenedTables): Promise<void> {
  return readLive(opened).catch(said);
}

async function readLive({ folder, list, manifest }: OpenedTables): Promise<void> {
  const current = await readFile(join(folder, "CURRENT"), "latin1");
  const number = Number(/^MANIFEST-(\d+)\n$/.exec(current)?.[1] ?? 0);
  const file = await open(join(folder, manifestName(number)), "r");
  try {
    // What it is longer than this at a read was added later, and is not looked for here.
    const { size } = await file.stat();
    const live = noFiles();
    const findings = { damaged: () => live.tables.clear(), unfinished: () => live.tables.clear() };
    const look = { file, checksum: await createChecksum(), findings };
    for await (const record of logRecords(look)) applyChange(record, live);
    const tables = JSON.parse(Buffer.from(list).toString()) as readonly OpenedTable[];
    const isWhole = tables.every(({ name }) => live.tables.has(Number.parseInt(name, 10)));
    if (isWhole) new Float64Array(manifest).set([number, size]);
  } finally {
    await file.close();
  }
}

/** Guards the reads of a handle. @param onDamage is told before a read throws */
export async function guardTables(
  opened: OpenedTables,
  onDamage: (fault: StoreFault) => void,
): Promise<TableGuard> {
  return new TableGuard(opened, await createChecksum(), onDamage);
}

/** A read before and after which the tables are compared that it may take from. */
export function compared<T>(
  guard: TableGuard | undefined,
  keys: readonly StoreKey[],
  read: () => Promise<T>,
): Promise<T> {
  // Soon after the start there is nothing left to compare.
  return !guard || guard.isComplete ? read() : comparing(guard, keys, read);
}

async function comparing<T>(
  guard: TableGuard,
  keys: readonly StoreKey[],
  read: () => Promise<T>,
): Promise<T> {
  for (const key of keys) guard.require(key);
  const found = await read();
  for (const key of keys) guard.requireAgain(key);
  return found;
}

/** Of keys that were found; the last one, unless a table is damaged. */
export function greatestOf(found: readonly { readonly key: StoreKey }[]): StoreKey {
  let most = "";
  for (const { key } of found) if (key > most) most = key;
  return most;
}
