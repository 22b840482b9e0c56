/**
 * The folder of a node, held by one process: which chain its ledgers are of is remembered in it.
 * Source: groups 1, 8; decision 25
 */
import { dirname, join, resolve } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";

/** What stands in a node's data folder before the node has ever run. Source: groups 1, 4 */
export const GROUP_FOLDER = /^group\d+$/;

/** Below the group's folder, as the reference's `block/RocksDB`. Source: groups 1 */
const LEDGER_FOLDER = "block";

/** The folder of a group's ledger. Source: groups 1 */
export function ledgerFolder(dataPath: string, groupId: number): string {
  return join(dataPath, `group${groupId}`, LEDGER_FOLDER);
}

/** What an operator should do; the words of a development chain would mislead. */
function withNextStep(cause: StoreFault, path: string, { chain }: NodeConfig): StoreFault {
  const next = {
    locked: "This node is running already. To start it anew, stop that process first.",
    foreign: `Check [group] group_data_path and [chain] id (${chain.chainId}) in ${path}.`,
    version: "Start it with the release that wrote it.",
    corrupt: "Otherwise restore the folder from a copy.",
    unwritable: "Run it as the user that the folder belongs to.",
    io: "Check the disk.",
    full: "Make space on the disk.",
  }[cause.kind];
  return new StoreFault(cause.kind, `${cause.message}. ${next}`, { cause });
}

/**
 * Takes the folder with the node's ledgers for this process. The system gives it free when the
 * process ends in any way, and a copy of the folder is not held.
 * @param path config.ini, absolute
 * @throws StoreFault locked (another process), foreign (ledgers of another chain, or not ours)
 */
export async function holdFolder(
  path: string,
  config: NodeConfig,
  now: number,
): Promise<DataFolder> {
  const folder = resolve(dirname(path), config.groups.dataPath);
  const mayHold = (name: string) => GROUP_FOLDER.test(name);
  const { chainId } = config.chain;
  return openDataFolder(folder, { chainId, now, mayHold }).catch((cause: unknown) => {
    throw cause instanceof StoreFault ? withNextStep(cause, path, config) : cause;
  });
}
