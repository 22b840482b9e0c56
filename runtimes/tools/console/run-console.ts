/** Runs the console to its end: a command, a script, or a session. Source: console 1, 6 */
import { resolve } from "node:path";
import { readText } from "../../folder/whole-files.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { ConsoleFault, EXIT, type ExitCode } from "./command.ts";
import { COMMANDS } from "./commands/all.ts";
import { bareConfig, CONFIG_FILE, type ConsoleConfig, loadConfig } from "./config.ts";
import { ConsoleSession } from "./console-session.ts";
import { nobodyToAsk, Output } from "./output.ts";
import { faultOf, printFault, runWords, type RunnerTerms } from "./runner.ts";
import { readStart, START_USAGE, type StartOptions } from "./start-options.ts";
import { asksForUsage, commandList } from "./usage.ts";

/** Asks on the terminal of the process, if it has one. */
async function askSecret(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return await nobodyToAsk();
  const { askOnTerminal } = await import("./secret-prompt.ts");
  return await askOnTerminal(process.stdin, prompt);
}

function outputOf({ json, isColored }: Pick<StartOptions, "json" | "isColored">): Output {
  const { stdout, stderr } = process;
  return new Output({ json, isColored, stdout, stderr, askSecret });
}

/** Help needs neither a file nor a node. */
function needsNothing([first, ...rest]: readonly string[]): boolean {
  return first === "help" || first === "h" || asksForUsage(rest);
}

async function configFor(options: StartOptions): Promise<ConsoleConfig> {
  const { url, configFile, words } = options;
  const isThere = (await readText(resolve(configFile ?? CONFIG_FILE))) !== undefined;
  const canDoWithout = url !== undefined || needsNothing(words);
  const isBare = canDoWithout && configFile === undefined && !isThere;
  const config = isBare ? bareConfig(process.cwd()) : await loadConfig(configFile);
  if (url === undefined) return config;
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return { ...config, rpc: [url] };
  const text = `--url "${url}" is no URL: http://host:port of a JSON-RPC port is wanted.`;
  throw new ConsoleFault(text, { exitCode: EXIT.usage });
}

/** The token in a file, without the line break behind it. */
async function tokenOf({ tokenFile, url }: StartOptions): Promise<string | undefined> {
  if (tokenFile === undefined) return undefined;
  const text = (await readText(resolve(tokenFile)))?.trim();
  if (text) return text;
  const what = text === "" ? "is empty" : "does not exist";
  const next =
    url === undefined ? "" : " It is the one that management_token_file of the node names.";
  throw new ConsoleFault(`${tokenFile}: the file of the token ${what}.${next}`);
}

async function sessionFor(options: StartOptions, output: Output): Promise<ConsoleSession> {
  const { json, legacyRetcode, legacyRows, words, groupId, named } = options;
  return new ConsoleSession({
    options: { json, legacyRetcode, legacyRows, isInteractive: words.length === 0 },
    config: await configFor(options),
    groupId,
    named: named && { ...named, path: resolve(named.path) },
    token: await tokenOf(options),
    person: output,
  });
}

/** Connects before the first line, so that what is wrong is said at once. */
async function runSession(
  options: StartOptions,
  terms: RunnerTerms & { readonly session: ConsoleSession },
): Promise<ExitCode> {
  const { session, output } = terms;
  const { stdin, stdout } = process;
  if (!stdin.isTTY && !options.isPlain) {
    const { runScript } = await import("./script.ts");
    return await runScript({ ...terms, input: stdin, keepsGoing: options.keepsGoing });
  }
  await session.requireGroup();
  await session.account();
  const { bannerText } = await import("./interactive/banner.ts");
  if (!output.json) output.out(bannerText(BUILD_INFO.version));
  if (options.isPlain || !stdout.isTTY) {
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

async function run(options: StartOptions, output: Output): Promise<ExitCode> {
  const session = await sessionFor(options, output);
  const terms = { session, output, commands: COMMANDS, isTimed: options.isTimed };
  try {
    if (options.words.length > 0) {
      // A second Ctrl+C ends the program at once.
      process.once("SIGINT", () => session.interrupt());
      return await runWords(terms, options.words);
    }
    return await runSession(options, terms);
  } finally {
    await session.close();
  }
}

function helpText(): string {
  const isSingle = COMMANDS.filter(({ isInteractiveOnly }) => !isInteractiveOnly);
  return `${START_USAGE}\nCommands:\n${commandList(isSingle)}\n`;
}

/** Scripts of a console folder that need no chain; undefined for anything else. */
async function runOffline([name = "", ...args]: readonly string[]): Promise<ExitCode | undefined> {
  const { ACCOUNT_SCRIPTS, runAccountScript } = await import("./account/get-account.ts");
  const suite = ACCOUNT_SCRIPTS[name];
  if (suite === undefined) return undefined;
  const rest = args.filter((word) => word !== "--json");
  const output = outputOf({ json: rest.length < args.length, isColored: false });
  return await runAccountScript(suite, rest, output);
}

/** Does what the words behind the name of the program say; gives the exit code. */
export async function runConsole(args: readonly string[]): Promise<ExitCode> {
  let output = outputOf({ json: args.includes("--json"), isColored: false });
  try {
    const offline = args[0]?.startsWith("get_") ? await runOffline(args) : undefined;
    if (offline !== undefined) return offline;
    const options = readStart(args, process.env);
    output = outputOf(options);
    if (options.asks === "version") output.out(`console version: ${BUILD_INFO.version}\n`);
    if (options.asks === "help") output.out(helpText());
    return options.asks === undefined ? await run(options, output) : EXIT.done;
  } catch (cause) {
    const fault = faultOf(cause);
    printFault(output, fault);
    return fault.exitCode;
  }
}
