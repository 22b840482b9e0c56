/** Runs `generator` to its end: what it is told, and its exit code. Source: generator 2 */
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import type { Action, ToolContext } from "./context.ts";
import {
  type ActionName,
  type ActionRow,
  type Modifiers,
  readArguments,
  usageText,
} from "./flags.ts";
import { createReport, toolLog } from "./report.ts";
import {
  endOf,
  processIo,
  runAction,
  type RunIo,
  toolContext,
  toolFolder,
  USAGE_CODE,
} from "./tool-run.ts";

/**
 * Downloads check what they wrote, which is complete or not there; gives what is printed.
 * Source: generator 11
 */
async function download(
  row: ActionRow,
  [dir]: readonly string[],
  context: ToolContext,
  modifiers: Modifiers,
): Promise<string> {
  const { programInto, consoleInto } = await import("./actions/downloads.ts");
  const work = `${row.work ?? row.name} ${dir ?? ""}`;
  const isJson = modifiers.has("json");
  if (modifiers.has("dryRun")) {
    context.report.info(`${work} would begin: nothing is fetched or written`);
    return isJson ? `${JSON.stringify({ dryRun: true, files: [] })}\n` : "";
  }
  context.report.info(`${work} begins`);
  const into = row.name === "downloadProgram" ? programInto : consoleInto;
  const written = await into(context, dir, modifiers);
  context.report.info(`${work} ends`);
  return isJson ? `${JSON.stringify(written)}\n` : `${written.launcher}\n`;
}

async function perform(
  row: ActionRow,
  args: readonly string[],
  modifiers: Modifiers,
  io: RunIo,
): Promise<void> {
  const home = toolFolder(io);
  const log = toolLog(home, io.now);
  const report = createReport(io.stderr, modifiers.has("dryRun") ? () => undefined : log);
  try {
    if (row.name === "version") {
      io.stdout(`generator ${BUILD_INFO.version}\n`);
      return;
    }
    if (home !== io.cwd) report.info(`working in ${home}`);
    const context = toolContext(home, modifiers, io, report);
    if (row.name === "downloadProgram" || row.name === "downloadConsole") {
      io.stdout(await download(row, args, context, modifiers));
      return;
    }
    const action = await ACTIONS[row.name]();
    await runAction({ work: row.work ?? row.name, action, args }, context, modifiers, io);
  } catch (cause) {
    throw new RunEnd(endOf(cause, report));
  }
}

/** A run that has reported why it ends. */
class RunEnd extends Error {
  override readonly name = "RunEnd";
  readonly code: number;

  constructor(code: number) {
    super("the run has ended");
    this.code = code;
  }
}

/** Does what the arguments say; gives the exit code: 0, 1 when it failed, 2 for bad arguments. */
export async function runGenerator(
  args: readonly string[],
  io: RunIo = processIo(),
): Promise<number> {
  const [first = "", ...rest] = args;
  if (first === "build-chain")
    return await (await import("./build-chain/run.ts")).runBuildChain(rest, io);
  if (first === "one-click")
    return await (await import("./one-click/run.ts")).runOneClick(rest, io);
  try {
    const asked = readArguments(args);
    if (asked.kind === "help") {
      io.stdout(usageText());
      return 0;
    }
    await perform(asked.row, asked.args, asked.modifiers, io);
    return 0;
  } catch (cause) {
    if (cause instanceof RunEnd) return cause.code;
    const code = endOf(cause, createReport(io.stderr));
    if (code === USAGE_CODE) io.stderr(`\n${usageText()}`);
    return code;
  }
}

/** Actions that are not computed before they write. */
export type UnplannedName = "version" | "downloadProgram" | "downloadConsole";

/** What is written by actions, by their names. */
export const ACTIONS: Readonly<Record<Exclude<ActionName, UnplannedName>, () => Promise<Action>>> =
  {
    buildInstallPackage: async () => (await import("./actions/packages.ts")).buildInstallPackage,
    buildPackageOnly: async () => (await import("./actions/packages.ts")).buildPackageOnly,
    createGroupGenesis: async () => (await import("./actions/genesis.ts")).createGroupGenesis,
    createGroupGenesisWithNodeId: async () =>
      (await import("./actions/genesis.ts")).createGroupGenesisWithNodeId,
    generateChainCertificate: async () => (await import("./actions/certificates.ts")).generateChain,
    generateAgencyCertificate: async () =>
      (await import("./actions/certificates.ts")).generateAgency,
    generateNodeCertificate: async () => (await import("./actions/certificates.ts")).generateNode,
    generateSdkCertificate: async () => (await import("./actions/certificates.ts")).generateSdk,
    generateAllCertificates: async () => (await import("./actions/certificates.ts")).generateAll,
    generateAgencyRequest: async () => (await import("./actions/requests.ts")).generateRequest,
    signAgencyRequest: async () => (await import("./actions/requests.ts")).signRequest,
    deployPrivateKey: async () => (await import("./actions/node-edits.ts")).deployPrivateKey,
    mergeConfig: async () => (await import("./actions/node-edits.ts")).mergeConfig,
    addPeers: async () => (await import("./actions/node-edits.ts")).addPeers,
    addGroup: async () => (await import("./actions/genesis.ts")).addGroup,
    getSdkFile: async () => (await import("./actions/sdk.ts")).getSdkFile,
    createToolFolder: async () => (await import("./tool-folder.ts")).createToolFolder,
  };
