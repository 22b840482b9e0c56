/**
 * Writes the program next to nodes: `chain-node`, a launcher, and `chain-node.d` with all that it
 * runs but Node.js itself. Complete or not at all: what is there serves until the new one is.
 * Source: generator 11
 */
import { copyFile, cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { flushFolder } from "../../../folder/durable-folder.ts";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import {
  FORMER_ENDING,
  isLauncher,
  launcherScript,
  PROGRAM_ENTRY,
  PROGRAM_FOLDER,
} from "../../../folder/node-scripts.ts";
import { LAUNCHER_CMD } from "../../../folder/windows-scripts.ts";
import { writeWhole } from "../../../folder/whole-files.ts";
import { isThere } from "../../../folder/whole-tree.ts";
import { platformsIn, type ProgramPlatforms } from "./native-platforms.ts";
import { programFiles, type ProgramContents } from "./program-files.ts";
import { type FoundPackage, PRODUCT } from "./program-package.ts";
import { versionLine } from "./program-version.ts";

/** Ends the name of a program folder that is being written. */
const STAGING_ENDING = ".new";

/** A program that was written. */
export interface WrittenProgram {
  readonly launcher: string;
  /** What it prints with `-v`, first line. */
  readonly version: string;
  readonly platforms: ProgramPlatforms;
}

/** Puts a program folder in its place; the former one serves until then, and if that fails. */
async function install(staging: string, folder: string): Promise<void> {
  const former = `${folder}${FORMER_ENDING}`;
  if (await isThere(folder)) {
    await rm(former, { recursive: true, force: true });
    await rename(folder, former);
  }
  try {
    await rename(staging, folder);
  } catch (error) {
    if (await isThere(former)) await rename(former, folder);
    throw error;
  }
  await flushFolder(dirname(folder));
  await rm(former, { recursive: true, force: true });
}

/**
 * Fills `chain-node.d` in a folder, through one next to it.
 * @throws FolderFault unusable, with the platform's reason; what was there is there still
 */
async function replaceProgramFolder<Told>(
  home: string,
  fill: (staging: string) => Promise<Told>,
): Promise<Told> {
  const folder = join(home, PROGRAM_FOLDER);
  const staging = `${folder}${STAGING_ENDING}`;
  try {
    await mkdir(home, { recursive: true });
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging);
    const told = await fill(staging);
    await install(staging, folder);
    return told;
  } catch (error) {
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
    if (error instanceof FolderFault) throw error;
    const message = `${folder} cannot be written: ${reasonOf(error)}.`;
    throw new FolderFault("unusable", message, { cause: error });
  }
}

/** What the launchers in these places run: the folder next to them, on any host. */
const ANYWHERE = { runtime: "", entry: "" };

/** The launchers of a folder, for both families of systems. */
export function launcherFiles() {
  return [
    { path: PRODUCT, text: launcherScript(ANYWHERE), use: "script" },
    { path: `${PRODUCT}.cmd`, text: LAUNCHER_CMD, use: "text" },
  ] as const;
}

/** Copies a program; gives its version line. */
async function copyAll(
  staging: string,
  program: FoundPackage,
  contents: ProgramContents,
): Promise<string> {
  const made = new Set<string>();
  for (const { from, to } of await programFiles(program, contents)) {
    const path = join(staging, to);
    const parent = dirname(path);
    if (!made.has(parent)) await mkdir(parent, { recursive: true });
    made.add(parent);
    await copyFile(from, path);
  }
  // Nothing takes the place of a program before it has run.
  return await versionLine(process.execPath, [join(staging, PROGRAM_ENTRY)]);
}

/**
 * Writes the program of a package into a folder, which is made if need be. No network is used.
 * @throws FolderFault missing, when the package lacks what a program needs; unusable, when the
 *   folder cannot be written or the program does not run here; what was there is there still
 */
export async function writeProgram(
  folder: string,
  program: FoundPackage,
  contents: ProgramContents = { page: true },
): Promise<WrittenProgram> {
  const home = resolve(folder);
  const version = await replaceProgramFolder(home, (staging) =>
    copyAll(staging, program, contents),
  );
  // The launcher comes last: where it is, the program is whole.
  for (const file of launcherFiles()) await writeWhole(home, file);
  const platforms = await platformsIn(join(home, PROGRAM_FOLDER));
  return { launcher: join(home, PRODUCT), version, platforms };
}

/** What a folder has to give to nodes. */
export type ProgramSource =
  /**
   * A launcher with its program folder next to it: nodes get launchers, their parent the folder.
   */
  | { readonly kind: "folder"; readonly path: string }
  /** Another file, placed by hand: each node gets a copy. */
  | { readonly kind: "file"; readonly path: string };

/**
 * What `<folder>/chain-node` is, after it has reported its version.
 * @param folder usually `meta`
 * @throws FolderFault missing, when it is not there; unusable, when it is another product's
 */
export async function programSource(
  folder: string,
): Promise<ProgramSource & { readonly version: string }> {
  const file = resolve(folder, PRODUCT);
  if (!(await isThere(file))) {
    const next = `generator --download_${PRODUCT} ${folder} writes it`;
    throw new FolderFault("missing", `${file} is not there: ${next}, or place a program there.`);
  }
  const beside = resolve(folder, PROGRAM_FOLDER);
  const entry = join(beside, PROGRAM_ENTRY);
  // A program that was put in the launcher's place is what its owner wants.
  const isOurs = (await isThere(entry)) && isLauncher(await readFile(file, "latin1"));
  if (!isOurs) return { kind: "file", path: file, version: await versionLine(file) };
  // Not through the launcher, which examines the environment first, and which Windows cannot run.
  return { kind: "folder", path: beside, version: await versionLine(process.execPath, [entry]) };
}

/**
 * Copies a program folder into the parent of nodes; one that is there is replaced: an upgrade.
 * @param from a folder {@link PROGRAM_FOLDER}
 * @param to where it goes, under that name
 * @throws FolderFault unusable; what was there is there still
 */
export async function copyProgramFolder(from: string, to: string): Promise<void> {
  await replaceProgramFolder(resolve(to), async (staging) => {
    await cp(from, staging, { recursive: true });
  });
}
