/** Command line of chain-node: commands, options, and one clear sentence for each bad value. */
import { Command, InvalidArgumentError, Option } from "commander";
import type { LogLevel } from "../../core/ports/log.ts";
import { isCertificateName, LEAF_DAYS } from "../folder/certificate.ts";
import {
  DEFAULT_PORTS,
  MOST_CHAIN_NODES,
  type NodePorts,
  type PlannedGroup,
  parseAgencies,
  parseBasePorts,
  parseGroups,
  parseHost,
} from "../folder/chain-layout.ts";
import { FolderFault } from "../folder/folder-fault.ts";
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

/** Options of `chain-node start`. */
export interface StartCommand {
  /** Path of config.ini. */
  readonly config: string;
  readonly logLevel: LogLevel;
  readonly json: boolean;
}

/** Options of `chain-node init`. */
export interface InitOptions {
  readonly nodes: number;
  readonly agencies: readonly string[];
  readonly groups: readonly PlannedGroup[];
  readonly host: string;
  readonly basePorts: NodePorts;
  readonly days: number;
  readonly json: boolean;
}

/** Options of `chain-node cert issue`. */
export interface CertIssueOptions {
  readonly ca: string;
  readonly agency: string;
  readonly out: string;
  readonly name: string | undefined;
  readonly kind: "node" | "sdk";
  readonly newAgency: boolean;
  readonly days: number;
  readonly json: boolean;
}

/** Options of `chain-node cert renew`. */
export interface CertRenewOptions {
  readonly ca: string;
  readonly days: number;
  readonly json: boolean;
}

/** Longest validity: a hundred years. */
const MOST_DAYS = 36_500;

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

/** A reader of chain layouts as a reader of options: its fault is a sentence about the option. */
function optionOf<Value>(read: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof FolderFault) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}

function certificateName(text: string): string {
  if (isCertificateName(text)) return text;
  throw new InvalidArgumentError('letters, digits, ".", "_" and "-" are wanted, 64 at most.');
}

/** The words that the user typed to get here. */
function devCommand(): string {
  return process.env["npm_lifecycle_event"] === "start" ? "npm start --" : "chain-node dev";
}

/** What `main` does with parsed commands. */
export interface Commands {
  dev(options: DevOptions): Promise<void>;
  start(options: StartCommand): Promise<void>;
  init(folder: string, options: InitOptions): Promise<void>;
  certIssue(options: CertIssueOptions): Promise<void>;
  certRenew(folder: string, options: CertRenewOptions): Promise<void>;
}

/**
 * Builds the parser. Bad options of `dev` end the process with code 1; those of commands that write
 * folders are thrown as a CommanderError, for code 2. Both have said a sentence on stderr by then.
 */
export function createProgram(version: string, commands: Commands): Command {
  const program = new Command("chain-node")
    .description("A permissioned blockchain node that speaks the interfaces of FISCO BCOS 2.x")
    .version(`chain-node ${version}`, "-v, --version", "print the version")
    .showHelpAfterError("(chain-node --help lists the commands)");
  addDev(program, commands);
  addStart(program, commands);
  addInit(program, commands);
  addCert(program, commands);
  return program;
}

function addStart(program: Command, commands: Commands): void {
  program
    .command("start")
    .description("run one node from its folder")
    .exitOverride()
    .showHelpAfterError("(chain-node start --help lists the options)")
    .option("-c, --config <file>", "the node's config.ini", "config.ini")
    .addOption(logLevelOption("info"))
    .option("--json", "print one line of JSON when the node is ready", false)
    .action((options: StartCommand) => commands.start(options));
}

function logLevelOption(usual: LogLevel): Option {
  return new Option("--log-level <level>", "least severe log lines to print on stderr")
    .choices(["trace", "debug", "info", "warning", "error"])
    .default(usual);
}

function addInit(program: Command, commands: Commands): void {
  program
    .command("init")
    .description("write the folders of a new chain: keys, certificates, nodes, scripts")
    .argument("<folder>", "where to write; must not hold a chain already")
    .exitOverride()
    .showHelpAfterError("(chain-node init --help lists the options)")
    .addOption(
      new Option("--nodes <count>", "number of nodes")
        .default(4)
        .argParser(integerBetween(1, MOST_CHAIN_NODES)),
    )
    .addOption(
      new Option("--agencies <names>", "agencies that share the nodes, such as A,B")
        .default(["agency"], "agency")
        .argParser(optionOf(parseAgencies)),
    )
    .addOption(
      new Option("--groups <groups>", "groups to begin with, such as 1:pbft,2:raft")
        .default([{ id: 1, consensus: "pbft" }], "1:pbft")
        .argParser(optionOf(parseGroups)),
    )
    .addOption(
      new Option("--host <host>", "address or name at which peers reach the nodes")
        .default("127.0.0.1")
        .argParser(optionOf(parseHost)),
    )
    .addOption(
      new Option("--base-ports <ports>", "ports RPC,CHANNEL,P2P[,WS] of node 0; node i adds i")
        .default(DEFAULT_PORTS, Object.values(DEFAULT_PORTS).join(","))
        .argParser(optionOf(parseBasePorts)),
    )
    .addOption(daysOption())
    .option("--json", "print one line of JSON instead of a table", false)
    .action((folder: string, options: InitOptions) => commands.init(folder, options));
}

function daysOption(): Option {
  return new Option("--days <days>", "validity of node and SDK certificates")
    .default(LEAF_DAYS)
    .argParser(integerBetween(1, MOST_DAYS));
}

const CA_OPTION = [
  "--ca <folder>",
  "folder that chain-node init wrote, or its cert folder",
] as const;

function addCert(program: Command, commands: Commands): void {
  const cert = program
    .command("cert")
    .description("certificates of a chain")
    .exitOverride()
    .showHelpAfterError("(chain-node cert --help lists the commands)");
  cert
    .command("issue")
    .description("make a key and a certificate for a further node or SDK")
    .requiredOption(...CA_OPTION)
    .addOption(
      new Option("--agency <name>", "agency that issues it")
        .makeOptionMandatory()
        .argParser(certificateName),
    )
    .requiredOption("--out <folder>", "where to write; must not hold a key already")
    .addOption(
      new Option("--name <name>", "name in the certificate; node or sdk when absent").argParser(
        certificateName,
      ),
    )
    .addOption(new Option("--kind <kind>", "whose it is").choices(["node", "sdk"]).default("node"))
    .option("--new-agency", "make the agency first; needs ca.key", false)
    .addOption(daysOption())
    .option("--json", "print one line of JSON", false)
    .action((options: CertIssueOptions) => commands.certIssue({ ...options, name: options.name }));
  cert
    .command("renew")
    .description("make a new certificate for the key of a node or SDK; the node ID stays")
    .argument("<folder>", "folder of a node, or of an SDK")
    .requiredOption(...CA_OPTION)
    .addOption(daysOption())
    .option("--json", "print one line of JSON", false)
    .action((folder: string, options: CertRenewOptions) => commands.certRenew(folder, options));
}

function addDev(program: Command, commands: Commands): void {
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
    .addOption(logLevelOption("warning"))
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
}
