/** `chain-node node add`: a new node for a running chain, in one command. Source: generator 9.2 */
import { shellWord } from "../../folder/node-scripts.ts";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import { isCertificateName } from "../../formats/certificates/certificate-terms.ts";
import { ENDPOINT, type Endpoint } from "../../formats/config/config-kinds.ts";
import { below } from "../../folder/authority.ts";
import type { ChainContext } from "../../folder/chain-folder.ts";
import type { NodePorts } from "../../folder/chain-layout.ts";
import {
  type FoundNode,
  nodeFoldersIn,
  nodesBeside,
  readNodeFolder,
} from "../../folder/chain-reader.ts";
import { FolderFault, reasonOf } from "../../folder/folder-fault.ts";
import {
  authoritiesOf,
  furtherNode,
  mergedPeers,
  newSigners,
  orderAfter,
  ownEndpoint,
  type CertificateSource,
  readSigners,
} from "../../folder/further-node.ts";
import { REQUEST_FILE } from "../../folder/holder-files.ts";
import { withPeers } from "../../folder/node-texts.ts";
import { readText } from "../../folder/whole-files.ts";
import { finishCutRun, isThere, type PlacedFile, writeTree } from "../../folder/whole-tree.ts";
import { suiteFile } from "../../formats/config/suite-files.ts";
import { probeNode } from "../../node/observe/node-probe.ts";
import { tellPeers, unknownPeers } from "./group-start.ts";
import { givePorts, isThisHost } from "./network-ports.ts";
import { tell, writingContext } from "./up.ts";

/** Options of `chain-node node add`. */
export interface NodeAddOptions {
  /** Folder of a node of the chain; one next to the new one when absent. */
  readonly from: string | undefined;
  /** Where the agency's key is; a request is made when absent. */
  readonly ca: string | undefined;
  readonly agency: string | undefined;
  readonly newAgency: boolean;
  readonly host: string | undefined;
  readonly ports: NodePorts | undefined;
  readonly days: number;
  readonly json: boolean;
}

interface AddedNode {
  readonly folder: string;
  readonly name: string;
  readonly nodeId: string;
  /** Undefined while it waits for its certificate. */
  readonly agency: string | undefined;
  readonly endpoint: string;
  readonly ports: NodePorts;
  readonly groups: readonly number[];
  /** Those that it waits for. */
  readonly requests: readonly string[];
  /** Nodes of this host that know of it. */
  readonly told: readonly string[];
  readonly next: readonly string[];
}

async function sourceOf(folder: string, from: string | undefined): Promise<FoundNode> {
  if (from !== undefined) return readNodeFolder(from);
  const [first] = (await nodeFoldersIn(dirname(folder))).filter((each) => each !== folder);
  if (first !== undefined) return readNodeFolder(first);
  const said = `there is no node next to ${folder}`;
  throw new FolderFault("argument", `${said}: name one of the chain with --from.`);
}

/** Who certifies, and the files of an agency that is new. */
async function certificateSourceOf(
  from: FoundNode,
  options: NodeAddOptions,
  context: ChainContext,
) {
  const { ca, agency, newAgency } = options;
  if (ca === undefined) {
    if (newAgency)
      throw new FolderFault("argument", "--new-agency needs --ca with the chain's key.");
    const certificates: CertificateSource = {
      kind: "requested",
      authorities: await authoritiesOf(from),
    };
    return { certificates, files: [] };
  }
  if (agency === undefined)
    throw new FolderFault("argument", "--ca needs --agency: which one certifies the node.");
  if (!newAgency) {
    const certificates: CertificateSource = {
      kind: "certified",
      agencies: await readSigners(ca, agency),
    };
    return { certificates, files: [] };
  }
  const { agencies, files } = await newSigners(ca, agency, context);
  return { certificates: { kind: "certified", agencies } as const, files };
}

/** Its own ports, or the next free ones above those of the other node. */
async function portsOf(
  name: string,
  { host, ports }: { readonly host: string; readonly ports: NodePorts | undefined },
  known: readonly FoundNode[],
  base: NodePorts,
): Promise<NodePorts> {
  const taken = new Map([[host, new Set(known.flatMap((node) => Object.values(node.ports)))]]);
  const options = { agency: "", role: "sealer", runtime: "node", publicKey: undefined } as const;
  const [given] = await givePorts([{ name, host, ports, ...options }], { base, taken });
  return given?.ports ?? base;
}

