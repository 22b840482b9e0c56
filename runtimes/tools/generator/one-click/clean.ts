/** one_click_generator.sh -clean: empties the exchange area. Source: generator 9.3 */
import { readdir, rm } from "node:fs/promises";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import { inMeta, type ToolContext } from "../context.ts";

/** What is offered to be removed. */
const CLEANED = /^node_|\.crt$|\.key$/;

/**
 * Removes what it is told to remove.
 *
 * @param confirm is asked about each
 * @throws FolderFault unusable
 */
export async function cleanMeta(
  context: ToolContext,
  confirm: (question: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const names = await readdir(inMeta(context)).catch(() => []);
  const removed: string[] = [];
  for (const name of names.filter((each) => CLEANED.test(each)).sort()) {
    const path = inMeta(context, name);
    if (!(await confirm(`delete ${path}? (y/n) `))) continue;
    await rm(path, { recursive: true }).catch((cause: unknown) => {
      const message = `${path} cannot be removed: ${reasonOf(cause)}.`;
      throw new FolderFault("unusable", message, { cause });
    });
    removed.push(path);
  }
  return removed;
}
