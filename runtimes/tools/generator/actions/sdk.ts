/** --get_sdk_file: what an SDK or a console of the agency needs. Source: generator 6.4 */
import type { Agency } from "../../../folder/authority.ts";
import { issueSdk, type Signers } from "../../../folder/holder-files.ts";
import type { FileToWrite } from "../../../folder/whole-files.ts";
import { isThere } from "../../../folder/whole-tree.ts";
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
  agency: Signers<Agency>,
  templates: ToolTemplates,
): FileToWrite[] {
  const isNational = agency.main.key.suite === "national";
  const known = { groupId, agency: agency.main.name, isNational };
  return connectionFiles(sdkTarget(nodes, known), templates);
}

/** Its pair, made once; and whether it is new. */
async function sdkPair(
  agency: Signers<Agency>,
  context: ToolContext,
): Promise<{ readonly files: readonly FileToWrite[]; readonly isNew: boolean }> {
  const folder = inMeta(context, "sdk");
  if (await isThere(folder)) return { files: await filesIn(folder), isNew: false };
  return { files: issueSdk(agency, context), isNew: true };
}

/** --get_sdk_file DIR */
export const getSdkFile: Action = async (context, [dir]) => {
  const folder = pathOf(context, dir);
  await refusePresent(folder, "choose a new folder");
  const own = await readOwnDeployment(context);
  const quiet = { ...context, options: { ...context.options, checksPorts: false } };
  const [deployment = own] = await checkHost([own], quiet);
  const agency = await requireAgency(context);
  const { files, isNew } = await sdkPair(agency, context);
  const connections = connectionsOf(deployment, agency, await readTemplates(context.home));
  return {
    home: context.home,
    files: [
      ...(isNew ? placed(inMeta(context, "sdk"), files) : []),
      ...placed(folder, [...files, ...connections]),
    ],
    result: { folder },
    says: [`SDK files in ${folder}`],
  };
};
