/** --get_sdk_file: what an SDK or a console of the agency needs. Source: generator 6.4 */
import { equalBytes } from "../../../../core/bytes/bytes.ts";
import type { Agency } from "../../../folder/authority.ts";
import { parseCertificates } from "../../../folder/certificate.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { type ForBothPorts, issueSdk } from "../../../folder/holder-files.ts";
import type { FileToWrite } from "../../../folder/whole-files.ts";
import { isThere, type PlacedFile } from "../../../folder/whole-tree.ts";
import { type Action, inMeta, pathOf, placed, type ToolContext } from "../context.ts";
import { checkHost } from "../input/host-checks.ts";
import { filesIn } from "../input/meta-files.ts";
import type { Deployment } from "../input/deployment-ini.ts";
import { readOwnDeployment } from "../input/own-deployment.ts";
import { connectionFiles, sdkTarget } from "../sdk-files.ts";
import { readTemplates, type ToolTemplates } from "../tool-templates.ts";
import { refusePresent, requireAgency } from "./certificates.ts";

/** The files that tell an SDK where the nodes are. */
export function connectionsOf(
  { nodes, groupId }: Deployment,
  agency: ForBothPorts<Agency>,
  templates: ToolTemplates,
): FileToWrite[] {
  const isNational = agency.node.key.suite === "national";
  const known = { groupId, agency: agency.node.name, isNational };
  return connectionFiles(sdkTarget(nodes, known), templates);
}

/** The pair of an agency's SDKs. */
export interface SdkPair {
  readonly files: readonly FileToWrite[];
  /** What is to be written so that the next SDK gets the same; nothing when it is there. */
  readonly kept: readonly PlacedFile[];
}

/**
 * Made once, and kept in meta.
 * @throws FolderFault mismatch when meta has one of another chain
 * Source: generator 6.4
 */
export async function sdkPair(
  agency: ForBothPorts<Agency>,
  context: ToolContext,
): Promise<SdkPair> {
  const folder = inMeta(context, "sdk");
  if (!(await isThere(folder))) {
    const files = issueSdk(agency, context);
    return { files, kept: placed(folder, files) };
  }
  const files = await filesIn(folder);
  const [ca] = parseCertificates(files.find(({ path }) => path === "ca.crt")?.text ?? "");
  // SDKs connect to the port whose chain is that of the standard suite.
  if (ca && equalBytes(ca, (agency.origin ?? agency.node).ca)) return { files, kept: [] };
  const said = `${folder} is of another chain than ${inMeta(context, "ca.crt")}`;
  throw new FolderFault("mismatch", `${said}: remove it, and a new one is made.`);
}

/** --get_sdk_file DIR */
export const getSdkFile: Action = async (context, [dir]) => {
  const folder = pathOf(context, dir);
  await refusePresent(folder, "choose a new folder");
  const own = await readOwnDeployment(context);
  const quiet = { ...context, options: { ...context.options, checksPorts: false } };
  const [deployment = own] = await checkHost([own], quiet);
  const agency = await requireAgency(context);
  const { files, kept } = await sdkPair(agency, context);
  const connections = connectionsOf(deployment, agency, await readTemplates(context.home));
  return {
    home: context.home,
    files: [...kept, ...placed(folder, [...files, ...connections])],
    result: { folder },
    says: [`SDK files in ${folder}`],
  };
};
