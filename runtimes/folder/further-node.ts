/**
 * A node for a chain that runs: key, certificate or request, ports, group files and peers at once.
 * `node add`, `network` and the generator's expansion make it here. Source: generator 9.2
 */
import { basename, dirname, join, resolve } from "node:path";
import type { NodeId } from "../../core/bytes/ids.ts";
import type { Endpoint } from "../formats/config/config-kinds.ts";
import { removeValue } from "../formats/config/ini-edit.ts";
import { suiteFile } from "../formats/config/suite-files.ts";
import {
  type Agency,
  authorityHome,
  below,
  createAgency,
  type IssueContext,
  readAgency,
  readAuthority,
  readCertificate,
} from "./authority.ts";
import { agencyFolder, AUTHORITY_FOLDER, ORIGIN_AUTHORITY } from "./chain-folder.ts";
import { listenIpOf, type NodePorts } from "./chain-layout.ts";
import type { FoundNode } from "./chain-reader.ts";
import { channelPaths } from "./channel-files.ts";
import { FolderFault } from "./folder-fault.ts";
import {
  type Applicant,
  certifiedIdentity,
  type ForBothPorts,
  type Identity,
  requestingIdentity,
} from "./holder-files.ts";
import { nodeFolderFiles, type NodeOrder, type PackedGroup } from "./node-package.ts";
import type { ProgramPlace } from "./node-scripts.ts";
import { type FileToWrite, readText } from "./whole-files.ts";

/** Who certifies the node: agencies that are here, or one elsewhere that gets a request. */
export type CertificateSource =
  | { readonly kind: "certified"; readonly agencies: ForBothPorts<Agency> }
  | {
      readonly kind: "requested";
      /** Certificates of the chain in DER. */
      readonly authorities: ForBothPorts<Uint8Array>;
    };

/** A node that is to be made, with the name in its certificates. */
export interface NamedOrder extends NodeOrder {
  readonly name: string;
}

/** Who a new node is; the key is new. @throws FolderFault mismatch */
export function newIdentity(
  { name, suite }: Applicant,
  certificates: CertificateSource,
  context: IssueContext,
): Identity {
  if (certificates.kind === "certified")
    return certifiedIdentity(name, certificates.agencies, context);
  return requestingIdentity({ name, suite }, certificates.authorities, context.entropy);
}

/** A node for a running chain, with a new key. @throws FolderFault mismatch */
export function furtherNode(
  order: NamedOrder,
  certificates: CertificateSource,
  context: IssueContext,
): { readonly files: readonly FileToWrite[]; readonly nodeId: NodeId } {
  const { name, ...node } = order;
  const identity = newIdentity({ name, suite: node.settings.suite }, certificates, context);
  return { files: nodeFolderFiles(node, identity), nodeId: identity.nodeId };
}

/** Where a node of a chain is dialled: the entry of its own list with its own port. */
export function ownEndpoint({ config, ports }: FoundNode): Endpoint | undefined {
  const own = config.p2p.peers.filter(({ port }) => port === ports.p2p);
  if (own.length <= 1) return own[0];
  const { ip } = config.p2p.listen;
  return own.find(({ host }) => host === ip);
}

/** Two lists as one, without what is there twice. */
export function mergedPeers(...lists: readonly (readonly Endpoint[])[]): readonly Endpoint[] {
  const all = new Map(lists.flat().map((peer) => [`${peer.host} ${peer.port}`, peer]));
  return [...all.values()];
}

/** What is asked of a node that is made after another one. */
export interface FurtherNodeOptions {
  readonly name: string;
  readonly host: string;
  readonly ports: NodePorts;
  /** Where JSON-RPC is listened for; as the other node does when absent. */
  readonly rpcIp?: string | undefined;
  /** Where SDKs are listened for; by the host when absent. */
  readonly channelIp?: string | undefined;
  readonly program: ProgramPlace;
  /** Those of the other node when absent. */
  readonly groups?: readonly PackedGroup[];
  /** Dialled besides those that the other node dials. */
  readonly peers?: readonly Endpoint[];
}

