/** What a write of a whole file needs besides the file: its real place, and a flushed folder. */
import { open, realpath, stat } from "node:fs/promises";

/** What systems answer that cannot flush a folder. */
const NO_FOLDER_FLUSH = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"]);

/** The code of a failure of the platform; empty when it has none. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** A file that is there already. */
export interface PresentFile {
  /** Behind all links. */
  readonly path: string;
  /** Its permissions. */
  readonly mode: number;
}

/** The file that a path leads to; undefined when there is none. */
export async function presentFile(path: string): Promise<PresentFile | undefined> {
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
