/**
 * Writes a console that runs by itself: scripts, settings, contracts, certificates, and the program
 * with the compilers that are installed here. Source: generator 11; console 1
 */
import { mkdir, rename, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { consoleFolderFiles } from "../../../folder/console-folder.ts";
import { flushFolder } from "../../../folder/durable-folder.ts";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import { PROGRAM_FOLDER } from "../../../folder/node-scripts.ts";
import { CONSOLE_CMD } from "../../../folder/windows-scripts.ts";
import { type FileToWrite, writeAll } from "../../../folder/whole-files.ts";
import { COMPILER_PACKAGES, installCommand } from "../../../shared/solidity/compiler-packages.ts";
import { type WrittenProgram, writeProgram } from "./program-folder.ts";
import type { FoundPackage } from "./program-package.ts";

/** The folder's name. Source: generator 11 */
export const CONSOLE_FOLDER = "console";
/** The folder while it is being written for the first time. */
const STAGING = ".console.new";

/** What a console is written for. */
export interface ConsoleOrder {
  /** Where the folder goes; made if need be. */
  readonly folder: string;
  readonly program: FoundPackage;
  /** Channel ports of nodes, `ip:port`. */
  readonly peers: readonly string[];
  /** JSON-RPC ports of nodes, as URLs. */
  readonly rpc: readonly string[];
  /** Certificates and the key of an SDK, as below `conf`. */
  readonly certificates: readonly FileToWrite[];
}

/** A console that was written. */
export interface WrittenConsole extends WrittenProgram {
  /** Absolute. */
  readonly folder: string;
  /** A console was there: its program and scripts are new, the rest is as it was. */
  readonly isUpgrade: boolean;
  readonly compilers: readonly string[];
  /** How the other ones are installed. */
  readonly missingCompilers: readonly string[];
}

/** What belongs to the user from then on. */
function isUsers({ path }: FileToWrite): boolean {
  return path.startsWith("conf/") || path.startsWith("contracts/");
}

async function fill(
  home: string,
  order: ConsoleOrder,
  isUpgrade: boolean,
): Promise<WrittenProgram> {
  const { program, peers, rpc, certificates } = order;
  const extra = COMPILER_PACKAGES.map(({ alias }) => alias);
  const files = [
    ...certificates.map((file) => ({ ...file, path: `conf/${file.path}` })),
    ...consoleFolderFiles({ peers, rpc }),
    { path: "start.cmd", text: CONSOLE_CMD, use: "text" },
  ] satisfies FileToWrite[];
  const kept = (file: FileToWrite) =>
    isUpgrade && isUsers(file) && existsSync(join(home, file.path));
  const written = await writeProgram(home, program, { page: false, extra });
  await writeAll(
    home,
    files.filter((file) => !kept(file)),
  );
  return written;
}

/** Writes the folder next to its place, which it takes when it is whole. */
async function writeAnew(home: string, order: ConsoleOrder): Promise<WrittenProgram> {
  const parent = resolve(order.folder);
  const staging = join(parent, STAGING);
  try {
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { recursive: true });
    const written = await fill(staging, order, false);
    await rename(staging, home);
    await flushFolder(parent);
    return { ...written, launcher: join(home, "chain-node") };
  } catch (error) {
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
    if (error instanceof FolderFault) throw error;
    const message = `${home} cannot be written: ${reasonOf(error)}.`;
    throw new FolderFault("unusable", message, { cause: error });
  }
}

/**
 * Writes `<folder>/console`, or renews the program of one that is there: settings, accounts and
 * contracts are its user's.
 * @throws FolderFault missing, unusable; exists, when the name is taken by something else
 */
export async function writeConsole(order: ConsoleOrder): Promise<WrittenConsole> {
  const home = resolve(order.folder, CONSOLE_FOLDER);
  const isUpgrade = existsSync(join(home, "conf"));
  if (!isUpgrade && existsSync(home)) {
    const next = "Move it away, or choose another folder.";
    throw new FolderFault("exists", `${home} is there and is no folder of a console. ${next}`);
  }
  const written = isUpgrade ? await fill(home, order, true) : await writeAnew(home, order);
  const isIn = (alias: string) =>
    existsSync(join(home, PROGRAM_FOLDER, "node_modules", alias, "soljson.js"));
  const included = COMPILER_PACKAGES.filter(({ alias }) => isIn(alias));
  const missing = COMPILER_PACKAGES.filter((each) => !included.includes(each));
  return {
    ...written,
    folder: home,
    isUpgrade,
    compilers: included.map(({ version }) => version),
    missingCompilers: missing.map(installCommand),
  };
}
