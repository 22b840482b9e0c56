/** Command line of chain-node: commands, options, and one clear sentence for each bad value. */
import { Command } from "commander";
import type { LogLevel } from "../../../core/ports/log.ts";
import type { NodePorts, PlannedGroup } from "../../folder/chain-layout.ts";
import { commandOf } from "./command-line.ts";
import {
  CERT,
  CERT_ISSUE,
  CERT_RENEW,
  CONFIRM,
  DEV,
  DOCTOR,
  INIT,
  ROLE,
  START,
  STATUS,
} from "./command-rows.ts";
import { CHECK, EXPORT, IMPORT, REPLAY, RESTORE, SNAPSHOT } from "./command-rows-ledger.ts";

/** Options of `chain-node dev`. */
export interface DevOptions {
  readonly nodes: number;
  readonly port: number;
  /** Absent: moved as far as `port` is. */
  readonly channelPort: number | undefined;
  readonly rsaChannel: boolean;
  readonly host: string;
  readonly data: string;
  readonly ephemeral: boolean;
  readonly reset: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly logLevel: LogLevel;
  /** Page that may do what the chain's own may. */
  readonly cors: string | undefined;
  /** Further names of the nodes, for browsers. */
  readonly allowHost: readonly string[];
  readonly maxBody: number;
  readonly blockTime: number;
  readonly sm: boolean;
}

/** Options of `chain-node start`. */
export interface StartCommand {
  /** Path of config.ini. */
  readonly config: string;
  /** Absent: what config.ini says. */
  readonly logLevel: LogLevel | undefined;
  readonly json: boolean;
}

/** Options of `chain-node init`. */
export interface InitOptions {
  readonly nodes: number;
  readonly agencies: readonly string[];
  readonly groups: readonly PlannedGroup[];
  readonly sm: boolean;
  readonly host: string;
  readonly basePorts: NodePorts;
  readonly days: number;
  readonly json: boolean;
}

/** Options of `chain-node status` and `chain-node doctor`. */
export interface LookOptions {
  readonly json: boolean;
}

/** Options of `chain-node role`. */
export interface RoleOptions {
  readonly as: "sealer" | "observer" | "free";
  /** URL of an RPC port, or the folder of a node of this host. */
  readonly through: string;
  readonly group: number;
  /** File of the key that signs; a new key when absent. */
  readonly key: string | undefined;
  readonly json: boolean;
}

/** Options of `chain-node confirm`. */
export interface ConfirmOptions {
  /** Absent: all groups. */
  readonly group?: number | undefined;
  readonly json: boolean;
}

/** Options of `chain-node replay`. */
export interface ReplayOptions {
  /** Absent: the file beside the ledger. */
  readonly genesis: string | undefined;
  /** Absent: what the meta file beside the ledger says, else the newest. */
  readonly supportedVersion: string | undefined;
  readonly json: boolean;
}

/** Options of `chain-node export`. */
export interface ExportOptions {
  /** Folder of a node that does not run; else `rpc` is given. */
  readonly node: string | undefined;
  /** URL of a node's RPC port. */
  readonly rpc: string | undefined;
  readonly group: number;
  readonly json: boolean;
}

/** Options of `chain-node check`. */
export interface CheckOptions {
  /** The folder, where it is no argument. */
  readonly data: string | undefined;
  /** Absent: all groups. */
  readonly group: number | undefined;
  readonly from: number;
  readonly execute: boolean;
  readonly json: boolean;
}

/** Options of `chain-node snapshot`. */
export interface SnapshotOptions {
  readonly out: string;
  readonly group: number;
  readonly json: boolean;
}

/** Options of `chain-node restore`. */
export interface RestoreOptions {
  readonly replace: boolean;
  readonly json: boolean;
}

/** Options of `chain-node import`. */
export interface ImportOptions extends ReplayOptions {
  readonly replace: boolean;
}

/** Options of `chain-node cert issue`. */
export interface CertIssueOptions {
  readonly ca: string;
  readonly agency: string;
  readonly out: string;
  readonly name: string | undefined;
  readonly kind: "node" | "sdk";
  readonly newAgency: boolean;
  /** File of the key to certify; a new key when absent. */
  readonly key: string | undefined;
  /** File of the public key to certify, or a node ID. */
  readonly publicKey: string | undefined;
  readonly days: number;
  readonly json: boolean;
}

/** Options of `chain-node cert renew`. */
export interface CertRenewOptions {
  readonly ca: string;
  readonly days: number;
  readonly json: boolean;
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
  status(folder: string, options: LookOptions): Promise<void>;
  doctor(folder: string, options: LookOptions): Promise<void>;
  role(node: string, options: RoleOptions): Promise<void>;
  confirm(folder: string, options: ConfirmOptions): Promise<void>;
  replay(file: string, options: ReplayOptions): Promise<void>;
  export(file: string, options: ExportOptions): Promise<void>;
  check(folder: string | undefined, options: CheckOptions): Promise<void>;
  snapshot(folder: string, options: SnapshotOptions): Promise<void>;
  restore(file: string, folder: string, options: RestoreOptions): Promise<void>;
  import(file: string, folder: string, options: ImportOptions): Promise<void>;
  certIssue(options: CertIssueOptions): Promise<void>;
  certRenew(folder: string, options: CertRenewOptions): Promise<void>;
}

/**
 * Builds the parser. Arguments that cannot be are thrown as a CommanderError, which has said a
 * sentence on stderr by then.
 */
