/** One run: where it works, what it computes and writes, how it ends. Source: generator 2 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { CA_DAYS } from "../../folder/certificate.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { finishCutRun, writeTree } from "../../folder/whole-tree.ts";
import { ConfigFault } from "../../formats/config/config-fault.ts";
import { createNodeEntropy } from "../../node/machine/entropy.ts";
import { programPlace } from "../../node/machine/program-place.ts";
import { type Action, type Outcome, pathOf, type ToolContext } from "./context.ts";
import { type Modifiers, UsageFault } from "./flags.ts";
import { NODE_HOST } from "./input/host-checks.ts";
import type { Report } from "./report.ts";

/** What a run reads and writes besides files; a seam for tests. */
export interface RunIo {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  stdout(text: string): void;
  stderr(text: string): void;
  /** The answer to a question; empty at the end of the input. */
  ask(question: string): Promise<string>;
  now(): number;
}

/** This process. */
export function processIo(): RunIo {
  return {
    cwd: process.cwd(),
    env: process.env,
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    ask: askTerminal,
    now: Date.now,
  };
}

async function askTerminal(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resume) => reader.once("close", () => resume("")));
  const answer = await Promise.race([reader.question(question), ended]);
  reader.close();
  return answer;
}

/** Validity of all certificates unless it is chosen. Source: generator 5 */
const DAYS = 3650;

/** The exit code of arguments that cannot be. */
export const USAGE_CODE = 2;

/**
 * The folder whose conf, meta and tpl are used: the working directory when it has conf, else that
 * of the script that was run.
 */
export function toolFolder({ cwd, env }: Pick<RunIo, "cwd" | "env">, scriptFirst = false): string {
  const script = env[TOOL_VARIABLE] || undefined;
  if (scriptFirst && script !== undefined) return script;
  return existsSync(join(cwd, "conf")) ? cwd : (script ?? cwd);
}

/** @throws UsageFault */
function daysOf(modifiers: Modifiers): number {
  const [text = `${DAYS}`] = modifiers.get("days") ?? [];
  const days = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= CA_DAYS) return days;
  throw new UsageFault(`--days "${text}" is not allowed: from 1 to ${CA_DAYS}`);
}

/** Letters that certificates hold in a name. */
const MOST_ORGANISATION = 64;

/** @throws UsageFault */
function organisationOf(modifiers: Modifiers): string | undefined {
  const [name] = modifiers.get("organisation") ?? [];
  if (name === undefined) return undefined;
  const isFit = name.trim() !== "" && name.length <= MOST_ORGANISATION && !/\p{Cc}/u.test(name);
  if (isFit) return name;
  const wanted = `1 to ${MOST_ORGANISATION} letters`;
  throw new UsageFault(`--organisation ${JSON.stringify(name)} is not allowed: ${wanted}`);
}

/** What an action is given. @throws UsageFault */
export function toolContext(
  home: string,
  modifiers: Modifiers,
  io: RunIo,
  report: Report,
): ToolContext {
  const organisation = organisationOf(modifiers);
  const isNational = modifiers.has("guomi") || modifiers.has("gmssl");
  return {
    cwd: io.cwd,
    home,
    entropy: createNodeEntropy(),
    now: io.now(),
    days: daysOf(modifiers),
    caDays: daysOf(modifiers),
    ...(organisation === undefined ? {} : { organisation }),
    program: programPlace(),
    host: NODE_HOST,
    options: {
      suite: isNational ? "national" : "standard",
      smTls: modifiers.has("gmssl"),
      checksPorts: !modifiers.has("noPortCheck"),
    },
    report,
  };
}

/** A run that was asked for. */
export interface ToolRun {
  /** What it is, in words; also tells whether a run that was cut off was the same. */
  readonly work: string;
  readonly action: Action;
  readonly args: readonly string[];
  /** What stands at the end of standard output. */
  readonly end?: string;
}

/** Does the work of an action; nothing is written before all of it is known. */
export async function runAction(
  { work, action, args, end }: ToolRun,
  context: ToolContext,
  modifiers: Modifiers,
  io: RunIo,
): Promise<void> {
  const { report } = context;
  const purpose = `${work} ${args.join(" ")}`.trim();
  const isDry = modifiers.has("dryRun");
  report.info(`${purpose} begins`);
  if (!isDry && (await finishOlder(purpose, args, context))) {
    report.info(`${purpose} ends: what an earlier run had ready is in place`);
    if (end !== undefined) io.stdout(`${end}\n`);
    return;
  }
  const outcome = await action(context, args);
  const { home, files, asides = [] } = outcome;
  if (!isDry) await writeTree({ home, files, asides, purpose });
  report.info(isDry ? `${purpose} would end: nothing is written` : `${purpose} ends`);
  print(outcome, { isDry, isJson: modifiers.has("json"), end }, io);
}

/**
 * Brings runs to their end that were cut off among their last steps; gives whether one of them was
 * this very run.
 */
async function finishOlder(
  purpose: string,
  args: readonly string[],
  context: ToolContext,
): Promise<boolean> {
  const paths = args.map((text) => pathOf(context, text));
  const places = new Set([context.home, ...paths, ...paths.map((path) => dirname(path))]);
  let isSame = false;
  for (const place of places) {
    const finished = await finishCutRun(place);
    if (finished === undefined) continue;
    context.report.info(`${finished}: this run had been cut off among its last steps`);
    isSame ||= finished === purpose;
  }
  return isSame;
}

interface PrintOptions {
  readonly isDry: boolean;
  readonly isJson: boolean;
  readonly end: string | undefined;
}

function print(outcome: Outcome, { isDry, isJson, end }: PrintOptions, io: RunIo): void {
  const files = outcome.files.map(({ path }) => path);
  if (isJson) {
    io.stdout(`${JSON.stringify({ ...outcome.result, dryRun: isDry, files })}\n`);
    return;
  }
  if (isDry) for (const path of files) io.stdout(`${path}\n`);
  else for (const line of outcome.says ?? []) io.stdout(`${line}\n`);
  if (end !== undefined && !isDry) io.stdout(`${end}\n`);
}

/** Whether a fault is about what people gave, with a message for them. */
function isTold(cause: unknown): cause is Error {
  return cause instanceof FolderFault || cause instanceof ConfigFault;
}

/** Says why a run ends, and with which code. */
export function endOf(cause: unknown, report: Report): number {
  if (cause instanceof UsageFault) {
    report.error(cause.message);
    return USAGE_CODE;
  }
  if (isTold(cause)) report.error(cause.message);
  else report.error(`unexpected: ${cause instanceof Error ? cause.stack : String(cause)}`);
  return 1;
}

/** The variable of the environment with the absolute path of the folder. */
export const TOOL_VARIABLE = "CHAIN_NODE_TOOL";
