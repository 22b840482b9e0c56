/** The actions that make certificates. Source: generator 2, 5 */
import { dirname, join } from "node:path";
import type { Agency } from "../../../folder/authority.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import {
  agencyFilesOf,
  certifiedIdentity,
  chainFilesOf,
  createAgencies,
  createAuthorities,
  type ForBothPorts,
  issueSdk,
  readAgencies,
  readAuthorities,
} from "../../../folder/holder-files.ts";
import type { FileToWrite } from "../../../folder/whole-files.ts";
import { isThere } from "../../../folder/whole-tree.ts";
import { isCertificateName } from "../../../formats/certificates/certificate-terms.ts";
import { ENDPOINT } from "../../../formats/config/config-kinds.ts";
import { SUITE_NAMES, suiteFile } from "../../../formats/config/suite-files.ts";
import { inMeta, type Action, pathOf, placed, type ToolContext } from "../context.ts";
import type { Deployment } from "../input/deployment-ini.ts";
import { certificateName, refuseMissing } from "../input/meta-files.ts";
import { readOwnDeployment } from "../input/own-deployment.ts";
import { peersText } from "../input/peers-file.ts";
import { nodeFolder } from "../nodes-folder.ts";

/** @throws FolderFault exists */
export async function refusePresent(path: string, next: string): Promise<void> {
  if (await isThere(path)) throw new FolderFault("exists", `${path} exists already: ${next}.`);
}

/** @throws FolderFault argument */
export function requireName(name: string | undefined, what: string): string {
  if (name !== undefined && isCertificateName(name)) return name;
  const wanted = 'letters, digits, ".", "_" and "-", 64 at most';
  throw new FolderFault("argument", `"${name ?? ""}" is no name of ${what}: ${wanted}.`);
}

/** Source: generator 2, 9.3 */
export async function refuseAuthority(folder: string): Promise<void> {
  const names = SUITE_NAMES.flatMap((suite) =>
    ["ca.key", "ca.crt"].map((n) => suiteFile(n, suite)),
  );
  for (const name of names) {
    const next = "a chain lives by it, and it is never overwritten; choose another folder";
    await refusePresent(join(folder, name), next);
  }
}

/** --generate_chain_certificate CHAIN_DIR */
export const generateChain: Action = async (context, [dir]) => {
  const folder = pathOf(context, dir);
  await refuseAuthority(folder);
  const files = chainFilesOf(createAuthorities(context.options.suite, context));
  const next = "keep ca.key off the nodes' hosts; it makes agencies with";
  const says = [`${next} generator --generate_agency_certificate PARENT_DIR ${dir} NAME`];
  return { home: folder, files: placed(folder, files), says };
};

/** --generate_agency_certificate PARENT_DIR CHAIN_DIR NAME */
export const generateAgency: Action = async (context, [parent, chain, given]) => {
  const name = requireName(given, "an agency");
  const folder = join(pathOf(context, parent), name);
  await refusePresent(folder, "choose another folder or name");
  const ca = await readAuthorities(pathOf(context, chain), context.options.suite);
  const files = agencyFilesOf(createAgencies(name, ca, context));
  return { home: dirname(folder), files: placed(folder, files) };
};

/** --generate_node_certificate PARENT_DIR AGENCY_DIR NAME */
export const generateNode: Action = async (context, [parent, agencyDir, given]) => {
  const name = requireName(given, "a node");
  const folder = join(pathOf(context, parent), name);
  await refusePresent(folder, "choose another folder or name");
  const agency = await readAgencies(pathOf(context, agencyDir), context.options.suite);
  const { nodeId, files } = certifiedIdentity(name, agency, context);
  return {
    home: dirname(folder),
    files: placed(folder, files),
    result: { nodeId },
    says: [`node ID ${nodeId}`],
  };
};

/** --generate_sdk_certificate PARENT_DIR AGENCY_DIR */
export const generateSdk: Action = async (context, [parent, agencyDir]) => {
  const folder = join(pathOf(context, parent), "sdk");
  await refusePresent(folder, "choose another folder");
  const agency = await readAgencies(pathOf(context, agencyDir), context.options.suite);
  return { home: dirname(folder), files: placed(folder, issueSdk(agency, context)) };
};

