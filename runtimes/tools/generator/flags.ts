/**
 * The command line of `generator` as a table: flags with their arguments, of which the parser of
 * the other commands admits one. Source: generator 2; interface 4.3
 */

/** What a run does; one of these. */
export type ActionName =
  | "version"
  | "buildInstallPackage"
  | "buildPackageOnly"
  | "createGroupGenesis"
  | "createGroupGenesisWithNodeId"
  | "generateChainCertificate"
  | "generateAgencyCertificate"
  | "generateNodeCertificate"
  | "generateSdkCertificate"
  | "generateAllCertificates"
  | "generateAgencyRequest"
  | "signAgencyRequest"
  | "deployPrivateKey"
  | "mergeConfig"
  | "addPeers"
  | "addGroup"
  | "downloadProgram"
  | "downloadConsole"
  | "getSdkFile"
  | "createToolFolder";

/** A flag with what follows it. */
export interface FlagRow {
  /** All spellings, the short one first where there is one. */
  readonly flags: readonly string[];
  /** Names of its arguments; all are needed. */
  readonly args: readonly string[];
  readonly help: string;
}

/** A flag that says what a run does. */
export interface ActionRow extends FlagRow {
  readonly name: ActionName;
  /** The work in words, for the lines at its begin and end; none is reported of it when absent. */
  readonly work?: string;
}

/** In the order in which they win when several are given. Source: generator 2 */
export const ACTION_ROWS: readonly ActionRow[] = [
  {
    name: "version",
    flags: ["-v", "--version"],
    args: [],
    help: "print the version of the tool",
  },
  {
    name: "buildInstallPackage",
    flags: ["-b", "--build_install_package"],
    args: ["PEERS_FILE", "OUT_DIR"],
    help: "write the nodes of conf/node_deployment.ini with the certificates of meta",
    work: "build install package",
  },
  {
    name: "buildPackageOnly",
    flags: ["--build_package_only"],
    args: ["OUT_DIR", "PEERS_FILE"],
    help: "the same without certificates and genesis; the peers file may be missing",
    work: "build package without certificates",
  },
  {
    name: "createGroupGenesis",
    flags: ["-c", "--create_group_genesis"],
    args: ["DIR"],
    help: "write the genesis of conf/group_genesis.ini, by the certificates of meta",
    work: "create group genesis",
  },
  {
    name: "createGroupGenesisWithNodeId",
    flags: ["--create_group_genesis_with_nodeid"],
    args: ["DIR"],
    help: "the same, by the files node_<ip>_<port>.nodeid of meta",
    work: "create group genesis from node IDs",
  },
  {
    name: "generateChainCertificate",
    flags: ["--generate_chain_certificate"],
    args: ["CHAIN_DIR"],
    help: "make the key and the certificate of a new chain",
    work: "generate chain certificate",
  },
  {
    name: "generateAgencyCertificate",
    flags: ["--generate_agency_certificate"],
    args: ["PARENT_DIR", "CHAIN_DIR", "NAME"],
    help: "make an agency's key and certificate in PARENT_DIR/NAME",
    work: "generate agency certificate",
  },
  {
    name: "generateNodeCertificate",
    flags: ["--generate_node_certificate"],
    args: ["PARENT_DIR", "AGENCY_DIR", "NAME"],
    help: "make a node's key and certificate in PARENT_DIR/NAME",
    work: "generate node certificate",
  },
  {
    name: "generateSdkCertificate",
    flags: ["--generate_sdk_certificate"],
    args: ["PARENT_DIR", "AGENCY_DIR"],
    help: "make an SDK's key and certificate in PARENT_DIR/sdk",
    work: "generate SDK certificate",
  },
  {
    name: "generateAllCertificates",
    flags: ["--generate_all_certificates"],
    args: ["DIR"],
    help: "make those of all nodes of conf/node_deployment.ini; DIR is sent to other agencies",
    work: "generate all certificates",
  },
  {
    name: "generateAgencyRequest",
    flags: ["--generate_agency_request"],
    args: ["DIR", "NAME"],
    help: "make an agency's key, and the request that the owner of the chain signs",
    work: "generate agency request",
  },
  {
    name: "signAgencyRequest",
    flags: ["--sign_agency_request"],
    args: ["CHAIN_DIR", "REQUEST_FILE", "OUT_DIR"],
    help: "make an agency's certificate from its request; its key stays with it",
    work: "sign agency request",
  },
  {
    name: "deployPrivateKey",
    flags: ["-d", "--deploy_private_key"],
    args: ["CERT_DIR", "PACKAGE_DIR"],
    help: "copy keys and node IDs into the nodes of the same names",
    work: "deploy private keys",
  },
  {
    name: "mergeConfig",
    flags: ["-m", "--merge_config"],
    args: ["CONFIG_A", "CONFIG_B"],
    help: "write the peers of both config.ini files into the second one",
    work: "merge config",
  },
  {
    name: "addPeers",
    flags: ["-p", "--add_peers"],
    args: ["PEERS_FILE", "NODE_DIR"],
    help: "add peers to a node, or to all nodes of a folder",
    work: "add peers",
  },
  {
    name: "addGroup",
    flags: ["-a", "--add_group"],
    args: ["GENESIS_FILE", "NODE_DIR"],
    help: "add the files of a group to a node, or to all nodes of a folder",
    work: "add group",
  },
  {
    name: "downloadProgram",
    flags: [
      "--download_chain-node",
      "--download_chain_node",
      "--download_fisco",
      "--download_fisco-bcos",
      "--download_fisco_bcos",
    ],
    args: ["DIR"],
    help: "write the node program into a folder, usually meta",
    work: "download chain-node",
  },
  {
    name: "downloadConsole",
    flags: ["--download_console"],
    args: ["DIR"],
    help: "write a console for the agency's nodes into DIR/console",
    work: "download console",
  },
  {
    name: "getSdkFile",
    flags: ["--get_sdk_file"],
    args: ["DIR"],
    help: "write what an SDK or a console needs into a new folder",
    work: "get SDK files",
  },
  {
    name: "createToolFolder",
    flags: ["--create_tool_folder"],
    args: ["DIR"],
    help: "write a folder with samples, templates and scripts to work in",
    work: "create tool folder",
  },
];

