/**
 * The Store port over LevelDB: one database per node, shared by the threads of one process.
 * Source: storage 13
 */
import { constants } from "node:fs";
import { access, mkdir, open, readFile, readdir, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ClassicLevel } from "classic-level";
import type { DatabaseOptions } from "classic-level";
import { InvariantFault } from "../../../core/fault/invariant.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { StoreFaultKind } from "../../../core/fault/store-fault.ts";
import type { Store, StoreKey, StorePassView } from "../../../core/ports/store.ts";
import { codeOf } from "../../folder/durable-folder.ts";
import {
  type BackgroundPass,
  type PassedStore,
  type PassPace,
  passInBackground,
} from "../../shared/checksums/background-pass.ts";
import { checkedReader, type Reader } from "../../shared/checksums/checked-reader.ts";
import {
  type CheckedStore,
  formatOf,
  openCheckedStore,
  type RawStore,
} from "../../shared/checksums/checked-store.ts";
import { DamageAlarm } from "../../shared/checksums/damage-alarm.ts";
import {
  CHECKSUM_BYTES,
  putSealed,
  sealedLength,
  type SealedWrite,
  TURN_BYTES,
} from "../../shared/checksums/sealed-value.ts";
import { passOver } from "../../shared/checksums/store-pass.ts";
import { entryChecksum } from "./entry-checksum.ts";
import { isThere } from "./folder-presence.ts";
import { LedgerCensus } from "../../shared/ledger-check/census.ts";
import {
  compared,
  greatestOf,
  guardTables,
  noteManifest,
  type OpenedTables,
  type TableGuard,
} from "./level-files/opened-tables.ts";
import { freeBytes } from "../machine/free-bytes.ts";
import { LoadBatches } from "./load-batches.ts";
import { commitsOver, PIECE_BYTES, PieceQueue, pieceCensus, wholeReader } from "./long-records.ts";
import { pause } from "./pause.ts";

type Level = ClassicLevel<Uint8Array, Uint8Array>;
type Snapshot = ReturnType<Level["snapshot"]>;

/**
 * LevelDB's memory: a block cache for reads, and up to two write buffers. Small, because four
 * nodes share one process, and because the row cache of core/storage keeps hot rows anyway.
 */
const CACHE_BYTES = 4 * 1024 * 1024;
const WRITE_BUFFER_BYTES = 4 * 1024 * 1024;
/**
 * Table files are mapped into memory: all but ten of this many of at most this size stay open. So
 * the resident set stops growing once a node's data fills them. A read of a table that is not open
 * costs several times one of a table that is.
 */
const MAX_OPEN_FILES = 138;
const MAX_FILE_BYTES = 1024 * 1024;
/** Never written: deleting it gives a durable commit without changes something to sync. */
const SYNC_KEY = "m\0sync";
/**
 * Files that only a database that was in use has: a first manifest alone is a creation that was
 * cut short.
 */
const DATA_OF_DATABASE = /^(\d+\.(ldb|sst|log)|MANIFEST-(?!0*1$)\d+)$/;
/**
 * LevelDB reports a full disk as of any other failure, without the system's code. With less than
 * this left, what could not be written did not fit: it removes a table that it could not finish.
 */
const FULL_BELOW_BYTES = WRITE_BUFFER_BYTES + MAX_FILE_BYTES;
/** Entries that one native step of a range read fetches. */
const RANGE_STEP_BYTES = 1024 * 1024;

interface LevelStoreOptions {
  /** Make the database when the folder holds none; otherwise that is a fault. */
  readonly create: boolean;
  /**
   * For the second and later handles of a process: the block cache belongs to the first handle,
   * so this one allocates none. The first handle must be closed last.
   */
  readonly joined?: boolean;
  /** Goes through all entries in the background, so, once somebody listens for damage. */
  readonly pace?: PassPace;
  /** The tables that are to be compared with their checksums before what is read is believed. */
  readonly opened?: OpenedTables | undefined;
}

/** A read-only view of the store at one moment; `close` releases it. Writing to it is a bug. */
interface StoreSnapshot extends Store {
  /** False: a snapshot never takes writes. */
  readonly writable: false;
}

