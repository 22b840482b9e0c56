/** The classic files of agencies as a network. Source: generator 3; interface 2.7 */
import { FolderFault } from "../../folder/folder-fault.ts";
import type { NetworkSpec } from "./network-spec.ts";

/** Placeholder */
export async function readClassicFolder(path: string): Promise<NetworkSpec> {
  throw new FolderFault("argument", `${path}: not yet.`);
}
