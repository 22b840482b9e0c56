/**
 * Where the ledgers of a node lie, and with what they are read: the folder of a node, its data
 * folder, or the data folder of `chain-node dev`. Source: groups 1
 */
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { ChainConfig } from "../../../core/model/config.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { codeOf } from "../../folder/durable-folder.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { readGenesisFile } from "../../formats/config/genesis-file.ts";
import { readGroupFile } from "../../formats/config/group-file.ts";
import { readNodeConfig } from "../../formats/config/node-config.ts";
import { MADE_MARK } from "./copy-guard.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { isFolder } from "./folder-presence.ts";
import { settleLedger } from "./installed-ledger.ts";
import { checkDatabaseFiles } from "./level-files/database-files.ts";
import { GROUP_FOLDER, ledgerFolder } from "./node-folder.ts";
import { type LevelStore, openLevelStore } from "./store.ts";

/** A node whose ledgers are looked at. */
export interface NodePlace {
  /** Last part of its folder, to tell nodes apart. */
  readonly name: string;
  /** Absolute. */
  readonly home: string;
  /** Folder that one process at a time holds; absolute. */
  readonly dataPath: string;
  readonly configPath: string;
  readonly chain: ChainConfig;
  /** Whether it is of a development chain, whose first group has no files. */
  readonly isDev: boolean;
  folderOf(groupId: number): string;
}

/** One ledger. */
export interface LedgerPlace {
  readonly node: NodePlace;
  readonly groupId: number;
  /** Of its database; absolute. */
  readonly folder: string;
  /** Where its files are lent, when its node runs and writes `folder`. */
  readonly files?: string;
}

/** What `chain-node dev` writes beside the folders of its nodes. */
const DEV_CHAIN_FILE = "chain.json";
const DEV_NODE = /^node\d+$/;
const DEV_CHAIN_ID = 1;
const DEV_GROUP_ID = 1;
/** How far above a data folder its config.ini is looked for. */
const LEVELS_ABOVE = 3;

/** The text of a file; undefined when it is not there. */
export async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined;
    throw new FolderFault("unusable", `${path} cannot be read (${codeOf(cause)})`, { cause });
  });
}

/** In the order of their numbers; none where there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
}

/** The node whose folder holds config.ini; undefined when there is no such file. */
export async function nodeAt(folder: string): Promise<NodePlace | undefined> {
  const home = resolve(folder);
  const path = join(home, "config.ini");
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const { chain, groups } = readNodeConfig(text, path).value;
  const dataPath = resolve(home, groups.dataPath);
  return {
    name: basename(home),
    home,
    dataPath,
    configPath: resolve(home, groups.configPath),
    chain,
    isDev: false,
    folderOf: (groupId) => ledgerFolder(dataPath, groupId),
  };
}

/** As {@link nodeAt}. @throws FolderFault when the folder is no node's */
export async function requireNode(folder: string): Promise<NodePlace> {
  const node = await nodeAt(folder);
  if (node) return node;
  const path = join(resolve(folder), "config.ini");
  throw new FolderFault("missing", `${path} is not there: name a node's folder`);
}

/**
 * A node by its folder, also one of a development chain: enough to read its ledgers.
 * @throws FolderFault missing
 */
export async function requireReadable(folder: string): Promise<NodePlace> {
  const node = (await nodeAt(folder)) ?? (await devNode(resolve(folder)));
  if (node) return node;
  const [first] = await devNodes(resolve(folder));
  if (!first) return requireNode(folder);
  throw new FolderFault("missing", `${folder} holds several nodes: name one, as ${first.home}`);
}

async function devNode(path: string): Promise<NodePlace | undefined> {
  return (await devNodes(dirname(path))).find(({ home }) => home === path);
}

/** The nodes of a development chain. */
async function devNodes(path: string): Promise<readonly NodePlace[]> {
  const text = await textOf(join(path, DEV_CHAIN_FILE));
  if (text === undefined) return [];
  const chain = {
    chainId: DEV_CHAIN_ID,
    nationalCrypto: text.includes('"sm":true'),
    supportedVersion: NEWEST_VERSION,
  };
  const names = (await namesIn(path)).filter((name) => DEV_NODE.test(name));
  return names.map((name) => {
    const home = join(path, name);
    const folderOf = (groupId: number) => join(home, `group${groupId}`);
    const configPath = join(home, "conf");
    return { name, home, dataPath: path, configPath, chain, isDev: true, folderOf };
  });
}

/** The node whose config.ini names this data folder. */
async function ownerOf(data: string): Promise<NodePlace | undefined> {
  let folder = dirname(data);
  for (let level = 0; level < LEVELS_ABOVE; level++) {
    const node = await nodeAt(folder);
    if (node) return node.dataPath === data ? node : undefined;
    folder = dirname(folder);
  }
  return undefined;
}

