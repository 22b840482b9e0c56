/** What several files of a run need and none changes is made by the first of them. */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RUN_FOLDER } from "./run-folder.ts";

const POLL_MS = 50;

/**
 * The folder of that name, filled by the first that comes; the others wait. It goes with the run.
 *
 * @param make fills the folder that it is given; files of a name must all give the same
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const run = process.env[RUN_FOLDER];
  if (run === undefined) throw new Error(`${RUN_FOLDER} is not set: the runner's set-up sets it`);
  const [whole, draft] = [join(run, name), join(run, `${name}.making`)];
  while (!existsSync(whole)) {
    if (!claim(draft)) {
      await sleep(POLL_MS);
      continue;
    }
    try {
      // It may have become whole between the two looks.
      if (existsSync(whole)) rmSync(draft, { recursive: true });
      else {
        await make(draft);
        renameSync(draft, whole);
      }
    } catch (error) {
      // Those who wait try it themselves.
      rmSync(draft, { recursive: true, force: true });
      throw error;
    }
  }
  return whole;
}

/** Whether nobody else makes it. */
function claim(draft: string): boolean {
  try {
    mkdirSync(draft);
    return true;
  } catch {
    return false;
  }
}
