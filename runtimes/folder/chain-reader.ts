/** Reads what is there of a chain: folders of nodes, with their groups, ports and agencies. */
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { NodeId } from "../../core/bytes/ids.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import type { GenesisConfig } from "../../core/model/config.ts";
import { parseCertificate } from "../formats/certificates/parsed-certificate.ts";
import { readGenesisFile } from "../formats/config/genesis-file.ts";
import { type NodeConfig, readNodeConfig } from "../formats/config/node-config.ts";
import { SUITE_NAMES, suiteFile } from "../formats/config/suite-files.ts";
import { readCertificate, readKey } from "./authority.ts";
import { AUTHORITY_FOLDER } from "./chain-folder.ts";
import type { NodePorts } from "./chain-layout.ts";
import { FolderFault } from "./folder-fault.ts";
import { readText } from "./whole-files.ts";

/** A group as a node has it. */
export interface FoundGroup {
  readonly id: number;
  readonly path: string;
  readonly text: string;
  readonly genesis: GenesisConfig;
}

/** A node's folder. */
export interface FoundNode {
  /** Its last part. */
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  /** Path of config.ini, and what it says. */
  readonly path: string;
  readonly text: string;
  readonly config: NodeConfig;
  readonly nodeId: NodeId;
  /** Issuer of its certificate; undefined while it waits for one. */
  readonly agency: string | undefined;
  readonly ports: NodePorts;
  readonly groups: readonly FoundGroup[];
}

/** A chain's folder. */
export interface FoundChain {
  /** Absolute. */
  readonly folder: string;
  readonly suite: SuiteName;
  /** Those whose key is in cert/. */
  readonly agencies: readonly string[];
  readonly nodes: readonly FoundNode[];
}

const CONFIG = "config.ini";
const GENESIS = /^group\.\d+\.genesis$/;

function portsOf({ rpc, p2p }: NodeConfig): NodePorts {
  const { webSocket } = p2p;
  return {
    rpc: rpc.jsonrpc.port,
    channel: rpc.channel.port,
    p2p: p2p.listen.port,
    ...(webSocket ? { ws: webSocket.port } : {}),
  };
}

async function groupsIn(folder: string): Promise<readonly FoundGroup[]> {
  const names = (await namesIn(folder)).filter((name) => GENESIS.test(name));
  const groups = names.map(async (name): Promise<FoundGroup> => {
    const path = join(folder, name);
    const text = (await readText(path)) ?? "";
    const { genesis } = readGenesisFile(text, path).value;
    return { id: genesis.groupId, path, text, genesis };
  });
  return (await Promise.all(groups)).sort((left, right) => left.id - right.id);
}

async function agencyOf(path: string): Promise<string | undefined> {
  if ((await readText(path)) === undefined) return undefined;
  const parsed = parseCertificate(await readCertificate(path));
  return typeof parsed === "string" ? undefined : parsed.issuerName;
}

/** Names in a folder, those of numbers in their order; none when it cannot be read. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
}

/** The node of a folder. @throws FolderFault missing, unusable; ConfigFault */
export async function readNodeFolder(place: string): Promise<FoundNode> {
  const folder = resolve(place);
  const path = join(folder, CONFIG);
  const text = await readText(path);
  if (text === undefined)
    throw new FolderFault("missing", `${folder} holds no node: there is no ${CONFIG} in it.`);
  const config = readNodeConfig(text, path).value;
  const { suite, key, cert } = config.identity;
  const { nodeId } = await readKey(resolve(folder, key), suite);
  return {
    name: basename(folder),
    folder,
    path,
    text,
    config,
    nodeId,
    agency: await agencyOf(resolve(folder, cert)),
    ports: portsOf(config),
    groups: await groupsIn(resolve(folder, config.groups.configPath)),
  };
}

/** The folders of nodes in a folder. */
export async function nodeFoldersIn(folder: string): Promise<readonly string[]> {
  const places = (await namesIn(folder)).map((name) => join(folder, name));
  const found: string[] = [];
  for (const place of places)
    if ((await readText(join(place, CONFIG))) !== undefined) found.push(place);
  return found;
}

/** The suite of the chain whose CA is in a folder; undefined when there is none. */
async function suiteOf(folder: string): Promise<SuiteName | undefined> {
  for (const suite of SUITE_NAMES) {
    const path = join(folder, AUTHORITY_FOLDER, suiteFile("ca.crt", suite));
    if ((await readText(path)) !== undefined) return suite;
  }
  return undefined;
}

async function agenciesIn(folder: string, suite: SuiteName): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await namesIn(folder)) {
    const path = join(folder, name, suiteFile("agency.crt", suite));
    if ((await readText(path)) !== undefined) found.push(name);
  }
  return found;
}

/** The chain of a folder; undefined when there is none. @throws FolderFault, ConfigFault */
export async function readChainFolder(place: string): Promise<FoundChain | undefined> {
  const folder = resolve(place);
  const suite = await suiteOf(folder);
  if (suite === undefined) return undefined;
  const agencies = await agenciesIn(join(folder, AUTHORITY_FOLDER), suite);
  const nodes = await Promise.all((await nodeFoldersIn(folder)).map(readNodeFolder));
  return { folder, suite, agencies, nodes };
}

/** The nodes next to a folder that is a node's, or is to become one's. */
export async function nodesBeside(place: string): Promise<readonly FoundNode[]> {
  const folder = resolve(place);
  const folders = (await nodeFoldersIn(dirname(folder))).filter((each) => each !== folder);
  return Promise.all(folders.map(readNodeFolder));
}
