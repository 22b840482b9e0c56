/** Runs the console to its end: a command, a script, or a session. Source: console 1, 6 */
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { ReadStream, WriteStream } from "node:tty";
import { readText } from "../../folder/whole-files.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { ConsoleFault, EXIT, type ExitCode } from "./command.ts";
import { COMMANDS } from "./commands/all.ts";
import { bareConfig, CONFIG_FILE, type ConsoleConfig, loadConfig } from "./config.ts";
import { ConsoleSession } from "./console-session.ts";
import { nobodyToAsk, Output, type OutputTerms } from "./output.ts";
import { faultOf, printFault, runWords, type RunnerTerms } from "./runner.ts";
import { readStart, START_USAGE, type StartOptions } from "./start-options.ts";
import { asksForUsage, commandList } from "./usage.ts";

/** What a console runs in: its process, or what stands in for that. */
export interface Surroundings extends Pick<OutputTerms, "stdout" | "stderr"> {
  /** The working folder, absolute. */
  cwd(): string;
  readonly env: NodeJS.ProcessEnv;
  /** Lines of a script, or the keys of a terminal. */
  readonly stdin: Readable;
}

async function askSecret({ stdin }: Surroundings, prompt: string): Promise<string> {
  if (!(stdin instanceof ReadStream)) return await nobodyToAsk();
  const { askOnTerminal } = await import("./secret-prompt.ts");
  return await askOnTerminal(stdin, prompt);
}

function outputOf(
  { json, isColored }: Pick<StartOptions, "json" | "isColored">,
  around: Surroundings,
): Output {
  const { stdout, stderr } = around;
  const ask = (prompt: string): Promise<string> => askSecret(around, prompt);
  return new Output({ json, isColored, stdout, stderr, askSecret: ask });
}

/** Help needs neither a file nor a node. */
function needsNothing([first, ...rest]: readonly string[]): boolean {
  return first === "help" || first === "h" || asksForUsage(rest);
}

async function configFor(options: StartOptions, folder: string): Promise<ConsoleConfig> {
  const { url, configFile, words } = options;
  const path = resolve(folder, configFile ?? CONFIG_FILE);
  const isThere = (await readText(path)) !== undefined;
  const canDoWithout = url !== undefined || needsNothing(words);
  const isBare = canDoWithout && configFile === undefined && !isThere;
  const config = isBare ? bareConfig(folder) : await loadConfig(path);
  if (url === undefined) return config;
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return { ...config, rpc: [url] };
  const text = `--url "${url}" is no URL: http://host:port of a JSON-RPC port is wanted.`;
  throw new ConsoleFault(text, { exitCode: EXIT.usage });
}

/** The token in a file, without the line break behind it. */
async function tokenOf(
  { tokenFile, url }: StartOptions,
  folder: string,
): Promise<string | undefined> {
  if (tokenFile === undefined) return undefined;
  const text = (await readText(resolve(folder, tokenFile)))?.trim();
  if (text) return text;
  const what = text === "" ? "is empty" : "does not exist";
  const next =
    url === undefined ? "" : " It is the one that management_token_file of the node names.";
  throw new ConsoleFault(`${tokenFile}: the file of the token ${what}.${next}`);
}

async function sessionFor(
  options: StartOptions,
  output: Output,
  folder: string,
): Promise<ConsoleSession> {
  const { json, legacyRetcode, legacyRows, words, groupId, named } = options;
  return new ConsoleSession({
    options: { json, legacyRetcode, legacyRows, isInteractive: words.length === 0 },
    config: await configFor(options, folder),
    groupId,
    named: named && { ...named, path: resolve(folder, named.path) },
    token: await tokenOf(options, folder),
    person: output,
  });
}

/** Connects before the first line, so that what is wrong is reported at once. */
async function runSession(
  options: StartOptions,
  terms: RunnerTerms & { readonly session: ConsoleSession },
  { stdin, stdout }: Surroundings,
): Promise<ExitCode> {
  const { session, output } = terms;
  const isTyped = stdin instanceof ReadStream;
  if (!isTyped && !options.isPlain) {
    const { runScript } = await import("./script.ts");
    return await runScript({ ...terms, input: stdin, keepsGoing: options.keepsGoing });
  }
  await session.requireGroup();
  await session.account();
  const { bannerText } = await import("./interactive/banner.ts");
  if (!output.json) output.out(bannerText(BUILD_INFO.version));
  if (options.isPlain || !isTyped || !(stdout instanceof WriteStream)) {
    const { runPlainLines } = await import("./interactive/plain-lines.ts");
    return await runPlainLines({ ...terms, input: stdin });
  }
  const { historyFile, runEditor } = await import("./interactive/editor.ts");
  return await runEditor({
    ...terms,
    input: stdin,
    terminal: stdout,
    historyFile: historyFile(),
  });
}

async function run(options: StartOptions, output: Output, around: Surroundings): Promise<ExitCode> {
  const session = await sessionFor(options, output, around.cwd());
  const terms = { session, output, commands: COMMANDS, isTimed: options.isTimed };
  const onInterrupt = (): void => session.interrupt();
  try {
    if (options.words.length === 0) return await runSession(options, terms, around);
    // A second Ctrl+C ends the program at once.
    process.once("SIGINT", onInterrupt);
    return await runWords(terms, options.words);
  } finally {
    process.off("SIGINT", onInterrupt);
    await session.close();
  }
}

function helpText(): string {
  const isSingle = COMMANDS.filter(({ isInteractiveOnly }) => !isInteractiveOnly);
  return `${START_USAGE}\nCommands:\n${commandList(isSingle)}\n`;
}

/** Scripts of a console folder that need no chain; undefined for anything else. */
async function runOffline(
  [name = "", ...args]: readonly string[],
  around: Surroundings,
): Promise<ExitCode | undefined> {
  const { ACCOUNT_SCRIPTS, runAccountScript } = await import("./account/get-account.ts");
  const suite = ACCOUNT_SCRIPTS[name];
  if (suite === undefined) return undefined;
  const rest = args.filter((word) => word !== "--json");
  const output = outputOf({ json: rest.length < args.length, isColored: false }, around);
  return await runAccountScript(suite, rest, output);
}

/** Does what the words behind the name of the program say; gives the exit code. */
export async function runConsole(
  args: readonly string[],
  around: Surroundings = process,
): Promise<ExitCode> {
  let output = outputOf({ json: args.includes("--json"), isColored: false }, around);
  try {
    const offline = args[0]?.startsWith("get_") ? await runOffline(args, around) : undefined;
    if (offline !== undefined) return offline;
    const options = readStart(args, around.env);
    output = outputOf(options, around);
    if (options.asks === "version") output.out(`console version: ${BUILD_INFO.version}\n`);
    if (options.asks === "help") output.out(helpText());
    return options.asks === undefined ? await run(options, output, around) : EXIT.done;
  } catch (cause) {
    const fault = faultOf(cause);
    printFault(output, fault);
    return fault.exitCode;
  }
}
