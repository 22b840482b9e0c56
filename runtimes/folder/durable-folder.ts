/** Writes of whole files: each through a draft next to the file, flushed with its folder. */
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** What systems answer that cannot flush a folder. */
const NO_FOLDER_FLUSH = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"]);

/** The code of a failure of the platform; empty when it has none. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** A file that is there already. */
interface PresentFile {
  /** Behind all links. */
  readonly path: string;
  /** Its permissions. */
  readonly mode: number;
}

/** The file that a path leads to; undefined when there is none. */
async function presentFile(path: string): Promise<PresentFile | undefined> {
  try {
    const real = await realpath(path);
    const { mode } = await stat(real);
    return { path: real, mode: mode & 0o7777 };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Has the names in a folder on disk. */
export async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!NO_FOLDER_FLUSH.has(codeOf(error))) throw error;
  }
}

/** Ends the name of a file that is being written; a crash may leave one for the next write. */
export const DRAFT = ".new";

/** How a file is replaced. */
export interface Replacement {
  /** Permissions of a new file; the system's usual ones when absent. */
  readonly mode?: number;
  /** A file that is there keeps its permissions, and a link to it stays a link. */
  readonly keeps: boolean;
}

/** Writes a file in a folder that is there; it is complete and on disk, or what it was before. */
export async function replaceFile(
  asked: string,
  content: string | Uint8Array,
  { mode, keeps }: Replacement,
): Promise<void> {
  const present = keeps ? await presentFile(asked) : undefined;
  const path = present?.path ?? asked;
  const draft = `${path}${DRAFT}`;
  // One of a crashed run may have other permissions.
  await rm(draft, { force: true });
  try {
    const handle = await open(draft, "wx", mode);
    try {
      const wanted = present?.mode ?? mode;
      if (wanted !== undefined) await handle.chmod(wanted);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await flushFolder(dirname(path));
}
