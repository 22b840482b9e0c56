/**
 * A second name for the files of a LevelDB database, so that to look at it changes nothing of it:
 * opening a database drops what its logs lost, and makes new tables of what damaged ones hold.
 */
import { copyFile, link, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { codeOf } from "../../../folder/durable-folder.ts";
import { type LevelStore, openLevelStore, storeFault } from "../store.ts";

/** Ends the name of a view. */
const VIEW = ".checking";
/** Never written again once they are whole. */
const TABLE = /^\d+\.(ldb|sst)$/;
/** What is written to while a database is open; its lock is no part of it. */
const WRITTEN = /^(CURRENT|MANIFEST-\d+|\d+\.log)$/;
/** Systems without second names for files. */
const NO_LINK = new Set(["EPERM", "ENOTSUP", "ENOSYS", "EMLINK", "EXDEV"]);

/** Gives a file a second name; where there are none, copies it. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (cause) {
    if (!NO_LINK.has(codeOf(cause))) throw cause;
    await copyFile(from, to);
  }
}

/** Puts second names of the tables into a folder that is there, and copies of all else. */
async function fillView(
  folder: string,
  view: string,
  name: (from: string, to: string) => Promise<void>,
): Promise<void> {
  for (const file of await readdir(folder)) {
    const [from, to] = [join(folder, file), join(view, file)];
    if (TABLE.test(file)) await name(from, to);
    else if (WRITTEN.test(file)) await copyFile(from, to);
  }
}

/** Removes the view of a look that was cut short: its names keep tables on the disk. */
export function dropView(folder: string): Promise<void> {
  return rm(`${folder}${VIEW}`, { recursive: true, force: true });
}

/** The fault of a view is one of the database. */
function named(cause: unknown, folder: string, view: string): unknown {
  if (!(cause instanceof StoreFault)) return storeFault(folder, cause);
  return new StoreFault(cause.kind, cause.message.replaceAll(view, folder), { cause });
}

/**
 * A store over a database that no process has open and whose disk is full: what opening writes goes
 * to the place of temporary files, which may be on another one. @throws StoreFault
 */
export async function openElsewhere(folder: string): Promise<LevelStore> {
  const view = await mkdtemp(join(tmpdir(), "chain-node-view-"));
  const drop = () => rm(view, { recursive: true, force: true });
  try {
    await fillView(folder, view, symlink);
    const store = await openLevelStore(view, { create: false });
    return { ...store, close: () => store.close().finally(drop) };
  } catch (cause) {
    await drop();
    throw named(cause, folder, view);
  }
}

/** Lends a store over a view of a database that no process has open. @throws StoreFault */
export async function withDatabaseView<Result>(
  folder: string,
  work: (store: LevelStore) => Promise<Result>,
): Promise<Result> {
  const view = `${folder}${VIEW}`;
  try {
    const store = await opened(folder, view);
    return await work(store).finally(() => store.close());
  } finally {
    await dropView(folder);
  }
}

async function opened(folder: string, view: string): Promise<LevelStore> {
  try {
    await dropView(folder);
    await mkdir(view);
    await fillView(folder, view, linkOrCopy);
    return await openLevelStore(view, { create: false });
  } catch (cause) {
    throw named(cause, folder, view);
  }
}