/**
 * The nodes that a folder stands for: a node's own, those below it, those of a development chain or
 * one of them, or the one whose data folder it is.
 * @throws FolderFault argument when there is none
 */
export async function findNodes(folder: string): Promise<readonly NodePlace[]> {
  const path = resolve(folder);
  const own = (await nodeAt(path)) ?? (await devNode(path));
  if (own) return [own];
  const dev = await devNodes(path);
  if (dev.length > 0) return dev;
  const found: NodePlace[] = [];
  for (const name of await namesIn(path)) {
    const node = await nodeAt(join(path, name));
    if (node) found.push(node);
  }
  const owner = found.length === 0 ? await ownerOf(path) : undefined;
  if (owner) found.push(owner);
  if (found.length > 0) return found;
  const next = "Name a node's folder, or a folder that chain-node init or dev has written.";
  throw new FolderFault("argument", `${path} holds no config.ini and no node's data. ${next}`);
}

/** The groups that have a folder. */
export async function groupsIn({ isDev, home, dataPath }: NodePlace): Promise<readonly number[]> {
  const names = await namesIn(isDev ? home : dataPath);
  return names.flatMap((name) => /^group(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

/** The places of those that have a ledger. */
export async function presentOf(
  node: NodePlace,
  groups: readonly number[],
): Promise<readonly LedgerPlace[]> {
  const places = groups.map((groupId) => ({ node, groupId, folder: node.folderOf(groupId) }));
  const present = await Promise.all(places.map(({ folder }) => isFolder(folder)));
  return places.filter((_, index) => present[index]);
}

/** The ledgers of a node that the caller holds, in the order of their groups. */
export async function ledgersOf(node: NodePlace): Promise<readonly LedgerPlace[]> {
  const groups = await groupsIn(node);
  for (const groupId of groups) await settleLedger(node.folderOf(groupId));
  return presentOf(node, groups);
}

/** Path of the genesis file of a group. */
export function genesisPath({ configPath }: NodePlace, groupId: number): string {
  return join(configPath, `group.${groupId}.genesis`);
}

/** Whether the group is one that a genesis file has begun; a development chain makes its first. */
export function needsGenesisFile({ isDev }: NodePlace, groupId: number): boolean {
  return !isDev || groupId !== DEV_GROUP_ID;
}

/** What the files of a group say; no genesis where that file is not there. @throws ConfigFault */
export async function groupFacts(node: NodePlace, groupId: number) {
  const path = genesisPath(node, groupId);
  const text = await textOf(path);
  const genesis = text === undefined ? undefined : readGenesisFile(text, path).value.genesis;
  const tuningPath = join(node.configPath, `group.${groupId}.ini`);
  const tuning = await textOf(tuningPath);
  const context = { version: node.chain.supportedVersion, ...(genesis ? { genesis } : {}) };
  const group = readGroupFile(tuning ?? "", tuningPath, context).value;
  return { genesis, reconfirmCommittee: group.tuning.reconfirmCommittee === true };
}

/** Holds the data of a stopped node, so that nobody starts it meanwhile. @throws StoreFault */
export async function holdNode(node: NodePlace): Promise<DataFolder> {
  const mayHold = (name: string) => GROUP_FOLDER.test(name);
  const options = { chainId: node.chain.chainId, now: Date.now(), mayHold };
  return openDataFolder(node.dataPath, options).catch((cause: unknown) => {
    if (!(cause instanceof StoreFault) || cause.kind !== "locked") throw cause;
    const next = "The node runs: stop it first";
    throw new StoreFault("locked", `${cause.message}. ${next}`, { cause });
  });
}

/**
 * LevelDB reads damaged bytes as if they were whole: what goes into a file that others trust is
 * compared with its checksums before. @throws StoreFault corrupt
 */
async function requireWholeFiles(folder: string): Promise<void> {
  let first: string | undefined;
  await checkDatabaseFiles({
    folder,
    report: ({ what, stored, expected }) => {
      first ??= `${what} (${stored}, expected ${expected})`;
    },
    note: () => undefined,
    progress: () => undefined,
  });
  if (first === undefined) return;
  throw new StoreFault("corrupt", `${folder} holds damaged files: ${first}`);
}

/** Opens a ledger that is there. @throws StoreFault with what an operator does next */
export async function openLedgerStore({
  folder,
  files = folder,
}: LedgerPlace): Promise<LevelStore> {
  try {
    if (await isFolder(files)) await requireWholeFiles(files);
    return await openLevelStore(files, { create: false });
  } catch (cause) {
    const isLost =
      cause instanceof StoreFault && (cause.kind === "corrupt" || cause.kind === "foreign");
    if (!isLost) throw cause;
    const next = `chain-node check says all that is damaged. Restore it with chain-node restore, \
or move ${folder} and ${folder}${MADE_MARK} away: the node gets its blocks from the others again`;
    const message = cause.message.replaceAll(files, folder);
    throw new StoreFault(cause.kind, `${message}. ${next}`, { cause });
  }
}
