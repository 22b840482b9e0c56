/**
 * The folder in which a node or a development chain keeps its data: marker, lock, removal.
 * Source: storage 13
 */
import {
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ClassicLevel } from "classic-level";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { isObject, parseJson } from "../../../core/rpc/json.ts";
import { codeOf, flushFolder } from "../../folder/durable-folder.ts";
import { storeFault, writeFault } from "./store.ts";

/** The file that makes a folder ours. */
const MARKER_FILE = "chain-node.json";
/** The marker while it is written; a crash may leave it. */
const MARKER_DRAFT = `${MARKER_FILE}.new`;
/** Holds a database that is opened only for its lock, which the system drops when we die. */
const LOCK_FOLDER = "lock";
/** Process ID of the holder, for messages only. */
const OWNER_FILE = "owner";
const MARKER_FORMAT = "chain-node-data";
/** Layout of the folder; a greater number belongs to a newer program. */
export const DATA_FOLDER_VERSION = 1;
/** A marker is far smaller; a larger file is not one. */
const MAX_MARKER_BYTES = 4_096;

interface DataFolderMarker {
  readonly version: number;
  readonly chainId: number;
  /** Milliseconds since the epoch. */
  readonly created: number;
}

/** A data folder that this process holds. */
export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  readonly marker: DataFolderMarker;
  /** True when the folder was made or first marked by this opening. */
  readonly isNew: boolean;
  /** Lets other processes use the folder. */
  close(): Promise<void>;
}

