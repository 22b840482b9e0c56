/** --download_chain-node and --download_console. Source: generator 11 */
import { join } from "node:path";
import { issueSdk } from "../../../folder/holder-files.ts";
import { type FileToWrite, readText } from "../../../folder/whole-files.ts";
import { isThere, writeTree } from "../../../folder/whole-tree.ts";
import { ENDPOINT } from "../../../formats/config/config-kinds.ts";
import { inMeta, pathOf, placed, type ToolContext } from "../context.ts";
import type { WrittenConsole } from "../distribution/console-writer.ts";
import { downloadConsole, downloadProgram, type DownloadSource } from "../distribution/download.ts";
import { TOOL_SETTINGS } from "../distribution/packed-package.ts";
import type { WrittenProgram } from "../distribution/program-folder.ts";
import type { Modifiers } from "../flags.ts";
import { filesIn } from "../input/meta-files.ts";
import { DEPLOYMENT_INI, readOwnDeployment } from "../input/own-deployment.ts";
import { sdkTarget } from "../sdk-files.ts";
import { requireAgency } from "./certificates.ts";

async function sourceOf(context: ToolContext, modifiers: Modifiers): Promise<DownloadSource> {
  return {
    version: modifiers.get("release")?.[0],
    cdn: modifiers.has("cdn"),
    settings: await readText(join(context.home, TOOL_SETTINGS)),
    say: (line) => context.report.info(line),
  };
}

/** --download_chain-node DIR. @throws FolderFault; what was there is there still */
export async function programInto(
  context: ToolContext,
  dir: string | undefined,
  modifiers: Modifiers,
): Promise<WrittenProgram> {
  return await downloadProgram(pathOf(context, dir), await sourceOf(context, modifiers));
}

/** The SDK pair of the agency: made once, and kept in meta. Source: generator 6.4 */
async function certificatesOf(context: ToolContext): Promise<readonly FileToWrite[]> {
  const folder = inMeta(context, "sdk");
  if (await isThere(folder)) return await filesIn(folder);
  if (!(await isThere(inMeta(context, "agency.crt")))) return [];
  const files = issueSdk(await requireAgency(context), context);
  const purpose = "make the SDK certificate of a console";
  await writeTree({ home: context.home, files: placed(folder, files), purpose });
  context.report.info(`${folder} has a new SDK certificate`);
  return files;
}

/** Where a console finds the nodes; nothing is known without node_deployment.ini. */
async function placesOfNodes(context: ToolContext) {
  if (!(await isThere(join(context.home, DEPLOYMENT_INI)))) {
    const next = "write where the nodes are into conf/config.toml of the console";
    context.report.warn(`there is no ${DEPLOYMENT_INI}: ${next}`);
    return { peers: [], rpc: [] };
  }
  const { nodes, groupId } = await readOwnDeployment(context);
  const isNational = context.options.suite === "national";
  const { channels, rpcs } = sdkTarget(nodes, { groupId, agency: "", isNational });
  return {
    peers: channels.map(ENDPOINT.write),
    rpc: rpcs.map((each) => `http://${ENDPOINT.write(each)}`),
  };
}

/** --download_console DIR. @throws FolderFault, ConfigFault; what was there is there still */
export async function consoleInto(
  context: ToolContext,
  dir: string | undefined,
  modifiers: Modifiers,
): Promise<WrittenConsole> {
  const places = await placesOfNodes(context);
  const own = await certificatesOf(context);
  // The pair under its other name is for older SDKs.
  const certificates = own.filter(({ path }) => !/(^|\/)(gm)?node\.(crt|key)$/.test(path));
  const order = { folder: pathOf(context, dir), ...places, certificates };
  return await downloadConsole(order, await sourceOf(context, modifiers));
}
