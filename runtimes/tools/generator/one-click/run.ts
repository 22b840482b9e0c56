/** The command line of one_click_generator.sh. Source: generator 9 */
import { colours, isColourful } from "../../../node/log/terminal.ts";
import { type ModifierName, takeModifier, UsageFault, words } from "../flags.ts";
import { createReport, toolLog } from "../report.ts";
import { endOf, runAction, type RunIo, toolContext, toolFolder, USAGE_CODE } from "../tool-run.ts";
import { buildChain } from "./build.ts";
import { inMeta, type ToolContext } from "../context.ts";
import { expandChain } from "./expand.ts";
import { readdir, rm } from "node:fs/promises";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import { LEFT_OVER } from "./agency-folders.ts";

/** What is looked for by scripts. Source: generator 9 */
const SUCCESS = "run one_click_generator successful!";

const HELP = `usage: one_click_generator.sh COMMAND [OPTION]...

  -b, -build WORK_DIR    build a chain: WORK_DIR has a folder for each agency, with
                         node_deployment.ini in it
  -e, -expand WORK_DIR   add nodes to a chain: WORK_DIR is a new folder that has the chain's ca.crt,
                         ca.key, peers.txt and group.<id>.genesis besides, and agency_cert of each
                         agency that is on the chain
  -clean, clean          remove node_*, *.crt and *.key from meta, each after a question
  help                   print this help

options: -g, --no-port-check, --dry-run, --json, --yes, --organisation NAME
`;

const BUILD = new Set(["-b", "-build", "--build"]);
const EXPAND = new Set(["-e", "-expand", "--expand"]);
const CLEAN = new Set(["-clean", "--clean", "clean"]);
const HELPS = new Set(["help", "-h", "-help", "--help"]);

type Command =
  | { readonly kind: "help" | "clean" }
  | { readonly kind: "build" | "expand"; readonly work: string };

/** @throws UsageFault */
function readCommand(rest: string[]): Command {
  const word = rest.shift();
  if (word === undefined) throw new UsageFault("no command is given");
  if (HELPS.has(word)) return { kind: "help" };
  if (CLEAN.has(word)) return { kind: "clean" };
  if (!BUILD.has(word) && !EXPAND.has(word)) throw new UsageFault(`${word} is no command`);
  const work = rest.shift();
  if (work === undefined || work.startsWith("-"))
    throw new UsageFault(`${word} needs the work folder`);
  return { kind: BUILD.has(word) ? "build" : "expand", work };
}

/** Options of generator that have no meaning here. */
const FOREIGN: readonly ModifierName[] = ["cdn", "release"];

/** @throws UsageFault */
function readModifiers(rest: string[]): Map<ModifierName, readonly string[]> {
  const found = new Map<ModifierName, readonly string[]>();
  for (let flag = rest.shift(); flag !== undefined; flag = rest.shift()) {
    if (!takeModifier(flag, rest, found)) throw new UsageFault(`${flag} is no option`);
    if (FOREIGN.some((name) => found.has(name))) {
      const next = "place the program with generator --download_chain-node meta first";
      throw new UsageFault(`${flag} is for downloads: ${next}`);
    }
  }
  return found;
}

async function clean(
  context: ToolContext,
  modifiers: ReadonlyMap<ModifierName, readonly string[]>,
  io: RunIo,
): Promise<void> {
  const isDry = modifiers.has("dryRun");
  const says = async (question: string) =>
    modifiers.has("yes") || /^y(es)?$/i.test((await io.ask(question)).trim());
  const items = await cleanableIn(context);
  const removed = isDry ? items : await removeItems(items, says);
  for (const path of removed) context.report.info(`${path} ${isDry ? "would be" : "is"} removed`);
  if (modifiers.has("json")) io.stdout(`${JSON.stringify({ dryRun: isDry, removed })}\n`);
}

async function perform(
  command: Command,
  modifiers: ReadonlyMap<ModifierName, readonly string[]>,
  io: RunIo,
): Promise<number> {
  const home = toolFolder(io, true);
  const isDry = modifiers.has("dryRun");
  const report = createReport(io.stderr, isDry ? () => undefined : toolLog(home, io.now));
  const context = toolContext(home, modifiers, io, report);
  const { green } = colours(isColourful());
  const end = green(SUCCESS);
  try {
    if (command.kind === "build" || command.kind === "expand") {
      const action = command.kind === "build" ? buildChain : expandChain;
      const work = command.kind === "build" ? "build a chain in" : "expand a chain in";
      await runAction({ work, action, args: [command.work], end }, context, modifiers, io);
      return 0;
    }
    await clean(context, modifiers, io);
    if (!isDry && !modifiers.has("json")) io.stdout(`${end}\n`);
    return 0;
  } catch (cause) {
    return endOf(cause, report);
  }
}

/** Does what the arguments say; gives the exit code. */
export async function runOneClick(args: readonly string[], io: RunIo): Promise<number> {
  const rest = words(args);
  try {
    const command = readCommand(rest);
    if (command.kind === "help") {
      io.stdout(HELP);
      return 0;
    }
    return await perform(command, readModifiers(rest), io);
  } catch (cause) {
    const code = endOf(cause, createReport(io.stderr));
    if (code === USAGE_CODE) io.stderr(`\n${HELP}`);
    return code;
  }
}

/** What is offered to be removed, with all that stands in the way of -b and -e. */
const CLEANED = /^node_|\.crt$|\.key$/;

/** What can be removed, absolute, in order. */
export async function cleanableIn(context: ToolContext): Promise<readonly string[]> {
  const names = await readdir(inMeta(context)).catch(() => []);
  const found = names.filter((name) => CLEANED.test(name) || LEFT_OVER.test(name));
  return found.sort().map((name) => inMeta(context, name));
}

/**
 * Removes what it is told to remove.
 * @param confirm is asked about each
 * @throws FolderFault unusable
 */
export async function removeItems(
  paths: readonly string[],
  confirm: (question: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const path of paths) {
    if (!(await confirm(`delete ${path}? (y/n) `))) continue;
    await rm(path, { recursive: true }).catch((cause: unknown) => {
      const message = `${path} cannot be removed: ${reasonOf(cause)}.`;
      throw new FolderFault("unusable", message, { cause });
    });
    removed.push(path);
  }
  return removed;
}
