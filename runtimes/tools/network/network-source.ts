/** Where networks are described: one file, or the classic files of agencies in a folder. */
import { stat } from "node:fs/promises";
import { readClassicFolder } from "./classic-files.ts";
import { readNetworkFile } from "./network-file.ts";
import type { NetworkSpec } from "./network-spec.ts";

/** Reads what a path names. @throws FolderFault, ConfigFault */
export async function readNetwork(path: string): Promise<NetworkSpec> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? readClassicFolder(path) : readNetworkFile(path);
}