async function sameChain(from: FoundNode, nodes: readonly FoundNode[]) {
  const caOf = ({ folder, config }: FoundNode) => readText(resolve(folder, config.identity.caCert));
  const ca = await caOf(from);
  const found: FoundNode[] = [];
  for (const node of nodes) if ((await caOf(node)) === ca) found.push(node);
  return found;
}

interface Neighbours {
  readonly running: readonly FoundNode[];
  readonly stopped: readonly FoundNode[];
}

/** Nodes of the same chain on this host; none where the new node is for another host. */
async function neighboursOf(from: FoundNode, nodes: readonly FoundNode[]): Promise<Neighbours> {
  const running: FoundNode[] = [];
  const stopped: FoundNode[] = [];
  for (const node of await sameChain(from, nodes)) {
    const { name, folder: path, path: config } = node;
    const { health } = await probeNode({ name, path, config });
    (health ? running : stopped).push(node);
  }
  return { running, stopped };
}

function listsWith(stopped: readonly FoundNode[], peer: Endpoint): PlacedFile[] {
  return stopped.map(({ path, text, config }) => {
    const peers = mergedPeers(config.p2p.peers, [peer]);
    return { path, text: withPeers(text, peers), use: "text", replaces: true };
  });
}

/** How an agency elsewhere answers a request. */
function answerSteps(request: string, name: string, suite: SuiteName): string[] {
  const file = basename(request);
  // On a national chain the SDK port has a key and a CA of its own, of the standard suite.
  const isOfPort = suite === "national" && file === REQUEST_FILE;
  const [ca, out] = isOfPort ? ["CHAIN/cert/origin", `${name}-origin`] : ["CHAIN", name];
  const answer = suiteFile("node.crt", isOfPort ? "standard" : suite);
  const issue = `chain-node cert issue --ca ${shellWord(ca)} --agency AGENCY --name ${name}`;
  return [
    `send ${request} to the agency, which makes the certificate with`,
    `${issue} --request ${file} --out ${out}`,
    `put its ${answer} into ${dirname(request)}, then`,
  ];
}

function nextSteps(added: Omit<AddedNode, "next">, from: FoundNode): string[] {
  const { folder, name, requests, groups } = added;
  const role = `chain-node role ${shellWord(folder)} --as observer`;
  const roles = groups.map((id) => `${role} --through ${shellWord(from.folder)} --group ${id}`);
  const { suite } = from.config.identity;
  const answers = requests.flatMap((request) => answerSteps(request, name, suite));
  return [...answers, `bash ${shellWord(join(folder, "start.sh"))}`, ...roles];
}

function nameOf(folder: string): string {
  const name = basename(folder);
  if (isCertificateName(name)) return name;
  const said = `"${name}" cannot be the name of a node`;
  throw new FolderFault("argument", `${said}: letters, digits, ".", "_" and "-" are wanted.`);
}

/** A node that is written, and those that shall know of it. */
interface PlacedNode {
  readonly from: FoundNode;
  readonly placed: Omit<AddedNode, "told" | "next">;
  readonly at: Endpoint;
  readonly neighbours: Neighbours;
}

async function makeNode(folder: string, name: string, options: NodeAddOptions) {
  const context = { ...writingContext(), days: options.days };
  const from = await sourceOf(folder, options.from);
  const host = options.host ?? ownEndpoint(from)?.host ?? "127.0.0.1";
  const beside = await nodesBeside(folder);
  const known = [from, ...beside, ...(await nodesBeside(from.folder))];
  const base = from.ports;
  const ports = await portsOf(name, { host, ports: options.ports }, known, base);
  const { certificates, files: ofAgency } = await certificateSourceOf(from, options, context);
  const order = await orderAfter(from, { name, host, ports, program: context.program });
  const made = furtherNode(order, certificates, context);
  const at = { host, port: ports.p2p };
  const neighbours = await neighboursOf(from, (await isThisHost(host)) ? beside : []);
  const files = [...ofAgency, ...below(folder, made.files), ...listsWith(neighbours.stopped, at)];
  await writeTree({ home: dirname(folder), files, purpose: `node add ${name}` });
  const requests = made.files.filter(({ path }) => path.endsWith(REQUEST_FILE));
  const placed = {
    folder,
    name,
    nodeId: made.nodeId,
    agency: certificates.kind === "certified" ? certificates.agencies.node.name : undefined,
    endpoint: ENDPOINT.write(at),
    ports,
    groups: order.groups.map(({ id }) => id),
    requests: requests.map(({ path }) => join(folder, path)),
  };
  return { from, placed, at, neighbours } satisfies PlacedNode;
}

