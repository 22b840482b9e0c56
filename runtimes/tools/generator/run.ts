/** Runs `generator` to its end: what it is told, and the code it ends with. Source: generator 2 */
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { ACTIONS } from "./actions.ts";
import type { ToolContext } from "./context.ts";
import { type ActionRow, type Modifiers, readArguments, usageText } from "./flags.ts";
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

/** A run as its arguments ask for it. */
interface AskedRun {
  readonly row: ActionRow;
  readonly args: readonly string[];
  readonly modifiers: Modifiers;
}

/** Downloads check what they wrote, which is complete or not there. Source: generator 11 */
async function download(
  { row, args, modifiers }: AskedRun,
  context: ToolContext,
  io: RunIo,
): Promise<void> {
  const [dir] = args;
  const { programInto, consoleInto } = await import("./actions/downloads.ts");
  const work = `${row.work ?? row.name} ${dir ?? ""}`;
  context.report.info(`${work} begins`);
  const into = row.name === "downloadProgram" ? programInto : consoleInto;
  const written = await into(context, dir, modifiers);
  context.report.info(`${work} ends`);
  const [place = ""] = Object.values(written);
  io.stdout(modifiers.has("json") ? `${JSON.stringify(written)}\n` : `${String(place)}\n`);
}

async function perform(asked: AskedRun, io: RunIo): Promise<void> {
  const { row, args, modifiers } = asked;
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
      await download(asked, context, io);
      return;
    }
    const action = await ACTIONS[row.name]();
    await runAction({ work: row.work ?? row.name, action, args }, context, modifiers, io);
  } catch (cause) {
    throw new RunEnd(endOf(cause, report));
  }
}

/** A run that has said why it ends. */
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
  if (first === "one-click")
    return await (await import("./one-click/run.ts")).runOneClick(rest, io);
  try {
    const asked = readArguments(args);
    if (asked.kind === "help") {
      io.stdout(usageText());
      return 0;
    }
    await perform(asked, io);
    return 0;
  } catch (cause) {
    if (cause instanceof RunEnd) return cause.code;
    const code = endOf(cause, createReport(io.stderr));
    if (code === USAGE_CODE) io.stderr(`\n${usageText()}`);
    return code;
  }
}
