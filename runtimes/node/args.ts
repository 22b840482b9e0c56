/** Command line of chain-node: commands, options, and one clear sentence for each bad value. */
import { Command, InvalidArgumentError, Option } from "commander";
import type { LogLevel } from "../../core/ports/log.ts";
import { LONGEST_BLOCK_TIME_MS, MOST_NODES } from "./dev-chain.ts";

/** Options of `chain-node dev`. */
export interface DevOptions {
  readonly nodes: number;
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly ephemeral: boolean;
  readonly reset: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly logLevel: LogLevel;
  readonly cors: string | undefined;
  readonly maxBody: number;
  readonly blockTime: number;
}

/** Ports below 1024 belong to the system. Source: interface 8 */
const LOWEST_PORT = 1024;
const HIGHEST_PORT = 65_535;

function integerBetween(low: number, high: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`A whole number from ${low} to ${high} is wanted.`);
  };
}

/** An origin as browsers send it: scheme, host and port, nothing behind. */
function origin(text: string): string {
  if (text === "*") return text;
  const parsed = URL.canParse(text) ? new URL(text).origin : "null";
  if (parsed === text) return text;
  const example = parsed === "null" ? "http://localhost:3000" : parsed;
  throw new InvalidArgumentError(`an origin like ${example} is wanted, or *.`);
}

/** The words that the user typed to get here. */
function devCommand(): string {
  return process.env["npm_lifecycle_event"] === "start" ? "npm start --" : "chain-node dev";
}

/** What `main` does with parsed commands. */
export interface Commands {
  dev(options: DevOptions): Promise<void>;
}

/** Builds the parser. Bad options end the process with code 1 and a sentence on stderr. */
export function createProgram(version: string, commands: Commands): Command {
  const program = new Command("chain-node")
    .description("A permissioned blockchain node that speaks the interfaces of FISCO BCOS 2.x")
    .version(`chain-node ${version}`, "-v, --version", "print the version")
    .showHelpAfterError("(chain-node --help lists the commands)");
  program
    .command("dev")
    .description("run a PBFT chain in this process, ready to use")
    .showHelpAfterError(`(${devCommand()} --help lists the options)`)
    .addOption(
      new Option("--nodes <count>", "number of nodes")
        .default(4)
        .argParser(integerBetween(1, MOST_NODES)),
    )
    .addOption(
      new Option("--port <port>", "JSON-RPC port of node 0; node i listens on port + i")
        .default(8545)
        .argParser(integerBetween(LOWEST_PORT, HIGHEST_PORT - MOST_NODES)),
    )
    .option(
      "--host <address>",
      "address to listen on; others than loopback open the chain to the network",
      "127.0.0.1",
    )
    .option("--data <folder>", "data folder", ".chain-node")
    .addOption(
      new Option("--ephemeral", "keep nothing: a temporary folder, removed at the end")
        .default(false)
        .conflicts(["data", "reset"]),
    )
    .option("--reset", "remove the data folder first, if it is one of ours", false)
    .option("--json", "print one line of JSON when ready instead of the first screen", false)
    .option("--quiet", "no line per block", false)
    .addOption(
      new Option("--log-level <level>", "least severe log lines to print on stderr")
        .choices(["trace", "debug", "info", "warning", "error"])
        .default("warning"),
    )
    .addOption(
      new Option("--cors <origin>", "answer web pages of this origin (* for all)").argParser(
        origin,
      ),
    )
    .addOption(
      new Option("--max-body <bytes>", "largest request body")
        .default(10 * 1024 * 1024)
        .argParser(integerBetween(1024, 1024 * 1024 * 1024)),
    )
    .addOption(
      new Option("--block-time <ms>", "least time between blocks")
        .default(100)
        .argParser(integerBetween(0, LONGEST_BLOCK_TIME_MS)),
    )
    .action((options: DevOptions) => commands.dev({ ...options, cors: options.cors }));
  return program;
}
