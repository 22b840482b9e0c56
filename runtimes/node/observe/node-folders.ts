/** The node folders that a command is about. */
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { FolderFault } from "../../folder/folder-fault.ts";

/** A node's folder. */
export interface NodeFolder {
  /** Its last part, to tell nodes apart. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Path of its config.ini. */
  readonly config: string;
}

const CONFIG = "config.ini";

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

function folderAt(path: string): NodeFolder {
  return { name: basename(path), path, config: join(path, CONFIG) };
}

/**
 * The folder itself when it is a node's, else the nodes in it, in the order of their numbers.
 *
 * @throws FolderFault argument when there is none
 */
export async function findNodeFolders(folder: string): Promise<readonly NodeFolder[]> {
  const path = resolve(folder);
  if (await isFile(join(path, CONFIG))) return [folderAt(path)];
  const names = await readdir(path).catch((cause: unknown) => {
    throw new FolderFault("argument", `${path}: there is no such folder.`, { cause });
  });
  names.sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
  const found: NodeFolder[] = [];
  for (const name of names)
    if (await isFile(join(path, name, CONFIG))) found.push(folderAt(join(path, name)));
  if (found.length > 0) return found;
  const next = "Name a node's folder, or one that chain-node init has written.";
  throw new FolderFault("argument", `${path} holds no config.ini and no folder of a node. ${next}`);
}
