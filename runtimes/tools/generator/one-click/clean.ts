/** one_click_generator.sh -clean: empties the exchange area. Source: generator 9.3 */
import { readdir, rm } from "node:fs/promises";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import { inMeta, type ToolContext } from "../context.ts";
import { LEFT_OVER } from "./agency-folders.ts";

/** What is offered to be removed, with all that stands in the way of -b and -e. */
const CLEANED = /^node_|\.crt$|\.key$/;

/** What can be removed, absolute, in order. */
export async function cleanableIn(context: ToolContext): Promise<readonly string[]> {
  const names = await readdir(inMeta(context)).catch(() => []);
  const found = names.filter((name) => CLEANED.test(name) || LEFT_OVER.test(name));
  return found.sort().map((name) => inMeta(context, name));
}

/**
 * Removes what it is told to remove.
 * @param confirm is asked about each
 * @throws FolderFault unusable
 */
export async function removeItems(
  paths: readonly string[],
  confirm: (question: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const path of paths) {
    if (!(await confirm(`delete ${path}? (y/n) `))) continue;
    await rm(path, { recursive: true }).catch((cause: unknown) => {
      const message = `${path} cannot be removed: ${reasonOf(cause)}.`;
      throw new FolderFault("unusable", message, { cause });
    });
    removed.push(path);
  }
  return removed;
}
