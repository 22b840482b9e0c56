/**
 * `chain-node confirm`: the operator says that no other copy of a node runs. Where the node has no
 * control socket, or does not run yet, a signal file is left for it. Source: decision 25
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { confirmBySocket } from "../client/control-client.ts";
import { CONFIRM_FILE, confirmText as fileText } from "../process/node-signals.ts";
import { readSettings } from "../process/node-settings.ts";
import { isThere } from "../store/folder-presence.ts";

/** A node that runs takes the file in a tenth of this. */
const PATIENCE_MS = 2_000;
const POLL_MS = 50;

/** Whether a node took the file in time. */
async function isTaken(path: string): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    if (!(await isThere(path))) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** Leaves the word for a node, next to what it has not taken yet. @returns the file's path */
export async function leaveWord(home: string, group: number | undefined): Promise<string> {
  const path = join(home, CONFIRM_FILE);
  const before = await readFile(path, "utf8").catch(() => "");
  // The node never sees half of it.
  const draft = `${path}.new`;
  await writeFile(draft, `${before}${fileText(group)}`);
  await rename(draft, path);
  return path;
}

/** What was done, for people. */
function confirmText({
  group,
  groups,
  taken,
}: {
  group: number | null;
  groups: readonly number[] | null;
  taken: boolean;
}): string {
  const meant = group === null ? "all groups" : `group ${group}`;
  if (groups?.length === 0)
    return `nothing was silent: ${meant} of this node needed no word; chain-node status shows them`;
  const which = groups ? `group ${groups.join(", ")}` : meant;
  if (taken) return `confirmed for ${which}: the node votes again; chain-node status shows it`;
  return `noted for ${meant}: the node does not run, it votes again once it is started`;
}

/** Informs the node of a folder, or leaves the word for it. @throws ConfigFault, FolderFault */
export async function runConfirm(
  folder: string,
  options: { readonly group?: number | undefined; readonly json: boolean },
): Promise<void> {
  const config = resolve(folder, "config.ini");
  await readSettings(config, "Name a node's folder: chain-node confirm DIR");
  const home = dirname(config);
  const { group = null, json } = options;
  // Through the control socket the node reports at once what it did.
  const groups = (await confirmBySocket(home, options.group)) ?? null;
  const taken = groups !== null || (await isTaken(await leaveWord(home, options.group)));
  const told = { folder: home, group, taken, groups };
  process.stdout.write(`${json ? JSON.stringify(told) : confirmText(told)}\n`);
}
