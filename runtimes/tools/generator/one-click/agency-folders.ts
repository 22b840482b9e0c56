/** The agencies of a work folder, all checked before anything is made. Source: generator 9 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { isThere } from "../../../folder/whole-tree.ts";
import { isCertificateName } from "../../../formats/certificates/certificate-terms.ts";
import { ConfigFault, problemText } from "../../../formats/config/config-fault.ts";
import type { ToolContext } from "../context.ts";
import { clashes, type Deployment, inputText } from "../input/deployment-ini.ts";
import { checkHost } from "../input/host-checks.ts";
import { readDeploymentAt } from "../input/own-deployment.ts";

const INI = "node_deployment.ini";
/** The tool folder that acts for an agency. */
export const AGENCY_TOOL = "generator-agency";
/** Key and certificate of an agency. */
export const AGENCY_CERT = "agency_cert";

/** An agency of a work folder. */
export interface AgencyFolder {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly deployment: Deployment;
  readonly ini: string;
  /** It is on the chain already. */
  readonly hasCertificate: boolean;
}

/** What the exchange area must not hold. Source: generator 9.1 (1) */
export const LEFT_OVER = /^(gm)?(ca|agency)\.|^(gm)?cert_|^node_/;

/** @throws FolderFault exists, that names the files */
export async function refuseUsedMeta({ home }: ToolContext): Promise<void> {
  const names = await readdir(join(home, "meta")).catch(() => []);
  const found = names.filter((name) => LEFT_OVER.test(name)).sort();
  if (found.length === 0) return;
  const said = `${join(home, "meta")} holds ${found.join(", ")} of other work`;
  const next = "clean it with: bash one_click_generator.sh -clean";
  throw new FolderFault("exists", `${said}; keep what is still needed, and ${next}`);
}

async function agencyNames(work: string): Promise<readonly string[]> {
  const entries = await readdir(work, { withFileTypes: true }).catch((cause: unknown) => {
    throw new FolderFault("missing", `${work}: there is no such folder.`, { cause });
  });
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name);
  if (names.length > 0) return names.sort();
  const next = `make a folder for each agency, with ${INI} in it`;
  throw new FolderFault("missing", `no agency folder found in ${work}: ${next}.`);
}

async function readAgency(work: string, name: string, context: ToolContext): Promise<AgencyFolder> {
  const path = join(work, name);
  if (!isCertificateName(name)) {
    const wanted = 'letters, digits, ".", "_" and "-"';
    throw new FolderFault("argument", `${path}: the name of an agency has ${wanted}.`);
  }
  if (await isThere(join(path, AGENCY_TOOL))) {
    const said = `${join(path, AGENCY_TOOL)} exists already: this agency's nodes are built`;
    throw new FolderFault("exists", `${said}; expand in a new folder with -e.`);
  }
  const file = join(name, INI);
  const ini = await inputText(join(path, INI), join(path, INI));
  const deployment = await readDeploymentAt(join(path, INI), file, context);
  const hasCertificate = await isThere(join(path, AGENCY_CERT));
  return { name, path, deployment, ini, hasCertificate };
}

/**
 * All agencies of a work folder by name, with every problem in one message.
 * @throws FolderFault, whose message has a line for each problem
 */
export async function readAgencyFolders(
  work: string,
  context: ToolContext,
): Promise<readonly AgencyFolder[]> {
  const problems: string[] = [];
  const found: AgencyFolder[] = [];
  for (const name of await agencyNames(work)) {
    try {
      found.push(await readAgency(work, name, context));
    } catch (error) {
      if (!(error instanceof FolderFault) && !(error instanceof ConfigFault)) throw error;
      problems.push(error.message);
    }
  }
  // Those of one file were found when it was read.
  problems.push(...clashes(found.map(({ deployment }) => deployment)).map(problemText));
  if (problems.length > 0) throw new FolderFault("unusable", problems.join("\n"));
  const deployments = await checkHost(
    found.map(({ deployment }) => deployment),
    context,
  );
  return found.map((agency, index) => ({
    ...agency,
    deployment: deployments[index] ?? agency.deployment,
  }));
}