/** A store that can give consistent views of itself. */
export interface LevelStore extends CheckedStore, PassedStore {
  onDamage(listener: (fault: StoreFault) => void): void;
  passView(): StorePassView | undefined;
  readonly folder: string;
  /** For further handles. */
  readonly opened: OpenedTables | undefined;
  /** Whether there is a value, without reading it. */
  has(key: StoreKey): Promise<boolean>;
  /** What the store holds now, unaffected by later commits. Close it soon: it pins old data. */
  snapshot(): StoreSnapshot;
}

/** The bytes of a key; one character is one byte. */
function keyBytes(key: StoreKey): Buffer {
  return Buffer.from(key, "latin1");
}

function keyText(key: Uint8Array): StoreKey {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
}

/** Codes of LevelDB and of the operating system, as kinds of store faults. */
const KIND_OF_CODE: Readonly<Record<string, StoreFaultKind>> = {
  LEVEL_LOCKED: "locked",
  LEVEL_CORRUPTION: "corrupt",
  LEVEL_INVALID_ARGUMENT: "corrupt",
  EACCES: "unwritable",
  EPERM: "unwritable",
  EROFS: "unwritable",
  ENOTDIR: "foreign",
  ENOSPC: "full",
  EDQUOT: "full",
};

const SENTENCE_OF_KIND: Readonly<Record<StoreFaultKind, string>> = {
  io: "cannot be read or written",
  full: "cannot be written: its disk is full; make space, then start the group or the node",
  corrupt: "holds a damaged database",
  foreign: "is not a folder of this program",
  locked: "is in use by another process",
  version: "was written by a newer version",
  unwritable: "is not writable",
};

/**
 * Turns what the platform threw into a StoreFault that names the folder; the original is the cause.
 */
export function storeFault(folder: string, error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  const inner = error instanceof Error ? error.cause : undefined;
  const kind = KIND_OF_CODE[codeOf(inner)] ?? KIND_OF_CODE[codeOf(error)] ?? "io";
  const reason = inner instanceof Error ? inner.message : "";
  const detail = kind === "io" || kind === "corrupt" ? `: ${reason || String(error)}` : "";
  return new StoreFault(kind, `${folder} ${SENTENCE_OF_KIND[kind]}${detail}`, { cause: error });
}

/** As {@link storeFault}, of a write: looks whether the disk is full. */
export async function writeFault(folder: string, error: unknown): Promise<StoreFault> {
  const fault = storeFault(folder, error);
  if (fault.kind !== "io") return fault;
  const disk = await statfs(folder).catch(() => undefined);
  if (!disk || disk.bavail * disk.bsize >= FULL_BELOW_BYTES) return fault;
  return new StoreFault("full", `${folder} ${SENTENCE_OF_KIND.full}`, { cause: error });
}

/** The folder must be there (or be made) and take writes, before LevelDB touches it. */
async function prepareFolder(folder: string, options: LevelStoreOptions): Promise<void> {
  if (options.create) await mkdir(folder, { recursive: true });
  const current = join(folder, "CURRENT");
  if (await isThere(current)) {
    // LevelDB calls a lost manifest an input-output error; nothing but a copy brings it back.
    const manifest = (await readFile(current, "latin1")).trim();
    if (!(await isThere(join(folder, manifest))))
      throw new StoreFault("corrupt", `${folder} holds a damaged database: ${manifest} is missing`);
  } else if (!options.create) {
    throw new StoreFault("foreign", `${folder} holds no database`);
  } else {
    // LevelDB would begin a new database and delete the tables of the old one.
    const left = (await readdir(folder)).find((name) => DATA_OF_DATABASE.test(name));
    if (left !== undefined)
      throw new StoreFault("corrupt", `${folder} holds a damaged database: CURRENT is missing`);
  }
  await access(folder, constants.W_OK | constants.X_OK);
}

/**
 * Opens the database of a folder. Threads of one process may open the same folder: the first one
 * plainly, the others with `joined`, and the first one closes last.
 * @throws StoreFault locked (another process), corrupt, foreign (no database and not `create`),
 *   unwritable, full, io
 */
