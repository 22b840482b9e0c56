/** Runs the command `chain-node` to its end: what it is told, and the code it ends with. */
import { Command, CommanderError } from "commander";
import { FolderFault } from "../../folder/folder-fault.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { swallowedOptions } from "../dev/swallowed-options.ts";
import { type CommandRow, commandOf, isParent } from "./command-line.ts";
import { COMMAND_ROWS } from "./command-rows.ts";
import { devSentence, plainSentence } from "./fault-sentence.ts";
import { versionText } from "./version-text.ts";

/** Arguments that cannot be: distinguished from work that failed. */
const USAGE_CODE = 2;

/** What follows the sentence about arguments that cannot be. */
function helpHint(row: CommandRow): string {
  // The words that the user typed to get here.
  const isScript = row.name === "dev" && process.env["npm_lifecycle_event"] === "start";
  const typed = isScript ? "npm start --" : `chain-node ${row.name}`;
  return `(${typed} --help lists the ${isParent(row) ? "commands" : "options"})`;
}

/**
 * Builds the parser. Arguments that cannot be are thrown as a CommanderError, which has reported a
 * sentence on stderr by then.
 * @param version the text that `--version` prints
 * @param run is told the name of the command, and its arguments with the options behind them
 */
export function createProgram(
  version: string,
  run: (name: string, given: readonly unknown[]) => Promise<void>,
): Command {
  const program = new Command("chain-node")
    .description("A permissioned blockchain node that speaks the interfaces of FISCO BCOS 2.x")
    .version(version, "-v, --version", "print version and build")
    .exitOverride()
    .showHelpAfterError("(chain-node --help lists the commands)");
  for (const row of COMMAND_ROWS) {
    const command = commandOf(row).exitOverride().showHelpAfterError(helpHint(row));
    // The last thing that an action is given is the command itself.
    if (!isParent(row)) command.action((...given) => run(row.name, given.slice(0, -1)));
    const [above] = row.name.split(" ");
    const parent = program.commands.find((known) => known.name() === above);
    (parent ?? program).addCommand(command);
  }
  return program;
}

/** The exit code of a fault; the parser has reported its sentence already. */
async function codeOf(
  cause: unknown,
  sentenceOf: (cause: unknown) => string | Promise<string>,
): Promise<number> {
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : USAGE_CODE;
  process.stderr.write(`${await sentenceOf(cause)}\n`);
  return cause instanceof FolderFault && cause.kind === "argument" ? USAGE_CODE : 1;
}

/** Does what the arguments say; gives the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const row = COMMAND_ROWS.find(({ name }) => name === args[0]);
  const swallowed = row && swallowedOptions(row, args.slice(1), process.env);
  if (swallowed !== undefined) {
    process.stderr.write(`${swallowed}\n`);
    return USAGE_CODE;
  }
  let code: unknown;
  const program = createProgram(versionText(BUILD_INFO), async (name, given) => {
    const load = COMMAND_ROWS.find((each) => each.name === name)?.work;
    if (load === undefined) throw new Error(`${name} is a program of its own: see programs.ts`);
    const work = await load();
    // The parser gives what the row of the command names, in that order.
    code = await work(...(given as never[]));
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return typeof code === "number" ? code : 0;
  } catch (cause) {
    return codeOf(cause, args[0] === "dev" ? devSentence : plainSentence);
  }
}
