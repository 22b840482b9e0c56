/** one_click_generator.sh -b and -e: a chain of several agencies at once. Source: generator 9 */
import { join } from "node:path";
import { equalBytes } from "../../../../core/bytes/bytes.ts";
import type { Agency, Signer } from "../../../folder/authority.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import {
  chainFilesOf,
  createAgencies,
  createAuthorities,
  readAgencies,
  readAuthorities,
  type Signers,
} from "../../../folder/holder-files.ts";
import { genesisTimestamp } from "../../../folder/node-texts.ts";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { isThere, type PlacedFile } from "../../../folder/whole-tree.ts";
import { ENDPOINT, type Endpoint } from "../../../formats/config/config-kinds.ts";
import { SUITE_NAMES, suiteFile } from "../../../formats/config/suite-files.ts";
import { certifyNodes, refuseAuthority } from "../actions/certificates.ts";
import { refuseSameIds } from "../actions/genesis.ts";
import { type KnownGenesis, readGenesis, refuseSmTls } from "../actions/packages.ts";
import { type Action, inMeta, type Outcome, pathOf, placed, type ToolContext } from "../context.ts";
import { nodeLabel } from "../input/hosts.ts";
import { refuseMissing } from "../input/meta-files.ts";
import { peersText, readPeers, sortedPeers } from "../input/peers-file.ts";
import { programFor } from "../program.ts";
import { toolFolderCopy } from "../tool-folder.ts";
import { genesisFrom, readTemplates } from "../tool-templates.ts";
import {
  agencyFiles,
  agencyResult,
  type AgencyWork,
  asidesOf,
  type CommonWork,
  nextSteps,
} from "./agency-files.ts";
import {
  AGENCY_CERT,
  type AgencyFolder,
  readAgencyFolders,
  refuseUsedMeta,
} from "./agency-folders.ts";

const PEERS = "peers.txt";

/** An agency's certificates, and those of its nodes. */
async function workOf(
  agency: AgencyFolder,
  ca: Signers<Signer>,
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
  ca: Signers<Signer>,
  { options }: ToolContext,
): Promise<Signers<Agency>> {
  const folder = join(path, AGENCY_CERT);
  const signers = await readAgencies(folder, options.suite);
  if (equalBytes(signers.main.ca, ca.main.certificate)) return signers;
  const said = `${folder} is of another chain than ${suiteFile("ca.crt", options.suite)} beside it`;
  throw new FolderFault("mismatch", `${said}: copy the agency_cert of this chain.`);
}

async function commonWork(peers: readonly Endpoint[], context: ToolContext): Promise<CommonWork> {
  return {
    peers,
    program: await programFor(inMeta(context)),
    templates: await readTemplates(context.home),
    tool: await toolFolderCopy(context.home, context.program),
  };
}

interface Written {
  readonly work: string;
  readonly works: readonly AgencyWork[];
  readonly common: CommonWork;
  readonly groups: readonly KnownGenesis[];
  /** Of the chain itself. */
  readonly own: readonly PlacedFile[];
}

