/** The input files of the tool folder, with what is worth knowing about them said. */
import { join } from "node:path";
import { type Reading, warningText } from "../../../formats/config/config-fault.ts";
import type { ToolContext } from "../context.ts";
import { type Deployment, inputText, readDeployment } from "./deployment-ini.ts";
import { type PlannedGenesis, readGenesisIni } from "./genesis-ini.ts";

/** conf/node_deployment.ini. Source: generator 1 */
export const DEPLOYMENT_INI = "conf/node_deployment.ini";
/** conf/group_genesis.ini. Source: generator 1 */
export const GENESIS_INI = "conf/group_genesis.ini";

function told<T>({ value, warnings }: Reading<T>, { report }: Pick<ToolContext, "report">): T {
  for (const warning of warnings) report.warn(warningText(warning));
  return value;
}

/** A node_deployment.ini. @throws FolderFault missing; ConfigFault */
export async function readDeploymentAt(
  path: string,
  file: string,
  context: Pick<ToolContext, "report">,
): Promise<Deployment> {
  return told(readDeployment(await inputText(path, file), file), context);
}

/** That of the tool folder. @throws FolderFault missing; ConfigFault */
export async function readOwnDeployment(context: ToolContext): Promise<Deployment> {
  const path = join(context.home, DEPLOYMENT_INI);
  return await readDeploymentAt(path, DEPLOYMENT_INI, context);
}

/** The group_genesis.ini of the tool folder. @throws FolderFault missing; ConfigFault */
export async function readOwnGenesis(context: ToolContext): Promise<PlannedGenesis> {
  const text = await inputText(join(context.home, GENESIS_INI), GENESIS_INI);
  return told(readGenesisIni(text, GENESIS_INI), context);
}