export function createProgram(version: string, commands: Commands): Command {
  const program = new Command("chain-node")
    .description("A permissioned blockchain node that speaks the interfaces of FISCO BCOS 2.x")
    .version(`chain-node ${version}`, "-v, --version", "print the version")
    .exitOverride()
    .showHelpAfterError("(chain-node --help lists the commands)");
  addDev(program, commands);
  addStart(program, commands);
  addInit(program, commands);
  addLooks(program, commands);
  addRole(program, commands);
  addLedgerFiles(program, commands);
  addSnapshots(program, commands);
  addCert(program, commands);
  return program;
}

function addStart(program: Command, commands: Commands): void {
  const start = commandOf(START)
    .exitOverride()
    .showHelpAfterError("(chain-node start --help lists the options)")
    .action((options: StartCommand) => commands.start(options));
  program.addCommand(start);
}

function addInit(program: Command, commands: Commands): void {
  const init = commandOf(INIT)
    .exitOverride()
    .showHelpAfterError("(chain-node init --help lists the options)")
    .action((folder: string, options: InitOptions) => commands.init(folder, options));
  program.addCommand(init);
}

function addLooks(program: Command, commands: Commands): void {
  const status = commandOf(STATUS)
    .exitOverride()
    .showHelpAfterError("(chain-node status --help lists the options)")
    .action((folder: string, options: LookOptions) => commands.status(folder, options));
  const doctor = commandOf(DOCTOR)
    .exitOverride()
    .showHelpAfterError("(chain-node doctor --help lists the options)")
    .action((folder: string, options: LookOptions) => commands.doctor(folder, options));
  const confirm = commandOf(CONFIRM)
    .exitOverride()
    .showHelpAfterError("(chain-node confirm --help lists the options)")
    .action((folder: string, options: ConfirmOptions) => commands.confirm(folder, options));
  program.addCommand(status);
  program.addCommand(doctor);
  program.addCommand(confirm);
}

function addRole(program: Command, commands: Commands): void {
  const role = commandOf(ROLE)
    .exitOverride()
    .showHelpAfterError("(chain-node role --help lists the options)")
    .action((node: string, options: RoleOptions) =>
      commands.role(node, { ...options, key: options.key }),
    );
  program.addCommand(role);
}

function addLedgerFiles(program: Command, commands: Commands): void {
  const replay = commandOf(REPLAY)
    .exitOverride()
    .showHelpAfterError("(chain-node replay --help lists the options)")
    .action((file: string, { genesis, supportedVersion, json }: ReplayOptions) =>
      commands.replay(file, { genesis, supportedVersion, json }),
    );
  program.addCommand(replay);
  const save = commandOf(EXPORT)
    .exitOverride()
    .showHelpAfterError("(chain-node export --help lists the options)")
    .action((file: string, { node, rpc, group, json }: ExportOptions) =>
      commands.export(file, { node, rpc, group, json }),
    );
  program.addCommand(save);
  const check = commandOf(CHECK)
    .exitOverride()
    .showHelpAfterError("(chain-node check --help lists the options)")
    .action((folder: string | undefined, options: CheckOptions) => {
      const { data, group, from, execute, json } = options;
      return commands.check(folder, { data, group, from, execute, json });
    });
  program.addCommand(check);
}

function addSnapshots(program: Command, commands: Commands): void {
  const snapshot = commandOf(SNAPSHOT)
    .exitOverride()
    .showHelpAfterError("(chain-node snapshot --help lists the options)")
    .action((folder: string, options: SnapshotOptions) => commands.snapshot(folder, options));
  program.addCommand(snapshot);
  const restore = commandOf(RESTORE)
    .exitOverride()
    .showHelpAfterError("(chain-node restore --help lists the options)")
    .action((file: string, folder: string, options: RestoreOptions) =>
      commands.restore(file, folder, options),
    );
  program.addCommand(restore);
  const take = commandOf(IMPORT)
    .exitOverride()
    .showHelpAfterError("(chain-node import --help lists the options)")
    .action((file: string, folder: string, options: ImportOptions) => {
      const { genesis, supportedVersion, replace, json } = options;
      return commands.import(file, folder, { genesis, supportedVersion, replace, json });
    });
  program.addCommand(take);
}

function addCert(program: Command, commands: Commands): void {
  const help = "(chain-node cert --help lists the commands)";
  const cert = commandOf(CERT).exitOverride().showHelpAfterError(help);
  const issue = commandOf(CERT_ISSUE)
    .exitOverride()
    .showHelpAfterError("(chain-node cert issue --help lists the options)")
    .action((options: CertIssueOptions) =>
      commands.certIssue({
        ...options,
        name: options.name,
        key: options.key,
        publicKey: options.publicKey,
      }),
    );
  const renew = commandOf(CERT_RENEW)
    .exitOverride()
    .showHelpAfterError("(chain-node cert renew --help lists the options)")
    .action((folder: string, options: CertRenewOptions) => commands.certRenew(folder, options));
  cert.addCommand(issue);
  cert.addCommand(renew);
  program.addCommand(cert);
}

function addDev(program: Command, commands: Commands): void {
  const dev = commandOf(DEV)
    .exitOverride()
    .showHelpAfterError(`(${devCommand()} --help lists the options)`)
    .action((options: DevOptions) => {
      const { cors, allowHost = [], channelPort, rsaChannel = false } = options;
      return commands.dev({ ...options, cors, allowHost, channelPort, rsaChannel });
    });
  program.addCommand(dev);
}
