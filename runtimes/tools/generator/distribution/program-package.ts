/** The package that this program runs from, and what the program needs of it. */
import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import { INSTALLED_VARIABLE, PROGRAM_ENTRY } from "../../../folder/node-scripts.ts";
import { readText } from "../../../folder/whole-files.ts";

/** Name of the package, and the word that a version line must have. Source: generator 11 */
export const PRODUCT = "chain-node";
/** Packages with native parts, which bundles leave outside: without the first no node starts. */
export const STORE_PACKAGE = "classic-level";
/** What signs natively; there is a fallback in WebAssembly. */
export const SIGNATURE_PACKAGE = "secp256k1";
/** Packages that bundles leave outside because most nodes never load them. */
const OPTIONAL_SCOPES = /^@(?:opentelemetry|koromix)\//;

/** A package on disk. */
export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  /** Absolute, behind all links. */
  readonly folder: string;
  /** Names of what it depends on; those behind `optional` may be missing. */
  readonly needs: readonly string[];
  readonly optional: readonly string[];
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** What a package.json says; undefined when there is none. @throws FolderFault unusable */
async function manifestIn(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, "package.json");
  const text = await readText(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Manifest;
  } catch (cause) {
    throw new FolderFault("unusable", `${path} is no JSON: ${reasonOf(cause)}.`, { cause });
  }
}

/** The package in a folder; undefined when there is none. @throws FolderFault unusable */
export async function packageIn(folder: string): Promise<FoundPackage | undefined> {
  const manifest = await manifestIn(folder);
  if (manifest?.name === undefined) return undefined;
  const optional = Object.keys(manifest.optionalDependencies ?? {});
  const needed = Object.keys(manifest.dependencies ?? {});
  return {
    name: manifest.name,
    version: manifest.version ?? "0.0.0",
    folder: await realpath(folder),
    needs: needed.filter((name) => !optional.includes(name)),
    optional: [...optional, ...Object.keys(manifest.peerDependencies ?? {})],
  };
}

/**
 * The package of this program: the one that the running code lies in, in a checkout, an
 * installation, or a program folder that was written before.
 * @param from a file of the program; this one when absent
 * @throws FolderFault missing, when the code lies in none, or nothing is built
 */
export async function ownPackage(from = fileURLToPath(import.meta.url)): Promise<FoundPackage> {
  for (let folder = dirname(await realpath(from)); ; folder = dirname(folder)) {
    const found = await packageIn(folder);
    if (found?.name === PRODUCT) return await requireBuilt(found);
    if (folder === dirname(folder)) break;
  }
  throw new FolderFault("missing", `${from} is in no package of ${PRODUCT}: install it anew.`);
}

/** @throws FolderFault missing, when the package has no program in it */
export async function requireBuilt(found: FoundPackage): Promise<FoundPackage> {
  const entry = join(found.folder, PROGRAM_ENTRY);
  try {
    await readFile(entry);
  } catch (cause) {
    const next = "In a checkout, npm run build makes it; else install the package anew.";
    throw new FolderFault("missing", `${entry} is not there. ${next}`, { cause });
  }
  return found;
}

/** A package as Node finds it from a folder; undefined when it is not installed. */
async function installedFrom(folder: string, name: string): Promise<FoundPackage | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    const found = await packageIn(join(place, "node_modules", name));
    if (found) return found;
    if (place === dirname(place)) return undefined;
  }
}

/** A package and where it goes, below the folder that `node_modules` is in. */
export interface PlacedPackage extends FoundPackage {
  /** As its dependents call it; may differ from its name. */
  readonly alias: string;
  /** Such as `node_modules/classic-level`. */
  readonly place: string;
}

/** What a bundle needs of node_modules, by what its package.json says. */
export function outsideNames({ needs, optional }: FoundPackage): {
  readonly needed: readonly string[];
  readonly wanted: readonly string[];
} {
  const others = [...needs, ...optional].filter((name) => OPTIONAL_SCOPES.test(name));
  return { needed: [STORE_PACKAGE], wanted: [SIGNATURE_PACKAGE, ...others] };
}

/** Walks dependencies; each package gets one place, unless another version has it already. */
class Closure {
  readonly #placed = new Map<string, PlacedPackage>();

  get packages(): readonly PlacedPackage[] {
    return [...this.#placed.values()];
  }

  /**
   * @param dependent who needs it
   * @param above where the dependent goes; empty for the program itself
   * @param isAlone leaves out what it depends on
   * @returns whether it is installed
   */
  async add(
    alias: string,
    dependent: FoundPackage,
    above: string,
    isAlone = false,
  ): Promise<boolean> {
    const found = await installedFrom(dependent.folder, alias);
    if (!found) return false;
    const top = `node_modules/${alias}`;
    const taken = this.#placed.get(top);
    if (taken?.folder === found.folder) return true;
    const place = taken && above !== "" ? `${above}/${top}` : top;
    if (this.#placed.has(place)) return true;
    this.#placed.set(place, { ...found, alias, place });
    if (isAlone) return true;
    for (const name of found.needs) {
      if (await this.add(name, found, place)) continue;
      const said = `${found.folder} needs the package ${name}, which is not installed`;
      throw new FolderFault("missing", `${said}: run npm install where chain-node is installed.`);
    }
    for (const name of found.optional) await this.add(name, found, place);
    return true;
  }
}

/**
 * Where packages may be installed: next to the program, and next to the host's own installation.
 */
async function installationsOf(program: FoundPackage): Promise<readonly FoundPackage[]> {
  const entry = process.env[INSTALLED_VARIABLE];
  if (entry === undefined) return [program];
  const installed = await packageIn(entry.slice(0, -PROGRAM_ENTRY.length));
  return installed ? [program, installed] : [program];
}

/**
 * The packages of node_modules that a program needs besides its bundles, with all that those need.
 * @param extra further packages, by alias, that are taken along where they are installed, without
 *   what they depend on
 * @throws FolderFault missing, when one that is needed is not installed
 */
export async function packagesOutside(
  program: FoundPackage,
  extra: readonly string[] = [],
): Promise<readonly PlacedPackage[]> {
  const closure = new Closure();
  const { needed, wanted } = outsideNames(program);
  for (const name of needed) {
    if (await closure.add(name, program, "")) continue;
    const said = `the package ${name} is not installed next to ${program.folder}`;
    throw new FolderFault("missing", `${said}: run npm install where chain-node is installed.`);
  }
  for (const name of wanted) await closure.add(name, program, "");
  const others = await installationsOf(program);
  for (const name of extra) {
    for (const place of others) if (await closure.add(name, place, "", true)) break;
  }
  return closure.packages;
}
