/** Set up once for a run: a folder for what the threads of the runner leave when it ends them. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The variable that names the folder. */
export const RUN_FOLDER = "CHAIN_NODE_RUN_FOLDER";

const TRIES = 100;
const PAUSE_MS = 100;

/**
 * A browser that is ending writes into its profile while that is removed. The retries of `rm` do
 * not look again at what is in a folder.
 */
async function remove(folder: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** Makes it; what is returned removes it. */
export default function makeRunFolder(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "chain-node-run-"));
  process.env[RUN_FOLDER] = folder;
  return () => remove(folder);
}
