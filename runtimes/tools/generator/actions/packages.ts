/** The actions that write nodes: -b and --build_package_only. Source: generator 6 */
import { dirname, join } from "node:path";
import { readCertificate } from "../../../folder/authority.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { shellWord } from "../../../folder/node-scripts.ts";
import { isThere } from "../../../folder/whole-tree.ts";
import { readGenesisFile } from "../../../formats/config/genesis-file.ts";
import { ENDPOINT } from "../../../formats/config/config-kinds.ts";
import { suiteFile } from "../../../formats/config/suite-files.ts";
import { type Action, inMeta, type Outcome, pathOf, placed, type ToolContext } from "../context.ts";
import type { DeployedNode, Deployment } from "../input/deployment-ini.ts";
import { checkHost } from "../input/host-checks.ts";
import { certificateName, identityIn, refuseMissing } from "../input/meta-files.ts";
import { DEPLOYMENT_INI, readOwnDeployment } from "../input/own-deployment.ts";
import { readPeers } from "../input/peers-file.ts";
import { nodeFolder, nodesFolderFiles, type PackedNode } from "../nodes-folder.ts";
import { programIn } from "../program.ts";
import { readTemplates } from "../tool-templates.ts";
import { refusePresent } from "./certificates.ts";
import { readText } from "../../../folder/whole-files.ts";

/** SM TLS is what config.ini would ask for, and what a node refuses. Source: groups 8 */
export function refuseSmTls({ options }: ToolContext): void {
  if (!options.smTls) return;
  const said = "SM TLS for SDKs (-G) is not offered by this node, which would refuse to start";
  throw new FolderFault("unusable", `${said}: use -g, where SDKs use ordinary TLS.`);
}

/** The deployment of the tool folder, checked against this host. */
async function checkedDeployment(context: ToolContext): Promise<Deployment> {
  const deployment = await readOwnDeployment(context);
  const [checked = deployment] = await checkHost([deployment], context);
  return checked;
}

/** A group's genesis in meta, which must be of that group. */
export interface KnownGenesis {
  readonly id: number;
  readonly genesis: string;
  readonly sealers: readonly string[];
}

/** @throws FolderFault missing, mismatch; ConfigFault */
export async function readGenesis(path: string, id: number, file: string): Promise<KnownGenesis> {
  const genesis = await readText(path);
  if (genesis === undefined) {
    const said = `${path} is missing: [group] group_id of ${file} is ${id}`;
    const next = "get the file from the agency that made it, or make it with -c";
    throw new FolderFault("missing", `${said}; ${next}.`);
  }
  const { groupId, sealers } = readGenesisFile(genesis, path).value.genesis;
  if (groupId !== id)
    throw new FolderFault("mismatch", `${path} is of group ${groupId}, not of group ${id}.`);
  return { id, genesis, sealers };
}

/** @throws FolderFault missing, with a line for each certificate that is not there */
async function requireCertificates(
  nodes: readonly DeployedNode[],
  context: ToolContext,
): Promise<void> {
  const missing: string[] = [];
  for (const { section, label } of nodes) {
    const path = inMeta(context, certificateName(label, context.options.suite));
    const next = `of [${section}]: make it with --generate_all_certificates`;
    if (!(await isThere(path))) missing.push(`${path} is missing, ${next}.`);
  }
  refuseMissing(missing);
}

function packageOutcome(
  out: string,
  packed: readonly PackedNode[],
  rest: Pick<Outcome, "home" | "files">,
): Outcome {
  const nodes = packed.map(({ node }) => ({
    name: nodeFolder(node),
    endpoint: ENDPOINT.write(node.endpoint),
    ports: node.ports,
  }));
  const start = shellWord(join(out, "start_all.sh"));
  const says = [`${packed.length} nodes in ${out}; start them with: bash ${start}`];
  return { ...rest, result: { folder: out, nodes }, says };
}

/** -b PEERS_FILE OUT_DIR */
export const buildInstallPackage: Action = async (context, [peersFile, outDir]) => {
  refuseSmTls(context);
  const { suite } = context.options;
  const out = pathOf(context, outDir);
  const deployment = await checkedDeployment(context);
  // In the order in which the steps before this one are done.
  const program = await programIn(inMeta(context));
  const ca = await readCertificate(inMeta(context, suiteFile("ca.crt", suite)));
  const peers = await readPeers(pathOf(context, peersFile));
  const { groupId, nodes } = deployment;
  const path = inMeta(context, `group.${groupId}.genesis`);
  const group = await readGenesis(path, groupId, DEPLOYMENT_INI);
  await refusePresent(out, "choose a new folder");
  await requireCertificates(nodes, context);
  const packed: PackedNode[] = [];
  for (const node of nodes) packed.push({ node, identity: await identityIn(node, ca, context) });
  const templates = await readTemplates(context.home);
  const folder = { nodes: packed, peers, groups: [group], program, templates };
  const files = placed(out, nodesFolderFiles(folder, context));
  return packageOutcome(out, packed, { home: dirname(out), files });
};

/** --build_package_only OUT_DIR PEERS_FILE */
export const buildPackageOnly: Action = async (context, [outDir, peersFile]) => {
  refuseSmTls(context);
  const out = pathOf(context, outDir);
  const { nodes, groupId } = await checkedDeployment(context);
  const program = await programIn(inMeta(context));
  const path = pathOf(context, peersFile);
  const peers = (await isThere(path)) ? await readPeers(path) : [];
  await refusePresent(out, "choose a new folder");
  const packed = nodes.map((node) => ({ node, identity: [] }));
  const templates = await readTemplates(context.home);
  const folder = { nodes: packed, peers, groups: [{ id: groupId }], program, templates };
  const files = placed(out, nodesFolderFiles(folder, context));
  return packageOutcome(out, packed, { home: dirname(out), files });
};