export async function openLevelStore(
  path: string,
  options: LevelStoreOptions,
): Promise<LevelStore> {
  // The handles of a process find each other by the very text of the path.
  const folder = resolve(path);
  try {
    await prepareFolder(folder, options);
    // The constructor begins to open by itself: nothing may come between it and open().
    const level: Level = new ClassicLevel(folder, levelOptions(options));
    await level.open();
    return await checkedOver(level, folder, options).catch(async (cause: unknown) => {
      await level.close();
      throw cause;
    });
  } catch (error) {
    // LevelDB writes when it opens: it makes a table of its log.
    throw await writeFault(folder, error);
  }
}

function levelOptions(options: LevelStoreOptions): DatabaseOptions<Uint8Array, Uint8Array> {
  return {
    keyEncoding: "view",
    valueEncoding: "view",
    createIfMissing: options.create,
    multithreading: true,
    compression: true,
    cacheSize: options.joined ? 0 : CACHE_BYTES,
    writeBufferSize: WRITE_BUFFER_BYTES,
    maxOpenFiles: MAX_OPEN_FILES,
    maxFileSize: MAX_FILE_BYTES,
  };
}

/**
 * Syncs the write-ahead logs. LevelDB's own sync covers only its newest log, so data of an earlier
 * commit without sync could still be missing after a power cut if the log was changed in between.
 */
