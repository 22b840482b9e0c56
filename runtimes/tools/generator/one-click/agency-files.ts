/** Everything that one_click_generator.sh writes for an agency. Source: generator 9.1 */
import { join } from "node:path";
import type { Agency } from "../../../folder/authority.ts";
import { agencyFilesOf, type ForBothPorts, issueSdk } from "../../../folder/holder-files.ts";
import type { PackedGroup } from "../../../folder/node-package.ts";
import { shellWord } from "../../../folder/node-scripts.ts";
import type { FileToWrite } from "../../../folder/whole-files.ts";
import { type Aside, isThere, type PlacedFile } from "../../../folder/whole-tree.ts";
import { ENDPOINT, type Endpoint } from "../../../formats/config/config-kinds.ts";
import { type CertifiedNode, exchangeFiles } from "../actions/certificates.ts";
import { connectionsOf } from "../actions/sdk.ts";
import { placed, type ToolContext } from "../context.ts";
import { peersText } from "../input/peers-file.ts";
import { nodeFolder, nodesFolderFiles } from "../nodes-folder.ts";
import { inExchange, type NodeProgram } from "../program.ts";
import type { ToolTemplates } from "../tool-templates.ts";
import { AGENCY_CERT, AGENCY_TOOL, type AgencyFolder } from "./agency-folders.ts";

/** An agency with the certificates of its nodes. */
export interface AgencyWork {
  readonly agency: AgencyFolder;
  readonly signers: ForBothPorts<Agency>;
  readonly nodes: readonly CertifiedNode[];
}

/** What all agencies of a run have in common. */
export interface CommonWork {
  /** Of the whole chain. */
  readonly peers: readonly Endpoint[];
  readonly program: NodeProgram;
  readonly templates: ToolTemplates;
  /** A tool folder, relative to it. */
  readonly tool: readonly PlacedFile[];
}

const MILLISECONDS = 1000;

/** Folders of an earlier run that give way, with the time behind their names. */
export async function asidesOf(
  { agency }: AgencyWork,
  { now }: Pick<ToolContext, "now">,
): Promise<readonly Aside[]> {
  const asides: Aside[] = [];
  for (const name of ["node", "sdk"]) {
    const from = join(agency.path, name);
    if (await isThere(from)) asides.push({ from, to: `${from}_${Math.floor(now / MILLISECONDS)}` });
  }
  return asides;
}

/** The exchange area of the agency's own tool folder. */
function agencyMeta(
  work: AgencyWork,
  common: CommonWork,
  { group, sdk }: { readonly group: PackedGroup; readonly sdk: readonly FileToWrite[] },
  context: ToolContext,
): PlacedFile[] {
  const genesis: FileToWrite[] = [
    { path: `group.${group.id}.genesis`, text: group.genesis ?? "", use: "text" },
    { path: "peers.txt", text: peersText(common.peers), use: "text" },
  ];
  return [
    ...agencyFilesOf(work.signers),
    ...exchangeFiles(work.nodes, context),
    ...genesis,
    ...placed("sdk", sdk),
    ...inExchange(common.program),
  ];
}

/** All files of an agency, absolute. */
export function agencyFiles(
  work: AgencyWork,
  common: CommonWork,
  group: PackedGroup,
  context: ToolContext,
): PlacedFile[] {
  const { agency, signers, nodes } = work;
  const { peers, program, templates } = common;
  const packed = agency.deployment.nodes.map((node) => ({
    node,
    identity: nodes.find(({ label }) => label === node.label)?.files ?? [],
  }));
  const sdk = issueSdk(signers, context);
  const folder = { nodes: packed, peers, groups: [group], program, templates };
  const ini: FileToWrite = { path: "conf/node_deployment.ini", text: agency.ini, use: "text" };
  const tool = common.tool.filter(({ path }) => path !== join(ini.path));
  const inTool: PlacedFile[] = [
    ...placed("meta", agencyMeta(work, common, { group, sdk }, context)),
    ...tool,
    ini,
  ];
  const files: PlacedFile[] = [
    ...(agency.hasCertificate ? [] : placed(AGENCY_CERT, agencyFilesOf(signers))),
    ...placed(AGENCY_TOOL, inTool),
    ...placed("sdk", [...sdk, ...connectionsOf(agency.deployment, signers, templates)]),
    ...placed("node", nodesFolderFiles(folder, context)),
  ];
  return placed(agency.path, files);
}

/** What was written, for machines. */
export function agencyResult({ agency, nodes }: AgencyWork) {
  return {
    name: agency.name,
    folder: agency.path,
    nodes: agency.deployment.nodes.map((node) => ({
      name: nodeFolder(node),
      folder: join(agency.path, "node", nodeFolder(node)),
      nodeId: nodes.find(({ label }) => label === node.label)?.nodeId ?? "",
      endpoint: ENDPOINT.write(node.endpoint),
      ports: node.ports,
    })),
    sdk: join(agency.path, "sdk"),
  };
}

/** The way to running nodes, for people. */
export function nextSteps(works: readonly AgencyWork[]): string[] {
  return works.flatMap(({ agency }) => {
    const places = agency.deployment.nodes.map(
      ({ rpcIp, ports }) => `http://${ENDPOINT.write({ host: rpcIp, port: ports.rpc })}`,
    );
    const tool = shellWord(join(agency.path, AGENCY_TOOL));
    return [
      `${agency.name}: ${agency.deployment.nodes.length} nodes, JSON-RPC at ${places.join(", ")}`,
      `  start    bash ${shellWord(join(agency.path, "node", "start_all.sh"))}`,
      `  SDKs     ${join(agency.path, "sdk")}`,
      `  console  cd ${tool} && ./generator --download_console .`,
    ];
  });
}
