/** The node folders that a command is about. */
import { readdir } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { FolderFault } from "../../folder/folder-fault.ts";
import { isFile } from "../store/folder-presence.ts";

/** A node's folder. */
export interface NodeFolder {
  /** Its last part, to distinguish nodes. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Path of its config.ini. */
  readonly config: string;
}

const CONFIG = "config.ini";
/** In the folder of templates of a deployment tool, which has a config.ini too. */
const TEMPLATE = "group.i.genesis";
/** How far below a folder nodes are looked for to name them, and in how many folders of a level. */
const HINT_LEVELS = 3;
const HINT_FOLDERS = 64;

function folderAt(path: string): NodeFolder {
  return { name: basename(path), path, config: join(path, CONFIG) };
}

/** The nodes in a folder, in the order of their numbers. */
async function nodesIn(path: string): Promise<readonly NodeFolder[]> {
  const names = await readdir(path);
  names.sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
  const found: NodeFolder[] = [];
  for (const name of names) {
    const place = join(path, name);
    if (!(await isFile(join(place, CONFIG))) || (await isFile(join(place, TEMPLATE)))) continue;
    found.push(folderAt(place));
  }
  return found;
}

/** Folders below with nodes in them. */
async function placesBelow(path: string, levels = HINT_LEVELS): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const places: string[] = [];
  for (const entry of entries.slice(0, HINT_FOLDERS)) {
    if (!entry.isDirectory()) continue;
    const place = join(path, entry.name);
    if ((await nodesIn(place).catch(() => [])).length > 0) places.push(place);
    else if (levels > 1) places.push(...(await placesBelow(place, levels - 1)));
  }
  return places;
}

/**
 * The folder itself when it is a node's, else the nodes in it.
 * @throws FolderFault argument when there is none; names the folders below that have some
 */
export async function findNodeFolders(folder: string): Promise<readonly NodeFolder[]> {
  const path = resolve(folder);
  if (await isFile(join(path, CONFIG))) return [folderAt(path)];
  const found = await nodesIn(path).catch((cause: unknown) => {
    throw new FolderFault("argument", `${path}: there is no such folder.`, { cause });
  });
  if (found.length > 0) return found;
  const places = (await placesBelow(path)).map((place) => relative(path, place));
  const next =
    places.length > 0
      ? `Nodes are in ${places.join(", ")}: name one of these.`
      : "Name a node's folder, or one that chain-node init has written.";
  throw new FolderFault("argument", `${path} holds no config.ini and no folder of a node. ${next}`);
}
