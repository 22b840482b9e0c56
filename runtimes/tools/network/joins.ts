/**
 * Papers for nodes that join from elsewhere, tabs and edge functions: certificate, CA and genesis
 * files in one folder that is sent to them. Their key never comes here.
 */
import { join } from "node:path";
import { hexBytes } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { below, certify, paperFiles, readAgency } from "../../folder/authority.ts";
import type { ChainContext } from "../../folder/chain-folder.ts";
import { readText } from "../../folder/whole-files.ts";
import { writeTree } from "../../folder/whole-tree.ts";
import { suiteFile } from "../../formats/config/suite-files.ts";
import { guestId } from "./group-roles.ts";
import type { LiveNetwork } from "./live-network.ts";
import { guests, membersOf, type NetworkNode } from "./network-spec.ts";

/** Where papers are, below the chain's folder. */
export const JOINS_FOLDER = "joins";

/** How a node from elsewhere joins. */
export interface Join {
  readonly name: string;
  readonly runtime: NetworkNode["runtime"];
  /** Undefined while its key is not known. */
  readonly nodeId: NodeId | undefined;
  /** Folder with its papers; undefined while there are none. */
  readonly papers: string | undefined;
  /** WebSocket ports of nodes that it can dial. */
  readonly dials: readonly string[];
  /** What to do next, a sentence each. */
  readonly steps: readonly string[];
}

const EDGE_STEP =
  "An edge instance of this release runs a chain of its own and joins none yet: its certificate " +
  "and its place are ready for the release that does.";

function stepsOf({ name, runtime }: NetworkNode, join: Omit<Join, "steps">, file: string) {
  const { papers, dials } = join;
  const send = `Send the contents of ${papers} to its user.`;
  if (papers === undefined) {
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

/** How each node from elsewhere joins, by what is there now. @throws FolderFault */
export async function readJoins(network: LiveNetwork): Promise<readonly Join[]> {
  const { spec } = network;
  const dials = dialsOf(network);
  return Promise.all(
    guests(spec).map(async (node): Promise<Join> => {
      const { name, runtime } = node;
      const folder = join(spec.folder, JOINS_FOLDER, name);
      const certificate = join(folder, suiteFile("node.crt", spec.suite));
      const isThere = (await readText(certificate)) !== undefined;
      const papers = isThere ? folder : undefined;
      const found = { name, runtime, nodeId: await guestId(node, spec), papers, dials };
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

/**
 * Writes papers for those whose key is known and that have none.
 *
 * @returns their names
 * @throws FolderFault
 */
export async function writeJoins(
  network: LiveNetwork,
  context: ChainContext,
): Promise<readonly string[]> {
  const { spec } = network;
  const written: string[] = [];
  for (const { name, nodeId, papers: present } of await readJoins(network)) {
    if (nodeId === undefined || present !== undefined) continue;
    const agencyName = spec.nodes.find((node) => node.name === name)?.agency ?? "";
    const agency = await readAgency(spec.folder, agencyName);
    const publicKey = hexBytes(nodeId);
    const { text } = certify({ kind: "node", name, publicKey }, agency, context);
    const papers = paperFiles({ suite: spec.suite, nodeId, text }, agency.ca);
    const all = [...papers, ...genesisFiles(network, name)];
    const files = below(join(spec.folder, JOINS_FOLDER, name), all);
    await writeTree({ home: spec.folder, files, purpose: `papers of ${name}` });
    written.push(name);
  }
  return written;
}
