/** Files of a chain on disk: written whole or not at all, keys readable by their owner only. */
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFile } from "./durable-folder.ts";
import { FolderFault, reasonOf } from "./folder-fault.ts";

/** Who may read a file: keys belong to their owner, scripts can be run. */
export type FileUse = "key" | "script" | "text";

/** A file to write; the path is relative to the folder it belongs to. */
export interface FileToWrite {
  readonly path: string;
  readonly text: string;
  readonly use: FileUse;
}

/** Permissions of new files. Source: generator 5 */
export const FILE_MODES: Readonly<Record<FileUse, number>> = {
  key: 0o600,
  script: 0o755,
  text: 0o644,
};
/** Permissions of folders that hold keys. Source: generator 5 */
export const KEY_FOLDER_MODE = 0o700;
/** Permissions of other folders: a umask that is missing opens them to writing by no other user. */
export const FOLDER_MODE = 0o755;

/**
 * Writes a file and the folders above it, through a draft next to it that takes its name when it is
 * complete and on disk. What is there keeps its permissions, and a link to it stays a link; a key
 * is its owner's in any case.
 * @throws FolderFault unusable, with the platform's reason
 */
export async function writeWhole(folder: string, file: FileToWrite): Promise<void> {
  const asked = join(folder, file.path);
  const isKey = file.use === "key";
  try {
    await mkdir(dirname(asked), { recursive: true, ...(isKey ? { mode: KEY_FOLDER_MODE } : {}) });
    await replaceFile(asked, file.text, { mode: FILE_MODES[file.use], keeps: !isKey });
  } catch (error) {
    const message = `${asked} cannot be written: ${reasonOf(error)}.`;
    throw new FolderFault("unusable", message, { cause: error });
  }
}

/**
 * Writes files in the order given; keys should come first in their folder, so that it is made for
 * their owner only.
 */
export async function writeAll(folder: string, files: readonly FileToWrite[]): Promise<void> {
  for (const file of files) await writeWhole(folder, file);
}

/**
 * The text of a file; undefined when there is none.
 * @throws FolderFault unusable when it is there and cannot be read
 */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const message = `${path} cannot be read: ${reasonOf(error)}.`;
    throw new FolderFault("unusable", message, { cause: error });
  }
}