/** What changes how an action works. */
export type ModifierName =
  | "cdn"
  | "release"
  | "guomi"
  | "gmssl"
  | "json"
  | "dryRun"
  | "noPortCheck"
  | "yes"
  | "organisation"
  | "days";

/** A flag that goes with actions. */
export interface ModifierRow extends FlagRow {
  readonly name: ModifierName;
}

/** Source: generator 2 */
export const MODIFIER_ROWS: readonly ModifierRow[] = [
  {
    name: "guomi",
    flags: ["-g", "--use_guomi"],
    args: [],
    help: "SM2 and SM3; names of files begin with gm",
  },
  {
    name: "gmssl",
    flags: ["-G", "--gmssl"],
    args: [],
    help: "SM TLS for SDKs as well, which this node does not offer",
  },
  {
    name: "cdn",
    flags: ["--cdn"],
    args: [],
    help: "ask the mirror of npm_config_registry or conf/tool.ini first",
  },
  {
    name: "release",
    flags: ["--release", "--console_version"],
    args: ["X.Y.Z"],
    help: "another version to download, through npm (--version X.Y.Z does the same)",
  },
  {
    name: "organisation",
    flags: ["--organisation"],
    args: ["NAME"],
    help: "O of new certificates (default: chain-node)",
  },
  {
    name: "days",
    flags: ["--days"],
    args: ["DAYS"],
    help: "validity of new certificates (default: 3650)",
  },
  {
    name: "noPortCheck",
    flags: ["--no-port-check"],
    args: [],
    help: "do not look whether ports are in use on this host",
  },
  { name: "dryRun", flags: ["--dry-run"], args: [], help: "check everything and write nothing" },
  { name: "json", flags: ["--json"], args: [], help: "print one line of JSON" },
  { name: "yes", flags: ["--yes"], args: [], help: "answer questions with yes" },
];

/** Modifiers that were given, with their arguments. */
export type Modifiers = ReadonlyMap<ModifierName, readonly string[]>;