/** Settings that two nodes of a host cannot have in common, and that a new node begins without. */
const OWN_KEYS = [
  ["metrics", "listen_port"],
  ["p2p", "ws_listen_port"],
] as const;

/**
 * The order for a node that is set up as another node of the chain is: chain id, versions, limits
 * and logs are the same, addresses and ports its own.
 * @throws FolderFault unusable when the other node's token cannot be read
 */
export async function orderAfter(
  from: FoundNode,
  options: FurtherNodeOptions,
): Promise<NamedOrder> {
  const { name, host, ports, program } = options;
  const { config } = from;
  const listenIp = listenIpOf(host);
  const tokenFile = config.rpc.management.tokenFile || undefined;
  const token =
    tokenFile === undefined ? undefined : await readText(resolve(from.folder, tokenFile));
  const own = { host, port: ports.p2p };
  const peers = mergedPeers(config.p2p.peers, options.peers ?? [], [own]);
  let template = from.text;
  for (const [section, key] of OWN_KEYS) template = removeValue(template, { section, key });
  const suite = config.identity.suite;
  return {
    name,
    program,
    settings: {
      suite,
      rpcIp: options.rpcIp ?? config.rpc.jsonrpc.ip,
      channelIp: options.channelIp ?? listenIp,
      p2pIp: listenIp,
      ports,
      peers,
      ...(tokenFile === undefined ? {} : { tokenFile }),
    },
    groups: options.groups ?? from.groups.map(({ id, text }) => ({ id, genesis: text })),
    templates: { [suite === "national" ? "config.ini.gm" : "config.ini"]: template },
    token: token?.trim(),
  };
}

/** Agencies that are new, and their files. */
export interface SigningAgencies {
  readonly agencies: ForBothPorts<Agency>;
  /** Paths are absolute. */
  readonly files: readonly FileToWrite[];
}

/**
 * The agency that certifies nodes, and on a national chain the one of the same name for SDK ports.
 * @param place folder of the chain, or its cert folder
 * @throws FolderFault missing, when keys are not here
 */
export async function readSigners(place: string, name: string): Promise<ForBothPorts<Agency>> {
  const { folder, suite } = await authorityHome(place);
  const node = await readAgency(folder, name);
  if (suite === "standard") return { node };
  return { node, origin: await readAgency(join(folder, ORIGIN_AUTHORITY), name) };
}

/**
 * A new agency of a chain, with its SDK; nothing is written.
 * @throws FolderFault exists; missing when the chain's key is not here
 */
export async function newSigners(
  place: string,
  name: string,
  context: IssueContext,
): Promise<SigningAgencies> {
  const { folder, suite } = await authorityHome(place);
  const path = join(folder, name, suiteFile("agency.crt", suite));
  if ((await readText(path)) !== undefined)
    throw new FolderFault("exists", `agency ${name} exists already: leave out --new-agency.`);
  const node = createAgency(name, await readAuthority(folder), context);
  // SDKs lie next to cert/; where the CA has a folder of its own, in that one.
  const isInChain = basename(folder) === AUTHORITY_FOLDER;
  const base = isInChain ? dirname(folder) : folder;
  const authority = isInChain ? AUTHORITY_FOLDER : "";
  const files = below(base, agencyFolder(authority, node, context));
  if (suite === "standard") return { agencies: { node }, files };
  const originFolder = join(folder, ORIGIN_AUTHORITY);
  const origin = createAgency(name, await readAuthority(originFolder), context);
  const more = below(base, agencyFolder(join(authority, ORIGIN_AUTHORITY), origin, context));
  return { agencies: { node, origin }, files: [...files, ...more] };
}

/** The chain's certificates, as a node of it has them: who asks elsewhere has no CA at hand. */
export async function authoritiesOf(from: FoundNode): Promise<ForBothPorts<Uint8Array>> {
  const { identity } = from.config;
  const node = await readCertificate(resolve(from.folder, identity.caCert));
  if (identity.suite === "standard") return { node };
  return { node, origin: await readCertificate(channelPaths(from.folder, from.config).ca) };
}
