/**
 * Every command of chain-node with its options, in both languages. The reference is written from
 * these rows: `docs/reference/commands.md`.
 */
import { InvalidArgumentError } from "commander";
import { isCertificateName } from "../../formats/certificates/certificate-terms.ts";
import { HOSTS } from "../../formats/config/config-kinds.ts";
import {
  DEFAULT_PORTS,
  MOST_CHAIN_NODES,
  parseAgencies,
  parseBasePorts,
  parseGroups,
} from "../../folder/chain-layout.ts";
import {
  type ArgumentRow,
  type CommandRow,
  DAYS,
  folderValue,
  GROUP,
  HIGHEST_GROUP,
  HIGHEST_PORT,
  HOST,
  JSON_LINE,
  LOG_LEVEL,
  LOWEST_PORT,
  NEW_AGENCY,
  type OptionRow,
  parentRow,
  type ValueKind,
  wholeNumber,
} from "./command-line.ts";
import { LEDGER_ROWS } from "./command-rows-ledger.ts";
import { EDGE_ROWS } from "./command-rows-edge.ts";
import { NETWORK_ROWS } from "./command-rows-network.ts";
import { CERT_CHECK, MONITOR } from "./command-rows-watch.ts";
import { inlineLess, keepEngineThrifty } from "../machine/engine-thrift.ts";
import { trimMemory } from "../machine/memory-trim.ts";
import type { StartCommand } from "./start-command.ts";
import { LONGEST_BLOCK_TIME_MS, MOST_NODES } from "../dev/dev-limits.ts";

const LEAST_BODY_BYTES = 1_024;
const USUAL_BODY_BYTES = 10 * 1024 * 1024;
const MOST_BODY_BYTES = 1024 * 1024 * 1024;

/** An origin as browsers send it: scheme, host and port, nothing behind. */
const ORIGIN: ValueKind = {
  allowed: "an origin like `http://localhost:3000`, or `*`",
  read(text) {
    if (text === "*") return text;
    const parsed = URL.canParse(text) ? new URL(text).origin : "null";
    if (parsed === text) return text;
    const example = parsed === "null" ? "http://localhost:3000" : parsed;
    throw new InvalidArgumentError(`an origin like ${example} is wanted, or *.`);
  },
};

/** Names as in `rpc.allowed_hosts`. */
const HOST_NAMES: ValueKind = {
  allowed: "host names without port, separated by commas, or `*`",
  read(text) {
    const names = HOSTS.read(text);
    if (names !== undefined) return names;
    throw new InvalidArgumentError("host names like chain.example.org are wanted, or *.");
  },
};

const CERTIFICATE_NAME: ValueKind = {
  allowed: "letters, digits, `.`, `_` and `-`, 64 at most",
  read(text) {
    if (isCertificateName(text)) return text;
    throw new InvalidArgumentError('letters, digits, ".", "_" and "-" are wanted, 64 at most.');
  },
};

const CA_FOLDER: OptionRow = {
  flags: "--ca <folder>",
  required: true,
  help: "folder that chain-node init wrote, or its cert folder",
};

const NATIONAL: OptionRow = {
  flags: "--sm",
  help: "national algorithms: SM2 and SM3 in place of secp256k1 and Keccak-256",
};

const NODE_OR_CHAIN: ArgumentRow = {
  name: "[folder]",
  fallback: ".",
  help: "folder of a node, or of a chain with its nodes in it",
};

