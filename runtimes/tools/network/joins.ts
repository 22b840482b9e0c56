/**
 * CertificateSource for nodes that join from elsewhere, tabs and edge functions: certificate, CA
 * and genesis files in one folder that is sent to them. Their key never comes here.
 */
import { join } from "node:path";
import { hexBytes } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import { below, certify, bundleFiles, readAgency } from "../../folder/authority.ts";
import type { ChainContext } from "../../folder/chain-folder.ts";
import { type FileToWrite, readText } from "../../folder/whole-files.ts";
import { type PlacedFile, writeTree } from "../../folder/whole-tree.ts";
import { suiteFile } from "../../formats/config/suite-files.ts";
import { joinerId } from "./group-roles.ts";
import type { LiveNetwork } from "./live-network.ts";
import { joiners, membersOf, type NetworkNode, type NetworkSpec } from "./network-spec.ts";

/** Where join bundles are, below the chain's folder. */
export const JOINS_FOLDER = "joins";

/** How a node from elsewhere joins. */
export interface Join {
  readonly name: string;
  readonly runtime: NetworkNode["runtime"];
  /** Undefined while its key is not known. */
  readonly nodeId: NodeId | undefined;
  /** Folder with the join bundle for its key; undefined while there is none. */
  readonly papers: string | undefined;
  /** WebSocket ports of nodes that it can dial. */
  readonly dials: readonly string[];
  readonly steps: readonly string[];
}

const EDGE_STEP =
  "An edge instance of this release runs a chain of its own and joins none yet: its certificate " +
  "and its place are ready for the release that does.";

function stepsOf({ name, runtime }: NetworkNode, join: Omit<Join, "steps">, file: string) {
  const { papers: bundle, dials, nodeId } = join;
  const send = `Send the contents of ${bundle} to its user.`;
  if (bundle === undefined && nodeId !== undefined)
    return [`Run network up ${file}: it writes the join bundle for its key.`];
  if (bundle === undefined) {
    const where = runtime === "tab" ? "In the page, part Node, press Make a key" : "Make a key";
    const next = `name it as public_key of ${name} in ${file}, and run network up again.`;
    return [`${where}; save the public key, ${next}`];
  }
  if (runtime === "edge") return [EDGE_STEP];
  return [send, `There, in the part Node, choose them, enter ${dials.join(" or ")}, press Join.`];
}

function dialsOf({ nodes }: LiveNetwork): readonly string[] {
  return nodes.flatMap(({ spec, found }) => {
    const { webSocket } = found.config.p2p;
    if (!webSocket) return [];
    const host = spec.host.includes(":") ? `[${spec.host}]` : spec.host;
    return [`${webSocket.tls ? "wss" : "ws"}://${host}:${webSocket.port}`];
  });
}

function bundleFolder({ folder }: NetworkSpec, name: string): string {
  return join(folder, JOINS_FOLDER, name);
}

/** The node ID that the bundle in a folder is for; undefined when there is none. */
async function certifiedId(folder: string, suite: SuiteName): Promise<string | undefined> {
  return (await readText(join(folder, suiteFile("node.nodeid", suite))))?.trim();
}

/** How each node from elsewhere joins, by what is there now. @throws FolderFault */
export async function readJoins(network: LiveNetwork): Promise<readonly Join[]> {
  const { spec } = network;
  const dials = dialsOf(network);
  return Promise.all(
    joiners(spec).map(async (node): Promise<Join> => {
      const { name, runtime } = node;
      const folder = bundleFolder(spec, name);
      const nodeId = await joinerId(node, spec);
      const certified = await certifiedId(folder, spec.suite);
      // A joining node whose key is not named any more keeps what it has.
      const isCurrent = certified !== undefined && certified === (nodeId ?? certified);
      const found = { name, runtime, nodeId, papers: isCurrent ? folder : undefined, dials };
      return { ...found, steps: stepsOf(node, found, spec.file) };
    }),
  );
}

/** Genesis files of the groups that a node is in. */
function genesisFiles({ spec, chain }: LiveNetwork, name: string) {
  const known = chain.nodes.flatMap(({ groups }) => groups);
  return spec.groups
    .filter((group) => membersOf(group).includes(name))
    .flatMap(({ id }) => {
      const text = known.find((group) => group.id === id)?.text;
      return text === undefined
        ? []
        : [{ path: `group.${id}.genesis`, text, use: "text" as const }];
    });
}

/** CertificateSource that were written. */
export interface WrittenBundle {
  readonly name: string;
  /** Of the key that they were for before; the chain still has its role. */
  readonly formerId: string | undefined;
}

/**
 * Writes join bundles for those whose key is known and that have none for this key, and the genesis
 * files of groups that were added.
 * @returns those whose bundles changed
 * @throws FolderFault
 */
export async function writeJoins(
  network: LiveNetwork,
  context: ChainContext,
): Promise<readonly WrittenBundle[]> {
  const { spec } = network;
  const written: WrittenBundle[] = [];
  for (const { name, nodeId, papers: present } of await readJoins(network)) {
    if (nodeId === undefined) continue;
    const folder = bundleFolder(spec, name);
    const formerId = present === undefined ? await certifiedId(folder, spec.suite) : undefined;
    const made = present === undefined ? await certifiedBundle(spec, name, nodeId, context) : [];
    const files: PlacedFile[] = below(folder, made).map((file) => ({ ...file, replaces: true }));
    for (const file of below(folder, genesisFiles(network, name)))
      if ((await readText(file.path)) === undefined) files.push(file);
    if (files.length === 0) continue;
    await writeTree({ home: spec.folder, files, purpose: `join bundle of ${name}` });
    written.push({ name, formerId });
  }
  return written;
}

async function certifiedBundle(
  { folder, suite, nodes }: NetworkSpec,
  name: string,
  nodeId: NodeId,
  context: ChainContext,
): Promise<readonly FileToWrite[]> {
  const agency = await readAgency(folder, nodes.find((node) => node.name === name)?.agency ?? "");
  const { text } = certify({ kind: "node", name, publicKey: hexBytes(nodeId) }, agency, context);
  return bundleFiles({ suite, nodeId, text }, agency.ca);
}