/** What a new folder is marked with, and an existing one compared to. */
interface DataFolderOptions {
  readonly chainId: number;
  /** Milliseconds since the epoch, for a new marker. */
  readonly now: number;
  /** What a folder without a marker may hold and still be ours; nothing when absent. */
  readonly mayHold?: (name: string) => boolean;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function parseMarker(path: string, text: string): DataFolderMarker {
  const file = join(path, MARKER_FILE);
  const value = text.length > MAX_MARKER_BYTES ? undefined : parseJson(text);
  if (!isObject(value) || value["format"] === undefined)
    throw new StoreFault("corrupt", `${file} is damaged`);
  if (value["format"] !== MARKER_FORMAT)
    throw new StoreFault("foreign", `${path} belongs to another program`);
  const { version, chainId, created } = value;
  if (isCount(version) && version > DATA_FOLDER_VERSION) {
    const versions = `version ${version}; this program knows ${DATA_FOLDER_VERSION}`;
    throw new StoreFault("version", `${path} was written by a newer program (${versions})`);
  }
  if (version !== DATA_FOLDER_VERSION || !isCount(chainId) || !isCount(created))
    throw new StoreFault("corrupt", `${file} is damaged`);
  return { version, chainId, created };
}

/** The marker of a folder; undefined when the folder has none. */
async function readMarker(path: string): Promise<DataFolderMarker | undefined> {
  try {
    return parseMarker(path, await readFile(join(path, MARKER_FILE), "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw storeFault(path, error);
  }
}

function markerText(marker: DataFolderMarker): string {
  return `${JSON.stringify({ format: MARKER_FORMAT, ...marker })}\n`;
}

/** Writes the marker so that it is there completely or not at all. */
async function writeMarker(path: string, marker: DataFolderMarker): Promise<void> {
  const draft = join(path, MARKER_DRAFT);
  const file = await open(draft, "w");
  try {
    await file.writeFile(markerText(marker));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(path, MARKER_FILE));
  await flushFolder(path);
}

/**
 * Makes a folder and the folders above it. Node's own recursive form never returns where a folder
 * that exists takes no entries (below /proc, for example).
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    const parent = dirname(path);
    if (codeOf(error) !== "ENOENT" || parent === path) throw error;
    await makeFolder(parent);
    await mkdir(path);
  }
}

/** Reads the marker, or marks a folder that is new or empty. Never touches anything else. */
async function claimFolder(
  path: string,
  options: DataFolderOptions,
): Promise<{ marker: DataFolderMarker; isNew: boolean }> {
  await makeFolder(path);
  const isFolder = (await stat(path)).isDirectory();
  if (!isFolder) throw new StoreFault("foreign", `${path} is not a folder`);
  const { chainId, now, mayHold = () => false } = options;
  const marker = { version: DATA_FOLDER_VERSION, chainId, created: now };
  const next = `; where the folder is of chain ${chainId}, have this in it: ${markerText(marker)}`;
  const found = await readMarker(path).catch((cause: unknown) => {
    if (!(cause instanceof StoreFault) || cause.kind !== "corrupt") throw cause;
    throw new StoreFault("corrupt", cause.message + next.trim(), { cause });
  });
  if (found) return { marker: found, isNew: false };
  const names = await readdir(path);
  const unknown = names.filter((name) => name !== MARKER_DRAFT && !mayHold(name));
  if (unknown.length > 0) {
    const reason = `it has no ${MARKER_FILE} but holds ${unknown.slice(0, 3).join(", ")}`;
    // Of another program's folder nobody is to say that it is ours.
    const hint = options.mayHold && unknown.join() === LOCK_FOLDER ? next.trim() : "";
    throw new StoreFault(
      "foreign",
      `${path} is not a data folder of this program: ${reason}${hint}`,
    );
  }
  await writeMarker(path, marker);
  return { marker, isNew: true };
}

/** The file that is open while a process holds the folder. */
export function lockFile(path: string): string {
  return join(path, LOCK_FOLDER, "LOCK");
}

/** The process that took the lock last; it may be gone. */
export async function lockOwner(path: string): Promise<number | undefined> {
  const text = await readFile(join(path, LOCK_FOLDER, OWNER_FILE), "utf8").catch(() => "");
  return /^[1-9]\d*$/.test(text.trim()) ? Number(text) : undefined;
}

/** Opens the database of a lock. */
async function openHolder(folder: string, owner: string): Promise<ClassicLevel> {
  const holder = new ClassicLevel(folder, { cacheSize: 0, writeBufferSize: 64 * 1024 });
  try {
    await holder.open();
    await writeFile(owner, `${process.pid}\n`);
    return holder;
  } catch (error) {
    // It may be open already: nobody else could ever take the lock.
    await holder.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Takes a lock whose disk is full: opening writes, so the database is one in the place of temporary
 * files, which may be on another disk. Its lock file is that of the folder by another name, and the
 * system locks what a name stands for.
 */
async function lockElsewhere(path: string): Promise<Pick<ClassicLevel, "close">> {
  const place = await mkdtemp(join(tmpdir(), "chain-node-lock-"));
  const drop = () => rm(place, { recursive: true, force: true });
  try {
    await symlink(resolve(lockFile(path)), join(place, "LOCK"));
    const holder = await openHolder(place, join(place, OWNER_FILE));
    return { close: () => holder.close().finally(drop) };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Takes the folder's lock. The system releases it when this process ends in any way. */
async function lock(path: string): Promise<Pick<ClassicLevel, "close">> {
  const folder = join(path, LOCK_FOLDER);
  try {
    return await openHolder(folder, join(folder, OWNER_FILE)).catch(async (error: unknown) => {
      const fault = await writeFault(path, error);
      // What is there can still be read, so its node starts.
      if (fault.kind !== "full") throw fault;
      return lockElsewhere(path);
    });
  } catch (error) {
    const fault = storeFault(path, error);
    if (fault.kind !== "locked") throw fault;
    const owner = await lockOwner(path);
    const name = owner === undefined ? "" : ` (process ${owner})`;
    const message = `${path} is in use by another process${name}`;
    throw new StoreFault("locked", message, { cause: error });
  }
}

/**
 * Opens a data folder for this process alone; makes it when it is absent or empty.
 * @throws StoreFault foreign (not ours, or of another chain), version (written by a newer program),
 *   corrupt (damaged marker), locked (another process), unwritable, io
 */
export async function openDataFolder(
  folder: string,
  options: DataFolderOptions,
): Promise<DataFolder> {
  const path = resolve(folder);
  try {
    const { marker, isNew } = await claimFolder(path, options);
    if (marker.chainId !== options.chainId) {
      const chains = `chain ${marker.chainId}, not of chain ${options.chainId}`;
      throw new StoreFault("foreign", `${path} holds data of ${chains}`);
    }
    const holder = await lock(path);
    return { path, marker, isNew, close: () => holder.close() };
  } catch (error) {
    throw storeFault(path, error);
  }
}

/**
 * Removes a data folder and everything in it, provided that it is ours and no process uses it. The
 * marker goes last, so that an interrupted removal can be repeated.
 * @returns absolute paths of what was removed, the folder itself last; empty when there is none
 * @throws StoreFault foreign, version, corrupt, locked, unwritable, io; nothing is removed then
 */
export async function resetDataFolder(folder: string): Promise<readonly string[]> {
  const path = resolve(folder);
  try {
    const names = await readdir(path).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      if (codeOf(error) === "ENOTDIR") throw new StoreFault("foreign", `${path} is not a folder`);
      throw error;
    });
    if (!names) return [];
    if (!(await readMarker(path)))
      throw new StoreFault("foreign", `${path} is not a data folder: it has no ${MARKER_FILE}`);
    const holder = await lock(path);
    const contents = names.filter((name) => name !== MARKER_FILE && name !== LOCK_FOLDER).sort();
    const removed = [...contents, LOCK_FOLDER, MARKER_FILE].map((name) => join(path, name));
    for (const name of contents) await rm(join(path, name), { recursive: true, force: true });
    await holder.close();
    await rm(join(path, LOCK_FOLDER), { recursive: true, force: true });
    await rm(join(path, MARKER_FILE), { force: true });
    await rmdir(path);
    return [...removed, path];
  } catch (error) {
    throw storeFault(path, error);
  }
}
