/**
 * A second ledger beside one that is damaged, and the mark that says that it is. The mark lies in
 * the folder of the damaged one and goes aside with it. Source: decision 30
 */
import { readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { codeOf, flushFolder, replaceFile } from "../../folder/durable-folder.ts";
import { isFolder } from "./folder-presence.ts";
import { settleLedger, WHOLE } from "./installed-ledger.ts";

/** Ends the name of a ledger that is built from peers. */
const REPAIR = ".repair";
/** LevelDB leaves files alone whose names say nothing to it. */
const MARK = "DAMAGED";

/** Where the second ledger of a folder is. */
export function repairFolder(folder: string): string {
  return `${folder}${REPAIR}`;
}

/** What a ledger is marked with as its damage; undefined when it is not. */
export async function damageOf(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, MARK), "utf8")).trim();
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined;
    throw cause;
  }
}

/** Marks a ledger as damaged, on disk when resolved; what was marked first stays. */
export async function markDamaged(folder: string, cause: string): Promise<void> {
  if (!(await isFolder(folder)) || (await damageOf(folder)) !== undefined) return;
  await replaceFile(join(folder, MARK), `${cause}\n`, { keeps: false });
}

/** @throws StoreFault corrupt when a ledger is marked: it must not vote before it is repaired */
export async function refuseDamaged(folder: string): Promise<void> {
  const cause = await damageOf(folder);
  if (cause !== undefined) throw new StoreFault("corrupt", cause.replace(/^StoreFault: /, ""));
}

/** Removes the second ledger. */
export async function discardRepaired(folder: string): Promise<void> {
  await rm(repairFolder(folder), { recursive: true, force: true });
}

/** Puts the second ledger in the place of the first. Gives where that is kept. */
export async function adoptRepaired(folder: string): Promise<string | undefined> {
  await flushFolder(repairFolder(folder));
  await rename(repairFolder(folder), `${folder}${WHOLE}`);
  await flushFolder(dirname(folder));
  return settleLedger(folder);
}