/** A node of an agency that has its certificate now. */
export interface CertifiedNode {
  readonly label: string;
  readonly nodeId: string;
  readonly files: readonly FileToWrite[];
  readonly certificate: string;
}

/** Certificates of all nodes of an agency. Source: generator 5.1 */
export function certifyNodes(
  { nodes }: Deployment,
  agency: ForBothPorts<Agency>,
  context: ToolContext,
): readonly CertifiedNode[] {
  const own = suiteFile("node.crt", context.options.suite);
  return nodes.map((node) => {
    const { nodeId, files } = certifiedIdentity(nodeFolder(node), agency, context);
    const certificate = files.find(({ path }) => path === own)?.text ?? "";
    return { label: node.label, nodeId, files, certificate };
  });
}

/** The files of certified nodes in the exchange area. */
export function exchangeFiles(
  nodes: readonly CertifiedNode[],
  { options }: Pick<ToolContext, "options">,
): FileToWrite[] {
  return nodes.flatMap(({ label, files, certificate }): FileToWrite[] => [
    ...files.map((file) => ({ ...file, path: join(nodeFolder({ label }), file.path) })),
    { path: certificateName(label, options.suite), text: certificate, use: "text" },
  ]);
}

/** What an agency sends to the others: no private key is in it. Source: generator 5.1 */
export function sentFiles(
  nodes: readonly CertifiedNode[],
  deployment: Deployment,
  { options }: Pick<ToolContext, "options">,
): FileToWrite[] {
  const peers = deployment.nodes.map(({ endpoint }) => endpoint);
  return [
    ...nodes.map(
      ({ label, certificate }): FileToWrite => ({
        path: certificateName(label, options.suite),
        text: certificate,
        use: "text",
      }),
    ),
    { path: "peers.txt", text: peersText(peers), use: "text" },
  ];
}

/** The files of the agency in meta. @throws FolderFault missing, with all that are not there */
export async function requireAgency(context: ToolContext): Promise<ForBothPorts<Agency>> {
  const { suite } = context.options;
  const stems = ["ca.crt", "agency.crt", "agency.key"];
  const used = suite === "national" ? SUITE_NAMES : [suite];
  const names = used.flatMap((each) => stems.map((stem) => suiteFile(stem, each)));
  const missing: string[] = [];
  for (const name of names) {
    const next = "the owner of the chain makes it with --generate_agency_certificate";
    if (!(await isThere(inMeta(context, name))))
      missing.push(`${inMeta(context, name)} is missing: ${next}.`);
  }
  refuseMissing(missing);
  return await readAgencies(inMeta(context), suite);
}

/** --generate_all_certificates DIR. Source: generator 5.1 */
export const generateAll: Action = async (context, [dir]) => {
  const folder = pathOf(context, dir);
  const deployment = await readOwnDeployment(context);
  const agency = await requireAgency(context);
  await refusePresent(join(folder, "peers.txt"), "choose another folder");
  const { suite } = context.options;
  for (const node of deployment.nodes) {
    const next = "its node has a key already; remove it only when that node was never used";
    await refusePresent(inMeta(context, certificateName(node.label, suite)), next);
    await refusePresent(inMeta(context, nodeFolder(node)), next);
  }
  const nodes = certifyNodes(deployment, agency, context);
  return {
    home: context.home,
    files: [
      ...placed(inMeta(context), exchangeFiles(nodes, context)),
      ...placed(folder, sentFiles(nodes, deployment, context)),
    ],
    result: { nodes: nodes.map(({ label, nodeId }) => ({ name: `node_${label}`, nodeId })) },
    says: [
      ...deployment.nodes.map(({ endpoint, label }) => {
        const id = nodes.find((each) => each.label === label)?.nodeId ?? "";
        return `${ENDPOINT.write(endpoint)} ${id}`;
      }),
      `${folder} holds no private key: send it to the agency that makes the genesis, and its`,
      "peers.txt to all",
    ],
  };
};
