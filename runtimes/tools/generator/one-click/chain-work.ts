/** What building and expanding a chain have in common. Source: generator 9.1 */
import { join } from "node:path";
import { equalBytes } from "../../../../core/bytes/bytes.ts";
import type { Agency, Signer } from "../../../folder/authority.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { createAgencies, type ForBothPorts, readAgencies } from "../../../folder/holder-files.ts";
import type { PlacedFile } from "../../../folder/whole-tree.ts";
import { ENDPOINT, type Endpoint } from "../../../formats/config/config-kinds.ts";
import { suiteFile } from "../../../formats/config/suite-files.ts";
import { certifyNodes } from "../actions/certificates.ts";
import type { KnownGenesis } from "../actions/packages.ts";
import { inMeta, type Outcome, placed, type ToolContext } from "../context.ts";
import { peersText } from "../input/peers-file.ts";
import { programFor } from "../program.ts";
import { toolFolderCopy } from "../tool-folder.ts";
import { readTemplates } from "../tool-templates.ts";
import {
  agencyFiles,
  agencyResult,
  type AgencyWork,
  asidesOf,
  type CommonWork,
  nextSteps,
} from "./agency-files.ts";
import { AGENCY_CERT, type AgencyFolder } from "./agency-folders.ts";

/** All nodes of a chain, in its work folder. */
export const PEERS = "peers.txt";

/** An agency's certificates, and those of its nodes. */
export async function workOf(
  agency: AgencyFolder,
  ca: ForBothPorts<Signer>,
  context: ToolContext,
): Promise<AgencyWork> {
  context.report.info(`certificates of ${agency.name} are being made`);
  const signers = agency.hasCertificate
    ? await knownAgency(agency, ca, context)
    : createAgencies(agency.name, ca, context);
  return { agency, signers, nodes: certifyNodes(agency.deployment, signers, context) };
}

/** The certificate of an agency that is on the chain. @throws FolderFault mismatch */
async function knownAgency(
  { path }: AgencyFolder,
  ca: ForBothPorts<Signer>,
  { options }: ToolContext,
): Promise<ForBothPorts<Agency>> {
  const folder = join(path, AGENCY_CERT);
  const signers = await readAgencies(folder, options.suite);
  const { node, origin = node } = signers;
  const isOf = (agency: Agency, signer: Signer) => equalBytes(agency.ca, signer.certificate);
  const isOfChain = isOf(node, ca.node) && isOf(origin, ca.origin ?? ca.node);
  if (isOfChain) return signers;
  const authority = suiteFile("ca.crt", options.suite);
  const said = `${folder} is of another chain than ${authority} next to it`;
  throw new FolderFault("mismatch", `${said}: copy the agency_cert of this chain.`);
}

/** What all agencies of a run get. @throws FolderFault */
export async function commonWork(
  peers: readonly Endpoint[],
  context: ToolContext,
): Promise<CommonWork> {
  return {
    peers,
    program: await programFor(inMeta(context)),
    templates: await readTemplates(context.home),
    tool: await toolFolderCopy(context.home, context.program),
  };
}

/** A chain, or a part of one, that is ready to be written. */
export interface WrittenChain {
  readonly work: string;
  readonly works: readonly AgencyWork[];
  readonly common: CommonWork;
  readonly groups: readonly KnownGenesis[];
  /** Of the chain itself. */
  readonly own: readonly PlacedFile[];
}

/** All files of a run, and what is reported of them. */
export async function outcomeOf(
  { work, works, common, groups, own }: WrittenChain,
  context: ToolContext,
): Promise<Outcome> {
  const files: PlacedFile[] = [...own];
  for (const each of works) {
    const { groupId } = each.agency.deployment;
    const group = groups.find(({ id }) => id === groupId);
    if (group) files.push(...agencyFiles(each, common, group, context));
  }
  const asides = (await Promise.all(works.map((each) => asidesOf(each, context)))).flat();
  const peers: PlacedFile = { path: PEERS, text: peersText(common.peers), use: "text" };
  files.push(...placed(work, [peers], true));
  return {
    home: work,
    files,
    asides,
    result: {
      folder: work,
      groups: groups.map(({ id }) => id),
      peers: common.peers.map(ENDPOINT.write),
      agencies: works.map(agencyResult),
    },
    says: nextSteps(works),
  };
}

/** Where the nodes of the agencies are. */
export function endpointsOf(agencies: readonly AgencyFolder[]): readonly Endpoint[] {
  return agencies.flatMap(({ deployment }) => deployment.nodes.map(({ endpoint }) => endpoint));
}
