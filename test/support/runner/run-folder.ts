/**
 * Set up once for a run: where temporary folders are, and one of them for what the threads of the
 * runner leave when it ends them.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
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

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";
/** Below this it might get full during a run. */
const LEAST_FREE_BYTES = 8 * 1024 ** 3;

/** Whether files can be kept there, and programs run from there. */
function isUsable(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < LEAST_FREE_BYTES) return false;
    const own = mkdtempSync(join(folder, "chain-node-try-"));
    try {
      const program = join(own, "program");
      writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
      return spawnSync(program).status === 0;
    } finally {
      rmSync(own, { recursive: true });
    }
  } catch {
    return false;
  }
}

/** Names the process of the run, too. */
const RUN_NAME = /^chain-node-run-(\d+)-/;

/** Folders of runs that were killed would take up memory for good. */
function removeForsaken(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = RUN_NAME.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

/**
 * Makes it; what is returned removes it. Tests write thousands of small files that are flushed to
 * disk one by one: what a disk would keep of them is shown by tests that cut power off in a model
 * of one. In memory that takes no time.
 */
export default function makeRunFolder(): () => Promise<void> {
  const isInMemory = process.env["TMPDIR"] === undefined && isUsable(MEMORY);
  if (isInMemory) removeForsaken();
  const place = isInMemory ? MEMORY : tmpdir();
  const folder = mkdtempSync(join(place, `chain-node-run-${process.pid}-`));
  process.env[RUN_FOLDER] = folder;
  if (isInMemory) process.env["TMPDIR"] = folder;
  return () => remove(folder);
}
