/** --download_chain-node and --download_console. Source: generator 11 */
import { join } from "node:path";
import { readText } from "../../../folder/whole-files.ts";
import { isThere, writeTree } from "../../../folder/whole-tree.ts";
import { ENDPOINT } from "../../../formats/config/config-kinds.ts";
import { inMeta, pathOf, type ToolContext } from "../context.ts";
import type { WrittenConsole } from "../distribution/console-writer.ts";
import { downloadConsole, downloadProgram, type DownloadSource } from "../distribution/download.ts";
import { TOOL_SETTINGS } from "../distribution/packed-package.ts";
import type { WrittenProgram } from "../distribution/program-folder.ts";
import type { Modifiers } from "../flags.ts";
import { filesIn } from "../input/meta-files.ts";
import { DEPLOYMENT_INI, readOwnDeployment } from "../input/own-deployment.ts";
import { sdkTarget } from "../sdk-files.ts";
import { requireAgency } from "./certificates.ts";
import { type SdkPair, sdkPair } from "./sdk.ts";

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

/** The SDK pair of the agency; none where meta has no agency. */
async function pairOf(context: ToolContext): Promise<SdkPair> {
  if (await isThere(inMeta(context, "agency.crt")))
    return await sdkPair(await requireAgency(context), context);
  const folder = inMeta(context, "sdk");
  return { files: (await isThere(folder)) ? await filesIn(folder) : [], kept: [] };
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
  const { files: own, kept } = await pairOf(context);
  // The pair under its other name is for older SDKs.
  const certificates = own.filter(({ path }) => !/(^|\/)(gm)?node\.(crt|key)$/.test(path));
  const order = { folder: pathOf(context, dir), ...places, certificates };
  const written = await downloadConsole(order, await sourceOf(context, modifiers));
  if (kept.length > 0) {
    const purpose = "keep the SDK certificate of a console";
    await writeTree({ home: context.home, files: kept, purpose });
    context.report.info(`${inMeta(context, "sdk")} has the new SDK certificate`);
  }
  return written;
}
