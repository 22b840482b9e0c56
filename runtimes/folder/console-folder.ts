/** The folder of a console: scripts, configuration, contracts. Source: console 1 */
import { CONSOLE_CONTRACTS } from "./console-contracts.ts";
import type { FileToWrite } from "./whole-files.ts";

/** What a console folder is written for. */
export interface ConsoleFolderTerms {
  /** Channel ports of nodes: `ip:channel_listen_port`. */
  readonly peers: readonly string[];
  /** JSON-RPC ports of nodes, as URLs; an example when absent. */
  readonly rpc?: readonly string[];
}

/** What the example names: the first two nodes of a chain on this host. */
const EXAMPLE_PEERS = ["127.0.0.1:20200", "127.0.0.1:20201"];
const EXAMPLE_RPC = ["http://127.0.0.1:8545"];

/** Without arguments the commands are listed; a script of them may come through a pipe. */
const LIST_COMMANDS = `[ $# -gt 0 ] || [ ! -t 0 ] || set -- -h
`;

/** Runs words of the console, which is next to the script or on the PATH. */
function script(comment: string, words: string, before = ""): FileToWrite["text"] {
  return `#!/usr/bin/env bash
# ${comment}
folder=$(CDPATH= cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd) || exit 1
program=$folder/chain-node
[ -x "$program" ] || program=chain-node
${before}exec "$program" console ${words} "$@"
`;
}

const CONFIG = '--config "$folder/conf/config.toml"';

/** Name, what it is for, and the words that it runs. */
const SCRIPTS: readonly (readonly [name: string, comment: string, words: string])[] = [
  ["start.sh", "A session: start.sh [group] [-pem file | -p12 file] [-l]", CONFIG],
  ["console.sh", "One command: console.sh [group] command [arguments]", CONFIG],
  [
    "get_account.sh",
    "A key file in accounts/: get_account.sh [-p | -k file | -P file]",
    "get_account",
  ],
  ["get_gm_account.sh", "The same for a national chain", "get_gm_account"],
  ["sol2java.sh", "ABI, code and TypeScript bindings of contracts", `${CONFIG} sol2java`],
];

function tomlList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(", ")}]`;
}

/**
 * The text of `config.toml`. Source: console 1
 * @param rpc URLs for those who have no certificates; not used until the line is made one
 */
export function consoleConfigText(
  peers: readonly string[],
  rpc: readonly string[] = EXAMPLE_RPC,
): string {
  return `# The console of a chain. Paths are relative to the folder above this file's.

[cryptoMaterial]
# Folder with ca.crt, sdk.crt and sdk.key, from the folder sdk of an agency of the chain.
certPath = "conf"
# Files elsewhere:
# caCert = "conf/ca.crt"
# sslCert = "conf/sdk.crt"
# sslKey = "conf/sdk.key"

[network]
# Nodes: ip:channel_listen_port.
peers = ${tomlList(peers)}
# JSON-RPC in place of the channel ports, without certificates:
# rpc = ${tomlList(rpc)}
# Nodes of another chain are refused:
# chainId = "1"

[account]
# Folder of key files; the newest PEM file signs unless another one is named here.
keyStoreDir = "account"
# accountFilePath = ""
accountFileFormat = "pem"
# accountAddress = ""
# password = ""
`;
}

/** The file of generateGroupFromFile. Source: console 4.5 */
const GROUP_CONFIG = `# A new group: generateGroupFromFile conf/group-generate-config.toml <group>

[groupPeers]
# Nodes of the group, as the console connects to them.
peers = ["127.0.0.1:20200", "127.0.0.1:20201"]

[consensus]
# Node IDs of the sealers.
sealerList = []

[genesis]
# Milliseconds since 1970; now when empty. All nodes are told the same.
timestamp = ""
`;

/**
 * All files of a console folder but certificates, keys and the program: these are copied next to
 * them. Source: console 1
 */
export function consoleFolderFiles({
  peers,
  rpc = [],
}: ConsoleFolderTerms): readonly FileToWrite[] {
  const scripts = SCRIPTS.map(
    ([path, comment, words]): FileToWrite => ({
      path,
      text: script(comment, words, path === "console.sh" ? LIST_COMMANDS : ""),
      use: "script",
    }),
  );
  const contracts = Object.entries(CONSOLE_CONTRACTS).map(
    ([name, text]): FileToWrite => ({ path: `contracts/solidity/${name}`, text, use: "text" }),
  );
  const examples = peers.length > 0 ? peers : EXAMPLE_PEERS;
  const urls = rpc.length > 0 ? rpc : EXAMPLE_RPC;
  return [
    ...scripts,
    { path: "conf/config.toml", text: consoleConfigText(examples, urls), use: "text" },
    { path: "conf/config-example.toml", text: consoleConfigText(EXAMPLE_PEERS), use: "text" },
    { path: "conf/group-generate-config.toml", text: GROUP_CONFIG, use: "text" },
    ...contracts,
  ];
}