async function outcomeOf(
  { work, works, common, groups, own }: Written,
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

/** All agencies of a new chain begin in one group. @throws FolderFault */
function oneGroup(agencies: readonly AgencyFolder[]): number {
  const ids = new Set(agencies.map(({ deployment }) => deployment.groupId));
  const [id = 0] = ids;
  if (ids.size === 1) return id;
  const each = agencies.map(({ name, deployment }) => `${name} has ${deployment.groupId}`);
  const said = `agencies of a new chain begin in one group, and ${each.join(", ")}`;
  throw new FolderFault("unusable", `[group] group_id: ${said}.`);
}

/** Node IDs in the order of the sorted peers. */
function sealersOf(works: readonly AgencyWork[]): readonly NodeId[] {
  const ids = new Map(works.flatMap(({ nodes }) => nodes.map((node) => [node.label, node.nodeId])));
  const members = sortedPeers(
    ...works.map(({ agency }) => agency.deployment.nodes.map(({ endpoint }) => endpoint)),
  );
  const found = members.map((endpoint) => ids.get(nodeLabel(endpoint)) as NodeId);
  refuseSameIds(members, found);
  return found;
}

async function presentPeers(work: string): Promise<readonly Endpoint[]> {
  const path = join(work, PEERS);
  return (await isThere(path)) ? await readPeers(path) : [];
}

function endpointsOf(agencies: readonly AgencyFolder[]): readonly Endpoint[] {
  return agencies.flatMap(({ deployment }) => deployment.nodes.map(({ endpoint }) => endpoint));
}

/** -b WORK_DIR: a new chain. Source: generator 9.1 */
export const buildChain: Action = async (context, [dir]) => {
  refuseSmTls(context);
  await refuseUsedMeta(context);
  const work = pathOf(context, dir);
  const agencies = await readAgencyFolders(work, context);
  await refuseAuthority(work);
  const id = oneGroup(agencies);
  const used = agencies.find(({ hasCertificate }) => hasCertificate);
  if (used) {
    const said = `${join(used.path, AGENCY_CERT)} is of a chain that is there already`;
    throw new FolderFault("exists", `${said}: expand that with -e, or remove the folder.`);
  }
  const ca = createAuthorities(context.options.suite, context);
  const works: AgencyWork[] = [];
  for (const agency of agencies) works.push(await workOf(agency, ca, context));
  const peers = sortedPeers(await presentPeers(work), endpointsOf(agencies));
  const common = await commonWork(peers, context);
  const sealers = sealersOf(works);
  const timestamp = genesisTimestamp(context.now);
  const template = common.templates.tool["group.i.genesis"];
  const genesis = genesisFrom(template, { id, sealers, timestamp });
  const own = placed(work, [
    ...chainFilesOf(ca),
    { path: `group.${id}.genesis`, text: genesis, use: "text" },
  ]);
  const groups = [{ id, genesis, sealers }];
  return await outcomeOf({ work, works, common, groups, own }, context);
};

/** What an expansion needs of the chain. @throws FolderFault missing, with all that is not there */
async function requireChain(
  work: string,
  agencies: readonly AgencyFolder[],
  { options }: ToolContext,
): Promise<void> {
  const suites = options.suite === "national" ? SUITE_NAMES : [options.suite];
  const ids = [...new Set(agencies.map(({ deployment }) => deployment.groupId))];
  const names = [
    ...suites.flatMap((suite) => [suiteFile("ca.crt", suite), suiteFile("ca.key", suite)]),
    PEERS,
    ...ids.map((id) => `group.${id}.genesis`),
  ];
  const missing: string[] = [];
  for (const name of names) {
    const next = "copy it from the work folder of the chain";
    if (!(await isThere(join(work, name))))
      missing.push(`${join(work, name)} is missing: ${next}.`);
  }
  refuseMissing(missing);
}

/** Nodes of the chain keep their endpoints. @throws FolderFault exists */
function refuseKnown(known: readonly Endpoint[], agencies: readonly AgencyFolder[]): void {
  const texts = new Set(known.map(ENDPOINT.write));
  const twice = endpointsOf(agencies)
    .map(ENDPOINT.write)
    .filter((text) => texts.has(text));
  if (twice.length === 0) return;
  const said = `${twice.join(", ")} of ${PEERS} is a node of the chain already`;
  throw new FolderFault("exists", `${said}: give new nodes other ports.`);
}

/** -e WORK_DIR: new nodes for a chain. Source: generator 9.2 */
export const expandChain: Action = async (context, [dir]) => {
  refuseSmTls(context);
  await refuseUsedMeta(context);
  const work = pathOf(context, dir);
  const agencies = await readAgencyFolders(work, context);
  await requireChain(work, agencies, context);
  const known = await readPeers(join(work, PEERS));
  refuseKnown(known, agencies);
  const groups: KnownGenesis[] = [];
  for (const { deployment } of agencies) {
    const { groupId, file } = deployment;
    if (groups.some(({ id }) => id === groupId)) continue;
    groups.push(await readGenesis(join(work, `group.${groupId}.genesis`), groupId, file));
  }
  const ca = await readAuthorities(work, context.options.suite);
  const works: AgencyWork[] = [];
  for (const agency of agencies) works.push(await workOf(agency, ca, context));
  const peers = sortedPeers(known, endpointsOf(agencies));
  const common = await commonWork(peers, context);
  const written = await outcomeOf({ work, works, common, groups, own: [] }, context);
  const next = "new nodes have no role: register each with addObserver or addSealer in a console";
  return { ...written, says: [...(written.says ?? []), next] };
};
