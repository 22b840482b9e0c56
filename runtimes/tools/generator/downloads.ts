/** `--download_chain-node` and `--download_console` of the command. Source: generator 2, 11 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FolderFault } from "../../folder/folder-fault.ts";
import { type FileToWrite, readText } from "../../folder/whole-files.ts";
import { writeTree } from "../../folder/whole-tree.ts";
import { ENDPOINT } from "../../formats/config/config-kinds.ts";
import { suiteFile } from "../../formats/config/suite-files.ts";
import { requireAgency } from "./actions/certificates.ts";
import { sdkPair } from "./actions/sdk.ts";
import { inMeta, pathOf, placed, type ToolContext } from "./context.ts";
import { downloadConsole, downloadProgram, type DownloadSource } from "./distribution/download.ts";
import { TOOL_SETTINGS } from "./distribution/packed-package.ts";
import type { Modifiers } from "./flags.ts";
import { DEPLOYMENT_INI, readOwnDeployment } from "./input/own-deployment.ts";
import { sdkTarget } from "./sdk-files.ts";

/** What writes by itself: a program is copied, not computed. */
export type DownloadName = "downloadProgram" | "downloadConsole";

/** A download that was asked for. */
export interface Download {
  readonly name: DownloadName;
  readonly folder: string | undefined;
  readonly modifiers: Modifiers;
}

/** Where a console finds the nodes; nothing is known without node_deployment.ini. */
async function placesOfNodes(
  context: ToolContext,
): Promise<{ readonly peers: readonly string[]; readonly rpc: readonly string[] }> {
  try {
    const { nodes, groupId } = await readOwnDeployment(context);
    const isNational = context.options.suite === "national";
    const { channels, rpcs } = sdkTarget(nodes, { groupId, agency: "", isNational });
    return {
      peers: channels.map(ENDPOINT.write),
      rpc: rpcs.map((each) => `http://${ENDPOINT.write(each)}`),
    };
  } catch (cause) {
    if (!(cause instanceof FolderFault) || cause.kind !== "missing") throw cause;
    const next = "write where the nodes are into conf/config.toml of the console";
    context.report.warn(`there is no ${DEPLOYMENT_INI}: ${next}`);
    return { peers: [], rpc: [] };
  }
}

/** The SDK pair of meta, made if the agency can make one; none in a tool without an agency. */
async function certificatesOfConsole(context: ToolContext): Promise<readonly FileToWrite[]> {
  const key = inMeta(context, suiteFile("agency.key", context.options.suite));
  if (!existsSync(inMeta(context, "sdk")) && !existsSync(key)) return [];
  const { files, isNew } = await sdkPair(() => requireAgency(context), context);
  if (isNew) {
    const folder = inMeta(context, "sdk");
    await writeTree({
      home: context.home,
      files: placed(folder, files),
      purpose: "make the SDK certificate of a console",
    });
    context.report.info(`${folder} has a new SDK certificate`);
  }
  // The pair under its other name is for older SDKs.
  return files.filter(({ path }) => !/(^|\/)(gm)?node\.(crt|key)$/.test(path));
}

async function write(download: Download, context: ToolContext, source: DownloadSource) {
  const folder = pathOf(context, download.folder);
  if (download.name === "downloadProgram") return await downloadProgram(folder, source);
  const places = await placesOfNodes(context);
  const certificates = await certificatesOfConsole(context);
  return await downloadConsole({ folder, ...places, certificates }, source);
}

/**
 * Writes a program or a console, says what it is, and prints where.
 *
 * @param print to standard output
 * @throws FolderFault, ConfigFault; what was there is there still
 */
export async function runDownload(
  download: Download,
  context: ToolContext,
  print: (text: string) => void,
): Promise<void> {
  const { modifiers, name } = download;
  const { report, home } = context;
  const [asked] = modifiers.get("programVersion") ?? modifiers.get("consoleVersion") ?? [];
  const what = `${name === "downloadProgram" ? "program" : "console"} ${asked ?? "of this tool"}`;
  if (modifiers.has("dryRun")) {
    report.info(`the ${what} would be written: nothing is written`);
    if (modifiers.has("json")) print(`${JSON.stringify({ dryRun: true, files: [] })}\n`);
    return;
  }
  const written = await write(download, context, {
    version: asked,
    cdn: modifiers.has("cdn"),
    settings: await readText(join(home, TOOL_SETTINGS)),
    say: (line) => report.info(line),
  });
  print(modifiers.has("json") ? `${JSON.stringify(written)}\n` : `${written.launcher}\n`);
}
