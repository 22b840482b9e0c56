/**
 * What the monitor remembers from run to run: a number in a file next to each node, named as other
 * tools name them. Source: generator 10.3
 */
import { join } from "node:path";
import type { NodeFolder } from "../observe/node-folders.ts";
import { readText, writeWhole } from "../../folder/whole-files.ts";

type SampleKind = "height" | "view" | "processor";

function fileOf({ name }: NodeFolder, kind: SampleKind, group: number | undefined): string {
  return group === undefined ? `${name}.${kind}` : `${name}.${group}.${kind}`;
}

/**
 * Takes a sample in the place of the last one.
 * @returns the last one; undefined on the first run
 * @throws FolderFault unusable, when the node's folder cannot be read or written
 */
export async function takeSample(
  folder: NodeFolder,
  kind: SampleKind,
  value: string,
  group?: number,
): Promise<string | undefined> {
  const file = fileOf(folder, kind, group);
  const last = await readText(join(folder.path, file));
  await writeWhole(folder.path, { path: file, text: `${value}\n`, use: "text" });
  const text = last?.trim();
  return text === "" ? undefined : text;
}
