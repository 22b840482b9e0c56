/** Which files a program folder has, and where they come from. */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type FoundPackage, packagesOutside } from "./program-package.ts";

/** A file to copy: from an absolute path to one below the program folder. */
export interface CopiedFile {
  readonly from: string;
  readonly to: string;
}

/** What a program is for: decides what it brings. */
export interface ProgramContents {
  /** The page that nodes serve. */
  readonly page: boolean;
  /** Packages, by alias, that are taken along where they are installed, each alone. */
  readonly extra?: readonly string[];
}

/** Of the package itself, besides what lies in dist. */
const OWN_FILES = ["package.json", "LICENSE"];
const NODE_PART = "dist/node";
const PAGE_PART = "dist/web";
/** The page that a benchmark puts its figures into. */
const REPORT_PART = "dist/report";
/** Below the page: made for servers that only have files; a node serves the packages' own. */
const COMPILERS = "compilers";
/** Below a package: its own dependencies are placed apart, and Node.js never loads `esnext`. */
const NOT_OF_PACKAGES = ["node_modules", "esnext"];
/** Sources, declarations, maps and documents: nothing that runs. */
const IDLE = /\.(map|[cm]?ts|tsx|md|markdown|gypi?|cc?|cpp|h|hpp|o|d|tsbuildinfo|tmp)$/i;
const LICENCE = /^(licen[sc]e|notice|copying)/i;

function runs(name: string): boolean {
  return LICENCE.test(name) || !IDLE.test(name);
}

/** Files below a folder by their paths in it, in order; whole folders are left out by name. */
async function filesBelow(folder: string, leftOut: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    if (entry.isDirectory()) {
      if (leftOut.includes(entry.name)) continue;
      const inner = await filesBelow(join(folder, entry.name), leftOut);
      found.push(...inner.map((path) => `${entry.name}/${path}`));
    } else if (entry.isFile()) {
      found.push(entry.name);
    }
  }
  return found;
}

async function copiesOf(
  folder: string,
  to: string,
  leftOut: readonly string[],
): Promise<readonly CopiedFile[]> {
  const paths = await filesBelow(folder, leftOut);
  const kept = paths.filter((path) => runs(basename(path)));
  return kept.map((path) => ({ from: join(folder, path), to: `${to}/${path}` }));
}

/**
 * All files of a program folder.
 * @throws FolderFault missing, when a package that is needed is not installed
 */
export async function programFiles(
  program: FoundPackage,
  { page, extra = [] }: ProgramContents,
): Promise<readonly CopiedFile[]> {
  const { folder } = program;
  const present = await readdir(folder);
  const own = OWN_FILES.filter((name) => present.includes(name));
  const files = own.map((name) => ({ from: join(folder, name), to: name }));
  // A console's program has no page to hand on.
  for (const part of [NODE_PART, REPORT_PART, ...(page ? [PAGE_PART] : [])]) {
    const isThere = (await readdir(join(folder, part)).catch(() => [])).length > 0;
    if (isThere || part === NODE_PART)
      files.push(...(await copiesOf(join(folder, part), part, [COMPILERS])));
  }
  for (const outside of await packagesOutside(program, extra))
    files.push(...(await copiesOf(outside.folder, outside.place, NOT_OF_PACKAGES)));
  return files;
}
