/**
 * A second name for the files of a LevelDB database, so that to look at it changes nothing of it:
 * opening a database drops what its logs lost, and makes new tables of what damaged ones hold.
 */
import { copyFile, link, mkdir, readdir, rm } from "node:fs/promises";
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

async function makeView(folder: string, view: string): Promise<void> {
  await dropView(folder);
  await mkdir(view);
  for (const name of await readdir(folder)) {
    const [from, to] = [join(folder, name), join(view, name)];
    if (TABLE.test(name)) await linkOrCopy(from, to);
    else if (WRITTEN.test(name)) await copyFile(from, to);
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

/** Lends a store over a view of a database that nobody has open. @throws StoreFault */
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
    await makeView(folder, view);
    return await openLevelStore(view, { create: false });
  } catch (cause) {
    throw named(cause, folder, view);
  }
}
