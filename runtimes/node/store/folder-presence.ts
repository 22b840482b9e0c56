/** Whether folders are there. */
import { stat } from "node:fs/promises";

/** Whether there is such a folder. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
