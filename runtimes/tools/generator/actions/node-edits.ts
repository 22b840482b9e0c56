/** The actions that change nodes that are there: peers and keys. Source: generator 2 */
import { mergedPeers } from "../../../folder/further-node.ts";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { withPeers } from "../../../folder/node-texts.ts";
import { parsePrivateKey } from "../../../folder/private-key.ts";
import { type FileToWrite, readText } from "../../../folder/whole-files.ts";
import type { PlacedFile } from "../../../folder/whole-tree.ts";
import { ENDPOINT, type Endpoint } from "../../../formats/config/config-kinds.ts";
import { readNodeConfig } from "../../../formats/config/node-config.ts";
import { suiteFile } from "../../../formats/config/suite-files.ts";
import { findNodeFolders } from "../../../node/observe/node-folders.ts";
import { type Action, pathOf, placed, type ToolContext } from "../context.ts";
import { inputText } from "../input/deployment-ini.ts";
import { filesIn } from "../input/meta-files.ts";
import { readPeers } from "../input/peers-file.ts";

interface NodeConfigFile {
  readonly path: string;
  readonly text: string;
  readonly peers: readonly Endpoint[];
}

/** @throws FolderFault missing; ConfigFault */
async function configAt(path: string): Promise<NodeConfigFile> {
  const text = await inputText(path);
  return { path, text, peers: readNodeConfig(text, path).value.p2p.peers };
}

function edited({ path, text }: NodeConfigFile, peers: readonly Endpoint[]): PlacedFile {
  return { path, text: withPeers(text, peers), use: "text", replaces: true };
}

/** -m CONFIG_A CONFIG_B: the second one gets the peers of both. */
export const mergeConfig: Action = async (context, [one, other]) => {
  const from = await configAt(pathOf(context, one));
  const to = await configAt(pathOf(context, other));
  const peers = mergedPeers(to.peers, from.peers);
  return {
    home: dirname(to.path),
    files: [edited(to, peers)],
    result: { peers: peers.map(ENDPOINT.write) },
    says: [`${to.path} has ${peers.length} peers; a running node takes them at its next start`],
  };
};

/** -p PEERS_FILE NODE_DIR */
export const addPeers: Action = async (context, [file, nodeDir]) => {
  const added = await readPeers(pathOf(context, file));
  const nodes = await findNodeFolders(pathOf(context, nodeDir));
  const files: PlacedFile[] = [];
  for (const { config } of nodes) {
    const present = await configAt(config);
    files.push(edited(present, mergedPeers(present.peers, added)));
  }
  return {
    home: pathOf(context, nodeDir),
    files,
    result: { nodes: nodes.map(({ name }) => name) },
    says: [`${added.length} peers for ${nodes.length} nodes, which take them at their next start`],
  };
};

/** What -d copies: certificates are not among it. */
function isDeployed(path: string, { options }: ToolContext): boolean {
  return path.endsWith(".key") || path === suiteFile("node.nodeid", options.suite);
}

/** A key is an identity: another one is never put in its place. @throws FolderFault exists */
async function newFiles(folder: string, files: readonly FileToWrite[]): Promise<FileToWrite[]> {
  const fresh: FileToWrite[] = [];
  for (const file of files) {
    const present = await readText(join(folder, file.path));
    if (present === undefined) fresh.push(file);
    else if (present !== file.text) {
      const said = `${join(folder, file.path)} exists already and differs`;
      throw new FolderFault("exists", `${said}: a node's key is never replaced.`);
    }
  }
  return fresh;
}

/** @throws FolderFault missing, mismatch */
function requirePair(folder: string, files: readonly FileToWrite[], context: ToolContext): void {
  const { suite } = context.options;
  const textOf = (name: string) => files.find(({ path }) => path === suiteFile(name, suite))?.text;
  const [keyText, idText] = [textOf("node.key"), textOf("node.nodeid")];
  if (keyText === undefined || idText === undefined) {
    const names = ["node.key", "node.nodeid"].map((name) => suiteFile(name, suite)).join(" or ");
    throw new FolderFault("missing", `${folder} has no ${names}.`);
  }
  if (parsePrivateKey(keyText, suite)?.nodeId === idText.trim()) return;
  throw new FolderFault("mismatch", `${folder}: the node ID is not that of the key.`);
}

async function foldersOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new FolderFault("missing", `${folder}: there is no such folder.`, { cause });
  });
  return entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith("node_"))
    .map(({ name }) => name)
    .sort();
}

/** -d CERT_DIR PACKAGE_DIR: keys and node IDs of the nodes that are in both. */
export const deployPrivateKey: Action = async (context, [certDir, packageDir]) => {
  const from = pathOf(context, certDir);
  const to = pathOf(context, packageDir);
  const targets = await foldersOf(to);
  const names = (await foldersOf(from)).filter((name) => targets.includes(name));
  if (names.length === 0) {
    const said = `${from} and ${to} have no node in common`;
    throw new FolderFault("missing", `${said}: folders node_<ip>_<port> are looked for.`);
  }
  const files: PlacedFile[] = [];
  for (const name of names) {
    const own = (await filesIn(join(from, name))).filter(({ path }) => isDeployed(path, context));
    requirePair(join(from, name), own, context);
    const conf = join(to, name, "conf");
    files.push(...placed(conf, await newFiles(conf, own)));
  }
  return { home: to, files, result: { nodes: names }, says: [`keys of ${names.join(", ")}`] };
};
