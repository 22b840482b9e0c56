/** The commands around networks that one file describes, and around single nodes of a chain. */
import { InvalidArgumentError } from "commander";
import { isCertificateName } from "../../formats/certificates/certificate-terms.ts";
import { parseBasePorts } from "../../folder/chain-layout.ts";
import {
  type ArgumentRow,
  type CommandRow,
  DAYS,
  folderValue,
  HIGHEST_GROUP,
  HOST,
  JSON_LINE,
  NEW_AGENCY,
  type OptionRow,
  parentRow,
  type ValueKind,
  wholeNumber,
  YES,
} from "./command-line.ts";

/** Longest wait for consensus: an hour. */
const MOST_WAIT = 3_600;
const MOST_LINES = 100_000;

const FILE: ArgumentRow = {
  name: "<file>",
  help: "network file, or a folder whose agencies have a node_deployment.ini",
};

const ONE_NODE: ArgumentRow = { name: "[node]", help: "name of one node; all when absent" };

const WAIT: OptionRow = {
  flags: "--wait <seconds>",
  kind: wholeNumber(1, MOST_WAIT),
  fallback: 120,
  help: "longest wait until groups have consensus",
};

const NAMES: ValueKind = {
  allowed: "names, separated by commas",
  read(text) {
    const names = text.split(",").map((name) => name.trim());
    if (names.every(isCertificateName)) return names;
    throw new InvalidArgumentError("names of nodes are wanted, separated by commas.");
  },
};

const GROUP_IDS: ValueKind = {
  allowed: "numbers of groups, separated by commas",
  read(text) {
    const ids = text.split(",").map((part) => Number(/^\s*(\d{1,5})\s*$/.exec(part)?.[1] ?? 0));
    if (ids.every((id) => id >= 1 && id <= HIGHEST_GROUP)) return ids;
    throw new InvalidArgumentError(`numbers from 1 to ${HIGHEST_GROUP} are wanted, such as 1,2.`);
  },
};

const NODE_PORTS = "`RPC,CHANNEL,P2P` or `RPC,CHANNEL,P2P,WS`";

/** The text of ports, which goes into a file as it is. */
const PORTS_TEXT: ValueKind = {
  allowed: NODE_PORTS,
  read(text) {
    folderValue(NODE_PORTS, parseBasePorts).read(text);
    return text;
  },
};

