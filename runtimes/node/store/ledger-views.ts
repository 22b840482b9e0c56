/**
 * Views of the ledgers of a node that runs, lent to commands that read them: the node goes on
 * writing meanwhile, and does none of the reading. What a view needs of the disk is what compaction
 * would have removed since.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { isFolder } from "./folder-presence.ts";
import { dropView } from "./level-files/database-view.ts";
import { makeLiveView } from "./level-files/live-view.ts";
import { GROUP_FOLDER } from "./node-folder.ts";

/** Ends, with a number, the names of views. */
const VIEW = ".view-";
/** At a time, of all groups together: each pins what its ledger held. */
const MOST_VIEWS = 4;

/** A view that is lent. */
export interface LentView {
  /** Of a database that nobody writes; absolute. */
  readonly folder: string;
  close(): Promise<void>;
}

/** The views of one node; a class because it counts them. */
export class LedgerViews {
  readonly #folderOf: (groupId: number) => string;
  #made = 0;
  #lent = 0;

  /** @param folderOf gives the folder of a group's database, absolute */
  constructor(folderOf: (groupId: number) => string) {
    this.#folderOf = folderOf;
  }

  /** Lends a view. @throws StoreFault foreign, io */
  async lend(groupId: number): Promise<LentView> {
    const folder = this.#folderOf(groupId);
    if (!(await isFolder(folder)))
      throw new StoreFault("foreign", `the node has no ledger of group ${groupId} (${folder})`);
    if (this.#lent >= MOST_VIEWS)
      throw new StoreFault("io", `${MOST_VIEWS} commands read this node's ledgers already`);
    const view = `${folder}${VIEW}${++this.#made}`;
    this.#lent += 1;
    const close = async () => {
      this.#lent -= 1;
      await dropLent(view);
    };
    try {
      await makeLiveView(folder, view);
    } catch (cause) {
      await close();
      throw cause;
    }
    return { folder: view, close };
  }
}

/** The view itself, and what a check of it has left. */
async function dropLent(view: string): Promise<void> {
  await dropView(view);
  await rm(view, { recursive: true, force: true });
}

/** Removes the views of a process that was killed; only who holds the data folder may. */
export async function sweepViews(dataPath: string): Promise<void> {
  for (const group of await readdir(dataPath).catch(() => [])) {
    if (!GROUP_FOLDER.test(group)) continue;
    const folder = join(dataPath, group);
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => each.includes(VIEW)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
