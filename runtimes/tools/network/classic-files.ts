/**
 * The classic files of agencies as a network: a folder with `<agency>/node_deployment.ini`.
 * Source: generator 3, 9.1; interface 2.7
 */
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { FolderFault } from "../../folder/folder-fault.ts";
import { readText } from "../../folder/whole-files.ts";
import { isThere } from "../../folder/whole-tree.ts";
import { ConfigFault } from "../../formats/config/config-fault.ts";
import {
  clashes,
  type DeployedNode,
  type Deployment,
  readDeployment,
} from "../generator/input/deployment-ini.ts";
import { BASE_PORTS, defaultImage, readNetworkFile } from "./network-file.ts";
import type { NetworkNode, NetworkSpec } from "./network-spec.ts";

const DEPLOYMENT_FILE = "node_deployment.ini";
/** Where the chain goes, next to the agencies. */
const CHAIN_FOLDER = "network";
const LONGEST_NAME = 40;

interface AgencyFile {
  readonly agency: string;
  readonly deployment: Deployment;
}

async function agencyFiles(home: string): Promise<readonly AgencyFile[]> {
  const names = (await readdir(home, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && entry.name !== CHAIN_FOLDER)
    .map(({ name }) => name)
    .sort();
  const files: AgencyFile[] = [];
  for (const agency of names) {
    const path = join(home, agency, DEPLOYMENT_FILE);
    const text = await readText(path);
    if (text === undefined) continue;
    const { value, warnings } = readDeployment(text, relative(home, path));
    for (const { line, section, key, message } of warnings)
      process.stderr.write(
        `warning: ${value.file}, line ${line ?? 1}, [${section}] ${key}: ${message}\n`,
      );
    files.push({ agency, deployment: value });
  }
  if (files.length > 0) return files;
  const said = `no folder in ${home} holds a ${DEPLOYMENT_FILE}`;
  throw new FolderFault("argument", `${said}: name one with a folder for each agency.`);
}

/** The nodes of the generator have other keys, and the same ports. */
async function refuseBuilt(home: string, files: readonly AgencyFile[]): Promise<void> {
  for (const { agency } of files) {
    const path = join(home, agency, "node");
    if (!(await isThere(path))) continue;
    const said = `${path} holds nodes that the generator made`;
    throw new FolderFault("exists", `${said}: bash ${join(path, "start_all.sh")} starts them.`);
  }
}

/** One group of all, as the classic files have it. Source: generator 9.3 */
function groupOf(files: readonly AgencyFile[]): number {
  const ids = new Set(files.map(({ deployment }) => deployment.groupId));
  const [id = 1] = ids;
  if (ids.size <= 1) return id;
  const each = files.map(({ agency, deployment }) => `${agency} ${deployment.groupId}`).join(", ");
  throw new FolderFault("unusable", `the agencies name different groups (${each}): one is wanted.`);
}

function nodeOf(agency: string, { label, endpoint, ports, rpcIp, channelIp }: DeployedNode) {
  return {
    name: `node_${label}`,
    agency,
    host: endpoint.host,
    ports,
    rpcIp,
    channelIp,
    role: "sealer",
    runtime: "node",
    publicKey: undefined,
  } satisfies NetworkNode;
}

/** Names of folders are freer than those of chains. */
function chainName(home: string): string {
  const plain = basename(home)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const name = plain.replaceAll(/^[^a-z]+|-+$/g, "").slice(0, LONGEST_NAME);
  return name === "" ? "chain" : name.replace(/-+$/, "");
}

/**
 * The network of a folder. All nodes are sealers of one PBFT group.
 * @throws FolderFault, ConfigFault
 */
export async function readClassicFolder(path: string): Promise<NetworkSpec> {
  const home = resolve(path);
  const files = await agencyFiles(home);
  await refuseBuilt(home, files);
  const [first] = files;
  const problems = clashes(files.map(({ deployment }) => deployment));
  if (problems.length > 0) throw new ConfigFault(first?.deployment.file ?? home, problems);
  const nodes = files.flatMap(({ agency, deployment }) =>
    deployment.nodes.map((node) => nodeOf(agency, node)),
  );
  const sealers = nodes.map(({ name }) => name);
  return {
    file: home,
    form: "classic",
    name: chainName(home),
    suite: "standard",
    folder: join(home, CHAIN_FOLDER),
    basePorts: BASE_PORTS,
    management: "local",
    image: defaultImage(),
    agencies: files.map(({ agency }) => agency),
    nodes,
    groups: [{ id: groupOf(files), consensus: "pbft", sealers, observers: [] }],
  };
}

/** Reads what a path names. @throws FolderFault, ConfigFault */
export async function readNetwork(path: string): Promise<NetworkSpec> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? readClassicFolder(path) : readNetworkFile(path);
}
