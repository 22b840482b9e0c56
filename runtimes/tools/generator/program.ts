/** The program of nodes: from meta, or of this installation. Source: generator 6, 11 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { NODE_PROGRAM } from "../../folder/node-package.ts";
import { PROGRAM_FOLDER } from "../../folder/node-scripts.ts";
import { isThere, type PlacedFile } from "../../folder/whole-tree.ts";
import { programFiles } from "./distribution/program-files.ts";
import { launcherFiles, programSource } from "./distribution/program-folder.ts";
import { ownPackage } from "./distribution/program-package.ts";

/** What nodes run. */
export type NodeProgram =
  /** A launcher next to each node, and the program once in the folder above. */
  | { readonly kind: "folder"; readonly files: readonly ProgramFile[] }
  /** A file that somebody placed by hand: each node gets a copy. */
  | { readonly kind: "file"; readonly path: string };

interface ProgramFile {
  readonly from: string;
  /** Below the program folder. */
  readonly to: string;
}

/** The program of an exchange area, after it has reported its version. @throws FolderFault */
export async function programIn(meta: string): Promise<NodeProgram> {
  const source = await programSource(meta);
  if (source.kind === "file") return source;
  const entries = await readdir(source.path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((from) => ({ from, to: from.slice(source.path.length + 1) }));
  return { kind: "folder", files };
}

/** That of an exchange area where it has one, else of this installation. @throws FolderFault */
export async function programFor(meta: string): Promise<NodeProgram> {
  if (await isThere(join(meta, NODE_PROGRAM))) return await programIn(meta);
  return await programOfTool();
}

/** That of this installation. @throws FolderFault */
export async function programOfTool(): Promise<NodeProgram> {
  return { kind: "folder", files: await programFiles(await ownPackage(), { page: true }) };
}

/** A program placed by hand, next to a node: another one may be tried at that node alone. */
export function handPlaced(from: string): PlacedFile {
  return { path: NODE_PROGRAM, copyOf: from, isOwn: true };
}

/** The program folder, as below the folder of an agency's nodes. */
export function besideNodes(program: NodeProgram): PlacedFile[] {
  if (program.kind === "file") return [];
  return program.files.map(({ from, to }) => ({ path: join(PROGRAM_FOLDER, to), copyOf: from }));
}

/** The program as it lies in an exchange area. */
export function inExchange(program: NodeProgram): PlacedFile[] {
  if (program.kind === "file") return [handPlaced(program.path)];
  return [...besideNodes(program), ...launcherFiles()];
}