/** All commands, in the order of the help. */
export const COMMAND_ROWS: readonly CommandRow[] = [
  {
    name: "dev",
    help: "run a PBFT chain in this process, ready to use",
    examples: ["dev", "dev --nodes 7 --port 9545 --ephemeral"],
    options: [
      {
        flags: "--nodes <count>",
        kind: wholeNumber(1, MOST_NODES),
        fallback: 4,
        help: "number of nodes",
      },
      {
        flags: "--port <port>",
        kind: wholeNumber(LOWEST_PORT, HIGHEST_PORT - MOST_NODES),
        fallback: 8545,
        help: "JSON-RPC port of node 0; node i listens on port + i",
      },
      {
        flags: "--channel-port <port>",
        kind: wholeNumber(LOWEST_PORT, HIGHEST_PORT - MOST_NODES),
        help: "port of node 0 for SDKs, 20200 unless --port moves it; node i listens on port + i",
      },
      { flags: "--rsa-channel", help: "RSA certificates for SDKs in place of secp256k1 ones" },
      {
        flags: "--host <address>",
        fallback: "127.0.0.1",
        help: "address to listen on; others than loopback open the chain to the network",
      },
      { flags: "--data <folder>", fallback: ".chain-node", help: "data folder" },
      {
        flags: "--ephemeral",
        conflicts: ["data", "reset"],
        help: "keep nothing: a temporary folder, removed at the end",
      },
      { flags: "--reset", help: "remove the data folder first, if it is one of ours" },
      { flags: "--json", help: "print one line of JSON when ready instead of the first screen" },
      { flags: "--quiet", help: "no line per block" },
      { ...LOG_LEVEL, fallback: "warning" },
      {
        flags: "--cors <origin>",
        kind: ORIGIN,
        help: "let web pages of this origin do what the chain's own page may (* for all)",
      },
      {
        flags: "--allow-host <names>",
        kind: HOST_NAMES,
        help: "further names by which browsers reach the nodes (* for all)",
      },
      {
        flags: "--max-body <bytes>",
        kind: wholeNumber(LEAST_BODY_BYTES, MOST_BODY_BYTES),
        fallback: USUAL_BODY_BYTES,
        help: "largest request body",
      },
      {
        flags: "--block-time <ms>",
        kind: wholeNumber(0, LONGEST_BLOCK_TIME_MS),
        fallback: 100,
        help: "least time between blocks",
      },
      NATIONAL,
    ],
    work: async () => {
      inlineLess();
      return (await import("./dev.ts")).runDev;
    },
  },
  {
    name: "start",
    help: "run one node from its folder",
    examples: ["start", "start -c /srv/chain/node0/config.ini"],
    options: [
      { flags: "-c, --config <file>", fallback: "config.ini", help: "the node's config.ini" },
      {
        ...LOG_LEVEL,
        help:
          "least severe log lines to print on stderr; warning, unless config.ini " +
          "says otherwise",
      },
      { flags: "--json", help: "print one line of JSON when the node is ready" },
    ],
    work: async () => {
      const maySpend = keepEngineThrifty();
      const { runStart } = await import("./start-command.ts");
      const running = (heldBytes: () => number): void => {
        maySpend(heldBytes);
        trimMemory(heldBytes);
      };
      return (options: StartCommand) => runStart(options, running);
    },
  },
  {
    name: "init",
    help: "write the folders of a new chain: keys, certificates, nodes, scripts",
    argument: { name: "<folder>", help: "where to write; must not hold a chain or a node already" },
    examples: [
      "init mychain",
      "init mychain --nodes 4 --agencies bank,audit --groups 1:pbft,2:raft",
      "init mychain --sm",
      "init mychain --host 192.0.2.7 --base-ports 8645,20200,30300,40400",
    ],
    options: [
      {
        flags: "--nodes <count>",
        kind: wholeNumber(1, MOST_CHAIN_NODES),
        fallback: 4,
        help: "number of nodes",
      },
      {
        flags: "--agencies <names>",
        kind: folderValue("names, separated by commas", parseAgencies),
        fallback: ["agency"],
        shown: "agency",
        help: "agencies that share the nodes, such as A,B",
      },
      {
        flags: "--groups <groups>",
        kind: folderValue("ID, `ID:pbft` or `ID:raft`, separated by commas", parseGroups),
        fallback: [{ id: 1, consensus: "pbft" }],
        shown: "1:pbft",
        help: "groups to begin with, such as 1:pbft,2:raft",
      },
      NATIONAL,
      {
        flags: "--host <host>",
        kind: HOST,
        fallback: "127.0.0.1",
        help: "address or name at which peers reach the nodes",
      },
      {
        flags: "--base-ports <ports>",
        kind: folderValue(
          `three or four ports from ${LOWEST_PORT} to ${HIGHEST_PORT}, separated by commas`,
          parseBasePorts,
        ),
        fallback: DEFAULT_PORTS,
        shown: Object.values(DEFAULT_PORTS).join(","),
        help: "ports RPC,CHANNEL,P2P[,WS] of node 0; node i adds i",
      },
      DAYS,
      { flags: "--json", help: "print one line of JSON instead of a table" },
    ],
    work: async () => (await import("./chain/init.ts")).runInit,
  },
  {
    name: "status",
    help: "show nodes and their groups in a table; exit code 1 when one is down or stalled",
    argument: {
      name: "[places...]",
      fallback: ".",
      help: "folders of nodes or of chains with nodes in them, and URLs of RPC ports",
    },
    examples: ["status mychain", "status mychain/node0 http://192.0.2.12:8545 --json"],
    options: [JSON_LINE],
    work: async () => (await import("./watch/status.ts")).runStatus,
  },
  {
    name: "doctor",
    help: "check nodes of this host and say what to do; exit code 1 when a check fails",
    argument: NODE_OR_CHAIN,
    examples: ["doctor mychain", "doctor mychain/node0 --json"],
    options: [JSON_LINE],
    work: async () => (await import("./watch/doctor.ts")).runDoctor,
  },
  MONITOR,
  {
    name: "confirm",
    help: "say that no other copy of a node runs: its silent groups vote again",
    argument: { name: "<folder>", help: "folder of the node; it may run or not" },
    examples: ["confirm mychain/node0", "confirm mychain/node0 --group 2"],
    options: [
      {
        flags: "--group <id>",
        kind: wholeNumber(1, HIGHEST_GROUP),
        help: "the group that is meant; all silent ones when absent",
      },
      JSON_LINE,
    ],
    work: async () => (await import("./confirm.ts")).runConfirm,
  },
  {
    name: "role",
    help: "make a node a sealer or observer of a group, or take it out; waits for the block",
    argument: { name: "<node>", help: "node ID of 128 hexadecimal digits, or the node's folder" },
    examples: [
      "role mychain/node4 --as observer --through mychain/node0",
      "role mychain/node4 --as sealer --through http://127.0.0.1:8645 --group 2",
    ],
    options: [
      {
        flags: "--as <role>",
        choices: ["sealer", "observer", "free"],
        required: true,
        help: "role from the next block on; free is neither of the others",
      },
      {
        flags: "--through <place>",
        required: true,
        help: "node that is asked: its folder on this host, or the URL of its RPC port",
      },
      GROUP,
      {
        flags: "--key <file>",
        help: "key that signs, in PEM; a new one when absent, for chains that are open",
      },
      {
        flags: "--force",
        help: "send it although the group stands still, or would afterwards, or the node lags",
      },
      { ...JSON_LINE, help: "print one line of JSON; with code and msg when nothing was sent" },
    ],
    work: async () => (await import("./role.ts")).runRole,
  },
  {
    name: "console",
    help: "talk to a chain: commands, scripts, or a session with completion (console -h lists all)",
    argument: {
      name: "[words]",
      help: "group, options and command of the console, as in `console 1 getBlockNumber`",
    },
    examples: ["console", "console 1 getBlockNumber", "console --url http://127.0.0.1:8545"],
    options: [],
    passesOn: true,
  },
  {
    name: "generator",
    help: "write certificates, genesis files and nodes of agencies (generator -h lists all)",
    argument: {
      name: "[words]",
      help: "flags of the tool, as in `generator --create_tool_folder tool`",
    },
    examples: ["generator --create_tool_folder tool", "generator -b peers.txt nodes"],
    options: [],
    passesOn: true,
  },
  {
    name: "benchmark",
    help: "measure a chain: load, monitors, a report (benchmark --help lists all)",
    argument: {
      name: "[words]",
      help: "command and settings of the tool, as in `benchmark new hello`",
    },
    examples: [
      "benchmark up 4",
      "benchmark run --caliper-benchconfig bench.yaml --caliper-networkconfig net.json",
    ],
    options: [],
    passesOn: true,
  },
  ...LEDGER_ROWS,
  parentRow("cert", "certificates of a chain"),
  {
    name: "cert issue",
    help: "make a certificate for a further node or SDK, with a new key or for one that is there",
    examples: [
      "cert issue --ca mychain --agency agency --name node4 --out node4/conf",
      "cert issue --ca mychain --agency agency --key mychain/node0/conf/node.key --name node0 " +
        "--out mychain/node0/conf",
      "cert issue --ca mychain --agency agency --public-key tab.pub --name tab --out tab",
      "cert issue --ca mychain --agency agency --request node.csr --name node4 --out node4",
    ],
    options: [
      CA_FOLDER,
      {
        flags: "--agency <name>",
        kind: CERTIFICATE_NAME,
        required: true,
        help: "agency that issues it",
      },
      {
        flags: "--out <folder>",
        required: true,
        help: "where to write; must hold no certificate, and no key but that of `--key`",
      },
      {
        flags: "--name <name>",
        kind: CERTIFICATE_NAME,
        help: "name in the certificate; node or sdk when absent",
      },
      { flags: "--kind <kind>", choices: ["node", "sdk"], fallback: "node", help: "whose it is" },
      NEW_AGENCY,
      {
        flags: "--key <file>",
        help: "key to certify, in PEM: the node ID stays; a new key when absent",
      },
      {
        flags: "--public-key <key>",
        help:
          "public key to certify, in PEM or as a node ID: " +
          "its key stays where it is, in a browser",
      },
      {
        flags: "--request <file>",
        help: "certificate request to answer, in PEM: its key stays on the node's host",
      },
      DAYS,
      JSON_LINE,
    ],
    work: async () => (await import("./chain/cert.ts")).runCertIssue,
  },
  {
    name: "cert renew",
    help: "make a new certificate for the key of a node or SDK; the node ID stays",
    argument: { name: "<folder>", help: "folder of a node, or of an SDK" },
    examples: ["cert renew mychain/node0 --ca mychain"],
    options: [CA_FOLDER, DAYS, JSON_LINE],
    work: async () => (await import("./chain/cert.ts")).runCertRenew,
  },
  CERT_CHECK,
  ...EDGE_ROWS,
  ...NETWORK_ROWS,
];
