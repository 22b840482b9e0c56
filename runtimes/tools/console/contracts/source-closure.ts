/** A source with all that it imports, from the disk. Source: console 4.3 */
import { dirname, join, resolve, sep } from "node:path";
import { readText } from "../../../folder/whole-files.ts";
import {
  importsOf,
  isRelativeImport,
  resolveImport,
  type Sources,
} from "../../../shared/solidity/standard-json.ts";

/** Sources, and which of them is the one that was asked for. */
export interface SourceClosure {
  /** By the names that the compiler knows them by: no folder of this computer is among them. */
  readonly sources: Sources;
  readonly entry: string;
}

/** A source on the disk and its name for the compiler. */
interface Unit {
  readonly name: string;
  readonly path: string;
}

/** True when an import goes above what the importing name says of its folders. */
function goesAbove({ name }: Unit, imported: string): boolean {
  const ups = imported.split("/").filter((part) => part === "..").length;
  return isRelativeImport(imported) && ups > name.split("/").length - 1;
}

async function importedUnit(
  unit: Unit,
  imported: string,
  folders: readonly string[],
): Promise<Unit> {
  const name = resolveImport(unit.name, imported);
  if (isRelativeImport(imported)) return { name, path: resolve(dirname(unit.path), imported) };
  for (const folder of folders) {
    const path = join(folder, imported);
    if ((await readText(path)) !== undefined) return { name, path };
  }
  return { name, path: resolve(dirname(unit.path), imported) };
}

/** All sources; undefined when an import goes above the names that this depth gives. */
async function closureAt(entry: Unit, folders: readonly string[]): Promise<Sources | undefined> {
  const found = new Map<string, string>();
  const waiting = [entry];
  for (let unit = waiting.pop(); unit !== undefined; unit = waiting.pop()) {
    if (found.has(unit.name)) continue;
    const text = await readText(unit.path);
    // The compiler says at the import what is missing.
    if (text === undefined) continue;
    found.set(unit.name, text);
    for (const imported of importsOf(text)) {
      if (goesAbove(unit, imported)) return undefined;
      waiting.push(await importedUnit(unit, imported, folders));
    }
  }
  return found;
}

/**
 * Reads a source and all that it imports: paths that begin with a dot are next to the importing
 * file, others in the folder of the entry or of `libraries`. Bytecode carries a hash of the names,
 * so these are the same on every computer: as short as the imports allow.
 * @param path absolute
 * @param libraries absolute folder
 */
export async function readClosure(path: string, libraries: string): Promise<SourceClosure> {
  const parts = path.split(sep);
  for (let depth = 0; ; depth++) {
    const entry = { name: parts.slice(-1 - depth).join("/"), path };
    const sources = await closureAt(entry, [dirname(path), libraries]);
    if (sources !== undefined) return { sources, entry: entry.name };
    if (depth >= parts.length) return { sources: new Map(), entry: entry.name };
  }
}
