/** Whether folders and files are there. */
import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";

/** What the system says of a path; undefined when there is nothing, or it does not say. */
export function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/** Whether there is such a folder. */
export async function isFolder(path: string): Promise<boolean> {
  return (await statOf(path))?.isDirectory() ?? false;
}

/** Whether there is anything of that name. */
export async function isThere(path: string): Promise<boolean> {
  return (await statOf(path)) !== undefined;
}

/** Whether there is such a file. */
export async function isFile(path: string): Promise<boolean> {
  return (await statOf(path))?.isFile() ?? false;
}
