/** A network whose folder is there: its nodes with what is needed to reach and to start them. */
import { shellWord } from "../../folder/node-scripts.ts";
import { join, resolve } from "node:path";
import { type FoundChain, type FoundNode, readChainFolder } from "../../folder/chain-reader.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { readText } from "../../folder/whole-files.ts";
import { ask } from "../../node/client/json-rpc.ts";
import { urlOf } from "../../node/machine/listen-url.ts";
import type { NodeFolder } from "../../node/observe/node-folders.ts";
import { isThisHost } from "./network-ports.ts";
import { type NetworkGroup, type NetworkNode, type NetworkSpec, servers } from "./network-spec.ts";

/** A node of the network with its folder. */
export interface LiveNode {
  readonly spec: NetworkNode;
  readonly found: FoundNode;
  readonly folder: NodeFolder;
  /** Of its RPC port. */
  readonly url: string;
  /** Whether it is for this host: others are started where they are. */
  readonly isHere: boolean;
}

/** A network that was written. */
export interface LiveNetwork {
  readonly spec: NetworkSpec;
  readonly chain: FoundChain;
  /** In the order of the file. */
  readonly nodes: readonly LiveNode[];
}

/** Puts the file and the folder together. */
export async function liveNetwork(spec: NetworkSpec, chain: FoundChain): Promise<LiveNetwork> {
  const nodes = servers(spec).map(async (node): Promise<LiveNode | undefined> => {
    const found = chain.nodes.find(({ name }) => name === node.name);
    if (!found) return undefined;
    const { name, folder: path, path: config } = found;
    return {
      spec: node,
      found,
      folder: { name, path, config },
      url: urlOf(found.config.rpc.jsonrpc),
      isHere: await isThisHost(node.host),
    };
  });
  const known = await Promise.all(nodes);
  return { spec, chain, nodes: known.filter((node) => node !== undefined) };
}

/** The network of a spec that was written before. @throws FolderFault missing */
export async function openNetwork(spec: NetworkSpec): Promise<LiveNetwork> {
  const chain = await readChainFolder(spec.folder);
  if (chain) return liveNetwork(spec, chain);
  const said = `${spec.folder} holds no chain yet`;
  throw new FolderFault(
    "missing",
    `${said}: chain-node network up ${shellWord(spec.file)} writes it.`,
  );
}

/** The nodes that are meant: one by its name, or all. @throws FolderFault argument */
export function chosenNodes({ nodes }: LiveNetwork, name?: string): readonly LiveNode[] {
  if (name === undefined) return nodes;
  const chosen = nodes.filter(({ spec }) => spec.name === name);
  if (chosen.length > 0) return chosen;
  const names = nodes.map(({ spec }) => spec.name).join(", ");
  throw new FolderFault("argument", `there is no node ${name} here; there are ${names}.`);
}

/** Nodes of a group, in the order of a list of names. */
export function nodesNamed(
  { nodes }: LiveNetwork,
  names: NetworkGroup["sealers"],
): readonly LiveNode[] {
  return nodes.filter(({ spec }) => names.includes(spec.name));
}

/** Asks a node of this host for what only its managers may. @throws FolderFault, RequestFault */
export async function manageFound(
  { folder, config }: FoundNode,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const url = urlOf(config.rpc.jsonrpc);
  const { mode, tokenFile } = config.rpc.management;
  if (mode !== "token") return ask(url, method, params);
  const path = resolve(folder, tokenFile);
  const token = (await readText(path))?.trim();
  if (token === undefined) throw new FolderFault("missing", `${path}: the token is missing.`);
  return ask(url, method, params, token);
}

/** Asks a node of the network for what only its managers may. @throws FolderFault, RequestFault */
export function manage(
  { found }: LiveNode,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  return manageFound(found, method, params);
}

/** A file in a node's folder. */
export function fileOf({ folder }: LiveNode, name: string): string {
  return join(folder.path, name);
}
