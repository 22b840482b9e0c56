/** config.ini of the folder that a node is started from. Source: groups 8 */
import { readFile } from "node:fs/promises";
import type { Log } from "../../../core/ports/log.ts";
import {
  type ConfigWarning,
  type Reading,
  warningText,
} from "../../formats/config/config-fault.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { type NodeConfig, readNodeConfig } from "../../formats/config/node-config.ts";

const START_NEXT =
  "Run it in a node's folder, or name the file: chain-node start -c DIR/config.ini";

/**
 * Reads config.ini; `next` is what to do where there is none.
 * @throws ConfigFault, FolderFault; the message names the file and what to do
 */
export async function readSettings(
  path: string,
  next: string = START_NEXT,
): Promise<Reading<NodeConfig>> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new FolderFault("missing", `${path}: there is no such file. ${next}`, { cause });
  });
  return readNodeConfig(text, path);
}

/** Logs what is worth knowing about a file. */
export function logWarnings(warnings: readonly ConfigWarning[], log: Log): void {
  for (const warning of warnings) log.write(warning.level, warningText(warning));
}