/** What is left of a run that made the node and did not tell all its neighbours. */
async function unfinishedNode(
  folder: string,
  name: string,
  options: NodeAddOptions,
): Promise<PlacedNode> {
  const exists = new FolderFault(
    "exists",
    `${folder} exists already: name a folder that does not.`,
  );
  const node = await readNodeFolder(folder).catch(() => undefined);
  const at = node && ownEndpoint(node);
  if (!node || !at || !(await isThisHost(at.host))) throw exists;
  const { running, stopped } = await neighboursOf(node, await nodesBeside(folder));
  const isUnaware = (each: FoundNode) => unknownPeers(each, [at]).length > 0;
  const neighbours = { running: running.filter(isUnaware), stopped: stopped.filter(isUnaware) };
  if (neighbours.running.length + neighbours.stopped.length === 0) throw exists;
  const from = await sourceOf(folder, options.from);
  const files = listsWith(neighbours.stopped, at);
  const home = dirname(folder);
  if (files.length > 0) await writeTree({ home, files, purpose: `neighbours of ${name}` });
  tell(`${folder} is there already: an earlier run made it`);
  const { nodeId, agency, ports, groups } = node;
  const endpoint = ENDPOINT.write(at);
  const requests = agency === undefined ? await requestsIn(node) : [];
  const ids = groups.map(({ id }) => id);
  return {
    from,
    placed: { folder, name, nodeId, agency, endpoint, ports, groups: ids, requests },
    at,
    neighbours,
  };
}

/** Requests in the folder of a node that waits for its certificate. */
async function requestsIn({ folder }: FoundNode): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith(REQUEST_FILE)).map((name) => join(folder, name));
}

/** They write their lists themselves. @throws FolderFault with those that did not */
async function tellAll({ neighbours, at, placed }: PlacedNode): Promise<void> {
  const faults: unknown[] = [];
  for (const node of neighbours.running)
    await tellPeers(node, [at]).catch((fault: unknown) => faults.push(fault));
  if (faults.length === 0) return;
  const said = `${placed.folder} is written, and not all nodes know of it:`;
  const next = "Run the same command again, when that is mended: it tells those that are left.";
  const message = [said, ...faults.map(reasonOf), next].join("\n");
  throw new FolderFault("unusable", message, { cause: faults[0] });
}

/** Makes the node and has its neighbours know of it. @throws FolderFault */
async function addNode(folder: string, options: NodeAddOptions): Promise<AddedNode> {
  const name = nameOf(folder);
  await finishCutRun(dirname(folder));
  const make = (await isThere(folder)) ? unfinishedNode : makeNode;
  const node = await make(folder, name, options);
  await tellAll(node);
  const { neighbours, placed, from } = node;
  const told = [...neighbours.running, ...neighbours.stopped].map((each) => each.name);
  const added = { ...placed, told };
  return { ...added, next: nextSteps(added, from) };
}

/** Adds a node to a chain and says what comes next. */
export async function runNodeAdd(folder: string, options: NodeAddOptions): Promise<void> {
  const added = await addNode(resolve(folder), options);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(added)}\n`);
    return;
  }
  const { name, agency, endpoint, ports, told, next, nodeId, groups } = added;
  if (told.length > 0) tell(`told ${told.join(" ")} where it is`);
  const who =
    agency === undefined ? `${name}, which waits for its certificate` : `${name} of ${agency}`;
  const listen = `rpc ${ports.rpc}, channel ${ports.channel}, peers ${endpoint}`;
  const lines = [
    `wrote ${who} to ${added.folder}`,
    `${listen}, groups ${groups.join(" ") || "none"}`,
    `id ${nodeId}`,
    "",
    "next",
    ...next.map((step) => `  ${step}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