/** What the arguments ask for. */
export type Asked =
  | { readonly kind: "help" }
  | {
      readonly kind: "action";
      readonly row: ActionRow;
      readonly args: readonly string[];
      readonly modifiers: Modifiers;
    };

/** Arguments that cannot be: the process ends with code 2. */
export class UsageFault extends Error {
  override readonly name = "UsageFault";
}

const HELP = new Set(["-h", "--help"]);

function rowOf<Row extends FlagRow>(rows: readonly Row[], flag: string): Row | undefined {
  return rows.find(({ flags }) => flags.includes(flag));
}

/** Takes the arguments of a flag off the front of what follows it. */
function argumentsOf(row: FlagRow, flag: string, rest: string[]): readonly string[] {
  const taken = rest.splice(0, row.args.length);
  const isWhole = taken.length === row.args.length && taken.every((text) => !isFlag(text));
  if (isWhole) return taken;
  const wanted = row.args.length === 1 ? "one argument" : `${row.args.length} arguments`;
  throw new UsageFault(`${flag} needs ${wanted}: ${row.args.join(" ")}`);
}

/** A word that begins with a dash; `-` alone may be a name. */
function isFlag(text: string): boolean {
  return /^-{1,2}[A-Za-z]/.test(text);
}

/**
 * The words with `--flag=value` as two. `--version` before a number is that of a download.
 * Source: generator 11
 */
export function words(args: readonly string[]): string[] {
  const isRelease = (text: string, index: number) =>
    text === "--version" && /^\d/.test(args[index + 1] ?? "");
  return args.flatMap((text, index) => {
    if (isRelease(text, index)) return ["--release"];
    const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(text) ?? [];
    return flag === undefined || value === undefined ? [text] : [flag, value];
  });
}

/** A flag that changes how an action works, off the front of what follows it. @throws UsageFault */
export function takeModifier(
  flag: string,
  rest: string[],
  found: Map<ModifierName, readonly string[]>,
) {
  const row = rowOf(MODIFIER_ROWS, flag);
  if (row) found.set(row.name, argumentsOf(row, flag, rest));
  return row !== undefined;
}

/**
 * Reads the arguments. Of several actions the first of {@link ACTION_ROWS} is done.
 * @throws UsageFault
 */
export function readArguments(args: readonly string[]): Asked {
  if (args.some((text) => HELP.has(text))) return { kind: "help" };
  const rest = words(args);
  const actions = new Map<ActionName, readonly string[]>();
  const modifiers = new Map<ModifierName, readonly string[]>();
  for (let flag = rest.shift(); flag !== undefined; flag = rest.shift()) {
    const action = rowOf(ACTION_ROWS, flag);
    if (action) actions.set(action.name, argumentsOf(action, flag, rest));
    else if (!takeModifier(flag, rest, modifiers))
      throw new UsageFault(`${flag} is no option of generator`);
  }
  const row = ACTION_ROWS.find(({ name }) => actions.has(name));
  if (!row) throw new UsageFault("invalid operation: no option says what to do");
  return { kind: "action", row, args: actions.get(row.name) ?? [], modifiers };
}

const FLAG_WIDTH = 30;

function usageRow({ flags, args, help }: FlagRow): string {
  const head = `  ${flags.join(", ")}${args.map((name) => ` ${name}`).join("")}`;
  const gap =
    head.length < FLAG_WIDTH ? " ".repeat(FLAG_WIDTH - head.length) : "\n".padEnd(FLAG_WIDTH + 1);
  return `${head}${gap}${help}`;
}

/** The help; its first line begins as installation checks expect. Source: interface 4.3 */
export function usageText(): string {
  return [
    "usage: generator [-h] ACTION [OPTION]...",
    "",
    "Writes certificates, genesis files and nodes of a chain that several agencies run.",
    "Files are read below conf, meta and tpl of the working directory, or of the tool folder",
    "whose script was run.",
    "",
    "actions:",
    ...ACTION_ROWS.map(usageRow),
    "",
    "options:",
    "  -h, --help                  print this help",
    ...MODIFIER_ROWS.map(usageRow),
    "",
  ].join("\n");
}