/** All of them, in the order of the help. */
export const NETWORK_ROWS: readonly CommandRow[] = [
  parentRow("network", "networks that one file describes: agencies, nodes, groups"),
  {
    name: "network up",
    help:
      "write what is missing, start the nodes of this host, wait until the " +
      "groups have consensus",
    argument: FILE,
    examples: ["network up network.yaml", "network up workdir --json"],
    options: [WAIT, JSON_LINE],
    work: async () => (await import("../../tools/network/up.ts")).runUp,
  },
  {
    name: "network down",
    help: "stop the nodes of this host; ledgers are kept",
    argument: FILE,
    target: ONE_NODE,
    examples: ["network down network.yaml", "network down network.yaml node2"],
    options: [JSON_LINE],
    work: async () => (await import("../../tools/network/clean.ts")).runDown,
  },
  {
    name: "network status",
    help: "show nodes and groups in tables; exit code 1 when one cannot write",
    argument: FILE,
    examples: ["network status network.yaml"],
    options: [JSON_LINE],
    work: async () => (await import("../../tools/network/look.ts")).runStatus,
  },
  {
    name: "network inspect",
    help: "show everything there is to a network: addresses, folders, processes, members",
    argument: FILE,
    examples: ["network inspect network.yaml --json", "network inspect workdir --yaml"],
    options: [
      {
        flags: "--yaml",
        conflicts: ["json"],
        help: "print a network file in which nothing is left to defaults",
      },
      JSON_LINE,
    ],
    work: async () => (await import("../../tools/network/look.ts")).runInspect,
  },
  {
    name: "network logs",
    help: "print the last lines of the nodes' logs",
    argument: FILE,
    target: ONE_NODE,
    examples: ["network logs network.yaml", "network logs network.yaml node2 -f"],
    options: [
      { flags: "-f, --follow", help: "go on with the lines that come, until it is interrupted" },
      {
        flags: "--lines <count>",
        kind: wholeNumber(0, MOST_LINES),
        fallback: 20,
        help: "last lines of each node",
      },
      { flags: "--json", help: "print each line as an object with the name of its node" },
    ],
    work: async () => (await import("../../tools/network/logs/logs.ts")).runLogs,
  },
  {
    name: "network add-node",
    help: "add a node to the file, write it, start it and give it its role",
    argument: FILE,
    target: { name: "<name>", help: "name of the new node" },
    examples: [
      "network add-node network.yaml node7 --agency bank",
      "network add-node network.yaml node7 --agency bank --role observer --groups 1,2",
    ],
    options: [
      { flags: "--agency <name>", required: true, help: "its agency; a new one is made" },
      {
        flags: "--host <host>",
        kind: HOST,
        help: "address or name at which peers reach it; `chain.host` of the file when absent",
      },
      { flags: "--ports <ports>", kind: PORTS_TEXT, help: "its ports; free ones when absent" },
      { flags: "--role <role>", choices: ["sealer", "observer"], help: "its role in its groups" },
      {
        flags: "--runtime <runtime>",
        choices: ["node", "tab", "edge"],
        help: "where it runs; a tab or edge joins from elsewhere",
      },
      {
        flags: "--public-key <key>",
        help: "of a tab or edge: file with its public key, or node ID",
      },
      {
        flags: "--groups <ids>",
        kind: GROUP_IDS,
        help: "groups that it joins, of those that list their members; all when absent",
      },
      WAIT,
      JSON_LINE,
    ],
    work: async () => (await import("../../tools/network/additions.ts")).runAddNode,
  },
  {
    name: "network add-group",
    help: "add a group to the file, write it and start it on its members",
    argument: FILE,
    target: { name: "<id>", help: "number of the new group" },
    examples: [
      "network add-group network.yaml 2",
      "network add-group network.yaml 3 --consensus raft --sealers node0,node1,node2",
    ],
    options: [
      {
        flags: "--consensus <protocol>",
        choices: ["pbft", "raft"],
        fallback: "pbft",
        help: "protocol of the group",
      },
      { flags: "--sealers <names>", kind: NAMES, help: "nodes that decide about blocks" },
      { flags: "--observers <names>", kind: NAMES, help: "nodes that follow without a vote" },
      WAIT,
      JSON_LINE,
    ],
    work: async () => (await import("../../tools/network/additions.ts")).runAddGroup,
  },
  {
    name: "network upgrade",
    help: "restart node by node with this program; each votes again before the next one stops",
    argument: FILE,
    target: ONE_NODE,
    examples: ["network upgrade network.yaml"],
    options: [{ ...WAIT, help: "longest wait until a node votes again" }, JSON_LINE],
    work: async () => (await import("../../tools/network/upgrade.ts")).runUpgrade,
  },
  {
    name: "network clean",
    help: "list what belongs to the network's folder, ask, and delete it",
    argument: FILE,
    examples: ["network clean network.yaml", "network clean network.yaml --yes"],
    options: [YES, JSON_LINE],
    work: async () => (await import("../../tools/network/clean.ts")).runClean,
  },
  {
    name: "network manifests",
    help: "write what other engines run the network from",
    argument: FILE,
    examples: [
      "network manifests network.yaml --for systemd --out units",
      "network manifests network.yaml --for kubernetes --out k8s",
    ],
    options: [
      {
        flags: "--for <engine>",
        choices: ["systemd", "compose", "kubernetes"],
        required: true,
        help: "what will run the network",
      },
      { flags: "--out <folder>", required: true, help: "where to write; new or empty" },
      JSON_LINE,
    ],
    work: async () => (await import("../../tools/network/manifests.ts")).runManifests,
  },
  parentRow("node", "single nodes of a chain"),
  {
    name: "node add",
    help: "write the folder of a node for a running chain: key, certificate, ports, groups, peers",
    argument: {
      name: "<folder>",
      help: "folder of the new node; its last part is the node's name",
    },
    examples: [
      "node add mychain/node4 --ca mychain --agency agency",
      "node add /srv/node4 --from mychain/node0 --host 192.0.2.14 --ports 8645,20200,30300",
    ],
    options: [
      {
        flags: "--from <folder>",
        help:
          "node of the chain to take settings, groups and peers from; one next " +
          "to it when absent",
      },
      {
        flags: "--ca <folder>",
        help: "folder that chain-node init wrote, or its cert folder; without it a request is made",
      },
      { flags: "--agency <name>", help: "agency that certifies it; needed with `--ca`" },
      NEW_AGENCY,
      {
        flags: "--host <host>",
        kind: HOST,
        help: "address or name at which peers reach it; that of the other node when absent",
      },
      {
        flags: "--ports <ports>",
        kind: folderValue(NODE_PORTS, parseBasePorts),
        help: "its ports; the next free ones when absent",
      },
      DAYS,
      JSON_LINE,
    ],
    work: async () => (await import("../../tools/network/node-add.ts")).runNodeAdd,
  },
];