async function syncLogs(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".log"));
  for (const name of names) {
    const file = await open(join(folder, name), "r").catch((error: unknown) => {
      // A log that is gone was turned into a table, which LevelDB has synced.
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (!file) continue;
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}

/** Reads of a database, at a snapshot or at its newest state. */
function readerOver(
  { level, folder, guard }: LevelParts,
  snapshot?: Snapshot,
): Omit<RawStore, "commitSealed" | "close"> & { readonly batches: LoadBatches } {
  const at = snapshot ? { snapshot } : {};
  const batches = new LoadBatches((keys) => level.getMany([...keys], at));
  const fail = (error: unknown): never => {
    throw storeFault(folder, error);
  };
  return {
    batches,
    get(key) {
      try {
        guard?.require(key);
        const value = level.getSync(keyBytes(key), at);
        guard?.requireAgain(key);
        return value;
      } catch (error) {
        return fail(error);
      }
    },
    async load(key) {
      return compared(guard, [key], () => batches.load(keyBytes(key))).catch(fail);
    },
    async loadMany(keys) {
      return compared(guard, keys, () => level.getMany(keys.map(keyBytes), at)).catch(fail);
    },
    async range(from, to, limit) {
      if (from >= to || limit <= 0) return [];
      const bounds = { gte: keyBytes(from), lt: keyBytes(to), limit };
      try {
        const iterator = level.iterator({ ...bounds, ...at, highWaterMarkBytes: RANGE_STEP_BYTES });
        const entries = await iterator.all();
        const found = entries.map(([key, value]) => ({ key: keyText(key), value }));
        if (guard && !guard.isComplete)
          guard.requireRange(from, found.length < limit ? to : `${greatestOf(found)}\0`);
        return found;
      } catch (error) {
        return fail(error);
      }
    },
  };
}

/** The database with checksums over its entries. */
async function checkedOver(
  level: Level,
  folder: string,
  { joined = false, pace, opened }: LevelStoreOptions,
): Promise<LevelStore> {
  const alarm = new DamageAlarm();
  if (opened && !joined) await noteManifest(opened);
  const guard = opened && (await guardTables(opened, alarm.sound));
  const raw = rawOver({ level, folder, guard });
  const checks = { checksum: entryChecksum, place: folder, onDamage: alarm.sound, nextTurn };
  const free = (piece: Uint8Array) => freeBytes(piece, CHECKSUM_BYTES);
  const parts = { ...checks, pieces: new PieceQueue(), free };
  const store = await openCheckedStore({ ...parts, raw, joined });
  const records = wholeReader(store, parts);
  const commits = commitsOver(store, (cause) => storeFault(folder, cause));
  let background: BackgroundPass | undefined;
  let stopComparing: (() => Promise<void>) | undefined;

  function snapshot(): StoreSnapshot {
    const view = raw.snapshot();
    const checkedView = checkedReader(view, { ...parts, format: formatOf(view, parts) });
    const reader = wholeReader(checkedView, parts);
    const { close } = view;
    const commit = () =>
      Promise.reject(new InvariantFault("a store snapshot does not take writes"));
    return { ...reader, writable: false, commit, close };
  }

  const checked: LevelStore = {
    folder,
    opened,
    get isSealed() {
      return store.isSealed;
    },
    ...records,
    has: raw.has,
    commit: commits.commit,
    sealMore: (bytes) => store.sealMore(bytes),
    pass: () =>
      passOver({
        ...parts,
        view: raw.snapshot,
        census: () => pieceCensus(new LedgerCensus(checked, folder), { ...parts, has: raw.has }),
      }),
    snapshot,
    onDamage(listener) {
      alarm.listen(listener);
      stopComparing ??= guard?.begin(pause);
      if (pace) background ??= passInBackground(checked, { ...pace, pause, onDamage: alarm.sound });
    },
    passView: () => background?.view(),
    async close() {
      await stopComparing?.();
      await background?.stop();
      await commits.rest();
      await store.close();
    },
  };
  return checked;
}

/** A view of the entries as they lie; `close` releases it. */
type RawSnapshot = Reader & { close(): Promise<void> };

/** A database, and what is asked before it is read. */
interface LevelParts {
  readonly level: Level;
  readonly folder: string;
  readonly guard: TableGuard | undefined;
}

/** Longer values get an array of their own. */
const MOST_ROOM_BYTES = PIECE_BYTES + 64;
/** Of this thread; as long as any value needed so far. */
let room = new Uint8Array(4_096);

/** A value and its checksum until the next is asked for: a batch copies what it is given. */
function inRoom(value: Uint8Array, seal: number): Uint8Array {
  const length = sealedLength(value);
  if (length > MOST_ROOM_BYTES) return putSealed(new Uint8Array(length), value, seal);
  if (length > room.length) room = new Uint8Array(Math.min(2 * length, MOST_ROOM_BYTES));
  return putSealed(room.subarray(0, length), value, seal);
}

/** @param live takes the snapshots that are not closed yet */
function snapshotOf(parts: LevelParts, live: Set<Snapshot>): RawSnapshot {
  const held = parts.level.snapshot();
  live.add(held);
  const { batches, ...reader } = readerOver(parts, held);
  return {
    ...reader,
    async close() {
      batches.begin();
      if (live.delete(held)) await held.close();
    },
  };
}

/** The database with its entries as they lie. */
function rawOver(parts: LevelParts) {
  const { level, folder, guard } = parts;
  const live = new Set<Snapshot>();
  let failed: StoreFault | undefined;
  let unsynced = false;
  let lastCommit: Promise<void> = Promise.resolve();

  /** Commits take their turn: LevelDB's threads would let a later one overtake. */
  function commit(writes: readonly SealedWrite[], durable: boolean): Promise<void> {
    const done = lastCommit.then(() => apply(writes, durable));
    lastCommit = done.catch(() => {});
    return done;
  }

  async function apply(writes: readonly SealedWrite[], durable: boolean): Promise<void> {
    if (failed) throw failed;
    try {
      const batch = level.batch();
      let bytes = 0;
      for (const { key, value, seal } of writes) {
        if (value === undefined) batch.del(keyBytes(key));
        else batch.put(keyBytes(key), seal === undefined ? value : inRoom(value, seal));
        bytes += value?.length ?? 0;
        if (bytes <= TURN_BYTES) continue;
        bytes = 0;
        await nextTurn();
      }
      if (writes.length === 0) batch.del(keyBytes(SYNC_KEY));
      if (durable && unsynced) {
        unsynced = false;
        await syncLogs(folder);
      }
      if (!durable) unsynced = true;
      await batch.write({ sync: durable });
    } catch (error) {
      // Whether the batch reached the log is unknown: no later write may build on it.
      failed = await writeFault(folder, error);
      throw failed;
    }
  }

  const { batches, ...reader } = readerOver(parts);
  return {
    ...reader,
    async has(key: StoreKey): Promise<boolean> {
      const read = () => level.has(keyBytes(key));
      return compared(guard, [key], read).catch((error: unknown) => {
        throw storeFault(folder, error);
      });
    },
    commitSealed: ((writes, { durable }) =>
      commit(writes, durable)) satisfies RawStore["commitSealed"],
    snapshot: () => snapshotOf(parts, live),
    async close() {
      for (const held of live) await held.close();
      live.clear();
      await lastCommit;
      batches.begin();
      await level.close();
    },
  };
}
