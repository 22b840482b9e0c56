/**
 * `chain-node confirm`: the operator says that no other copy of a node runs. It leaves a signal
 * file, so that it works without the node's RPC and before the node is started.
 * Source: decision 25
 */
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CONFIRM_FILE, confirmText } from "../process/node-signals.ts";
import { readSettings } from "../process/node-settings.ts";

/** Options of `chain-node confirm`. */
export interface ConfirmOptions {
  /** Absent: all groups. */
  readonly group?: number | undefined;
  readonly json: boolean;
}

/** A node that runs takes the file in a tenth of this. */
const PATIENCE_MS = 2_000;
const POLL_MS = 50;

/** Whether a node took the file in time. */
async function isTaken(path: string): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    const present = await stat(path).then(
      () => true,
      () => false,
    );
    if (!present) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** Leaves the word for a node, beside what it has not taken yet. @returns the file's path */
export async function leaveWord(home: string, group: number | undefined): Promise<string> {
  const path = join(home, CONFIRM_FILE);
  const before = await readFile(path, "utf8").catch(() => "");
  // The node never sees half of it.
  const draft = `${path}.new`;
  await writeFile(draft, `${before}${confirmText(group)}`);
  await rename(draft, path);
  return path;
}

/** Leaves the word for the node of a folder. @throws ConfigFault, FolderFault */
export async function runConfirm(folder: string, options: ConfirmOptions): Promise<void> {
  const config = resolve(folder, "config.ini");
  await readSettings(config, "Name a node's folder: chain-node confirm DIR");
  const taken = await isTaken(await leaveWord(dirname(config), options.group));
  const { group = null } = options;
  const meant = group === null ? "all groups" : `group ${group}`;
  const said = taken
    ? `confirmed for ${meant}: the node votes again where it was silent; chain-node status shows it`
    : `noted for ${meant}: the node does not run, it votes again once it is started`;
  const line = JSON.stringify({ folder: dirname(config), group, taken });
  process.stdout.write(`${options.json ? line : said}\n`);
}
