/** --download_chain-node and --download_console. Source: generator 11 */
import { join } from "node:path";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { issueSdk } from "../../../folder/holder-files.ts";
import { type FileToWrite, readText } from "../../../folder/whole-files.ts";
import { isThere } from "../../../folder/whole-tree.ts";
import { ENDPOINT } from "../../../formats/config/config-kinds.ts";
import { inMeta, pathOf, type ToolContext } from "../context.ts";
import { downloadConsole, downloadProgram, type DownloadSource } from "../distribution/download.ts";
import { TOOL_SETTINGS } from "../distribution/packed-package.ts";
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

/** Nothing is fetched for a run that writes nothing. @throws FolderFault argument */
function refuseDryRun(modifiers: Modifiers): void {
  if (!modifiers.has("dryRun")) return;
  throw new FolderFault("argument", "--dry-run is not for downloads: they check what they wrote.");
}

/** --download_chain-node DIR; gives what was written. @throws FolderFault */
export async function programInto(
  context: ToolContext,
  dir: string | undefined,
  modifiers: Modifiers,
): Promise<Readonly<Record<string, unknown>>> {
  refuseDryRun(modifiers);
  const source = await sourceOf(context, modifiers);
  const { launcher, version } = await downloadProgram(pathOf(context, dir), source);
  return { launcher, version };
}

/** The SDK pair of the agency: made once, and kept in meta. Source: generator 6.4 */
async function certificatesOf(context: ToolContext): Promise<readonly FileToWrite[]> {
  const folder = inMeta(context, "sdk");
  if (await isThere(folder)) return await filesIn(folder);
  if (!(await isThere(inMeta(context, "agency.crt")))) return [];
  return issueSdk(await requireAgency(context), context);
}

/** --download_console DIR; gives what was written. @throws FolderFault; ConfigFault */
export async function consoleInto(
  context: ToolContext,
  dir: string | undefined,
  modifiers: Modifiers,
): Promise<Readonly<Record<string, unknown>>> {
  refuseDryRun(modifiers);
  const source = await sourceOf(context, modifiers);
  const hasNodes = await isThere(join(context.home, DEPLOYMENT_INI));
  const { nodes, groupId } = hasNodes
    ? await readOwnDeployment(context)
    : { nodes: [], groupId: 1 };
  const isNational = context.options.suite === "national";
  const { channels, rpcs } = sdkTarget(nodes, { groupId, agency: "", isNational });
  const order = {
    folder: pathOf(context, dir),
    peers: channels.map(ENDPOINT.write),
    rpc: rpcs.map((each) => `http://${ENDPOINT.write(each)}`),
    certificates: await certificatesOf(context),
  };
  const { folder, version } = await downloadConsole(order, source);
  return { folder, version };
}
