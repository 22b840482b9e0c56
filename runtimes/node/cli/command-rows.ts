/**
 * Every command of chain-node with its options, in both languages. The reference is written from
 * these rows: `docs/reference/commands.md`.
 */
import { InvalidArgumentError } from "commander";
import { isCertificateName, LEAF_DAYS } from "../../formats/certificates/certificate-terms.ts";
import { HOSTS } from "../../formats/config/config-kinds.ts";
import {
  DEFAULT_PORTS,
  MOST_CHAIN_NODES,
  parseAgencies,
  parseBasePorts,
  parseGroups,
  parseHost,
} from "../../folder/chain-layout.ts";
import {
  type ArgumentRow,
  type CommandRow,
  folderValue,
  type OptionRow,
  type ValueKind,
  wholeNumber,
} from "./command-line.ts";
import { GROUP, HIGHEST_GROUP, JSON_LINE } from "./command-options.ts";
import { CHECK, EXPORT, IMPORT, REPLAY, RESTORE, SNAPSHOT } from "./command-rows-ledger.ts";
import { LONGEST_BLOCK_TIME_MS, MOST_NODES } from "../dev/dev-limits.ts";

/** Longest validity: a hundred years. */
const MOST_DAYS = 36_500;
/** Ports below 1024 belong to the system. Source: interface 8 */
const LOWEST_PORT = 1024;
const HIGHEST_PORT = 65_535;
const LEAST_BODY_BYTES = 1_024;
const USUAL_BODY_BYTES = 10 * 1024 * 1024;
const MOST_BODY_BYTES = 1024 * 1024 * 1024;

/** An origin as browsers send it: scheme, host and port, nothing behind. */
const ORIGIN: ValueKind = {
  allowed: {
    en: "an origin like `http://localhost:3000`, or `*`",
    zh: "来源，例如 `http://localhost:3000`，或 `*`",
  },
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
  allowed: {
    en: "host names without port, separated by commas, or `*`",
    zh: "以逗号分隔的主机名（不含端口），或 `*`",
  },
  read(text) {
    const names = HOSTS.read(text);
    if (names !== undefined) return names;
    throw new InvalidArgumentError("host names like chain.example.org are wanted, or *.");
  },
};

const CERTIFICATE_NAME: ValueKind = {
  allowed: {
    en: "letters, digits, `.`, `_` and `-`, 64 at most",
    zh: "字母、数字、`.`、`_` 和 `-`，最多 64 个字符",
  },
  read(text) {
    if (isCertificateName(text)) return text;
    throw new InvalidArgumentError('letters, digits, ".", "_" and "-" are wanted, 64 at most.');
  },
};

const DAYS: OptionRow = {
  flags: "--days <days>",
  kind: wholeNumber(1, MOST_DAYS),
  fallback: LEAF_DAYS,
  en: "validity of node and SDK certificates",
  zh: "节点证书和 SDK 证书的有效天数",
};

const CA_FOLDER: OptionRow = {
  flags: "--ca <folder>",
  required: true,
  en: "folder that chain-node init wrote, or its cert folder",
  zh: "chain-node init 生成的目录，或其中的 cert 目录",
};

const NATIONAL: OptionRow = {
  flags: "--sm",
  en: "national algorithms: SM2 and SM3 in place of secp256k1 and Keccak-256",
  zh: "使用国密算法：以 SM2、SM3 代替 secp256k1、Keccak-256",
};

const LOG_LEVEL: OptionRow = {
  flags: "--log-level <level>",
  choices: ["trace", "debug", "info", "warning", "error"],
  en: "least severe log lines to print on stderr",
  zh: "输出到标准错误的最低日志级别",
};

/** `chain-node dev`. */
export const DEV: CommandRow = {
  name: "dev",
  en: "run a PBFT chain in this process, ready to use",
  zh: "在本进程内运行一条可直接使用的 PBFT 链",
  examples: ["dev", "dev --nodes 7 --port 9545 --ephemeral"],
  options: [
    {
      flags: "--nodes <count>",
      kind: wholeNumber(1, MOST_NODES),
      fallback: 4,
      en: "number of nodes",
      zh: "节点数量",
    },
    {
      flags: "--port <port>",
      kind: wholeNumber(LOWEST_PORT, HIGHEST_PORT - MOST_NODES),
      fallback: 8545,
      en: "JSON-RPC port of node 0; node i listens on port + i",
      zh: "节点 0 的 JSON-RPC 端口；节点 i 监听该端口加 i",
    },
    {
      flags: "--channel-port <port>",
      kind: wholeNumber(LOWEST_PORT, HIGHEST_PORT - MOST_NODES),
      en: "port of node 0 for SDKs, 20200 unless --port moves it; node i listens on port + i",
      zh: "节点 0 的 SDK 端口，默认 20200，随 --port 移动；节点 i 监听该端口加 i",
    },
    {
      flags: "--rsa-channel",
      en: "RSA certificates for SDKs in place of secp256k1 ones",
      zh: "SDK 端口使用 RSA 证书，代替 secp256k1 证书",
    },
    {
      flags: "--host <address>",
      fallback: "127.0.0.1",
      en: "address to listen on; others than loopback open the chain to the network",
      zh: "监听地址；非回环地址会把链开放到网络",
    },
    {
      flags: "--data <folder>",
      fallback: ".chain-node",
      en: "data folder",
      zh: "数据目录",
    },
    {
      flags: "--ephemeral",
      conflicts: ["data", "reset"],
      en: "keep nothing: a temporary folder, removed at the end",
      zh: "不保留数据：使用临时目录，结束时删除",
    },
    {
      flags: "--reset",
      en: "remove the data folder first, if it is one of ours",
      zh: "先删除数据目录（仅当它由本程序创建）",
    },
    {
      flags: "--json",
      en: "print one line of JSON when ready instead of the first screen",
      zh: "就绪时输出一行 JSON，代替首屏",
    },
    { flags: "--quiet", en: "no line per block", zh: "不为每个区块输出一行" },
    { ...LOG_LEVEL, fallback: "warning" },
    {
      flags: "--cors <origin>",
      kind: ORIGIN,
      en: "let web pages of this origin do what the chain's own page may (* for all)",
      zh: "允许来自该来源的网页与本链自己的网页做同样的事（* 表示全部）",
    },
    {
      flags: "--allow-host <names>",
      kind: HOST_NAMES,
      en: "further names by which browsers reach the nodes (* for all)",
      zh: "浏览器访问节点所用的其他主机名（* 表示全部）",
    },
    {
      flags: "--max-body <bytes>",
      kind: wholeNumber(LEAST_BODY_BYTES, MOST_BODY_BYTES),
      fallback: USUAL_BODY_BYTES,
      en: "largest request body",
      zh: "请求体的最大字节数",
    },
    {
      flags: "--block-time <ms>",
      kind: wholeNumber(0, LONGEST_BLOCK_TIME_MS),
      fallback: 100,
      en: "least time between blocks",
      zh: "区块之间的最短时间（毫秒）",
    },
    NATIONAL,
  ],
};

/** `chain-node start`. */
export const START: CommandRow = {
  name: "start",
  en: "run one node from its folder",
  zh: "从节点目录运行一个节点",
  examples: ["start", "start -c /srv/chain/node0/config.ini"],
  options: [
    {
      flags: "-c, --config <file>",
      fallback: "config.ini",
      en: "the node's config.ini",
      zh: "节点的 config.ini",
    },
    {
      ...LOG_LEVEL,
      en: "least severe log lines to print on stderr; warning, unless config.ini says otherwise",
      zh: "输出到标准错误的最低日志级别；除非 config.ini 另有设置，否则为 warning",
    },
    {
      flags: "--json",
      en: "print one line of JSON when the node is ready",
      zh: "节点就绪时输出一行 JSON",
    },
  ],
};

/** `chain-node init`. */
export const INIT: CommandRow = {
  name: "init",
  en: "write the folders of a new chain: keys, certificates, nodes, scripts",
  zh: "写出新链的目录：密钥、证书、节点、脚本",
  argument: {
    name: "<folder>",
    en: "where to write; must not hold a chain or a node already",
    zh: "写入位置；其中不能已有链或节点",
  },
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
      en: "number of nodes",
      zh: "节点数量",
    },
    {
      flags: "--agencies <names>",
      kind: folderValue(
        { en: "names, separated by commas", zh: "名称，以逗号分隔" },
        parseAgencies,
      ),
      fallback: ["agency"],
      shown: "agency",
      en: "agencies that share the nodes, such as A,B",
      zh: "分担节点的机构，例如 A,B",
    },
    {
      flags: "--groups <groups>",
      kind: folderValue(
        {
          en: "ID, `ID:pbft` or `ID:raft`, separated by commas",
          zh: "ID、`ID:pbft` 或 `ID:raft`，以逗号分隔",
        },
        parseGroups,
      ),
      fallback: [{ id: 1, consensus: "pbft" }],
      shown: "1:pbft",
      en: "groups to begin with, such as 1:pbft,2:raft",
      zh: "初始群组，例如 1:pbft,2:raft",
    },
    NATIONAL,
    {
      flags: "--host <host>",
      kind: folderValue(
        { en: "an IPv4 or IPv6 address, or a name", zh: "IPv4 或 IPv6 地址，或主机名" },
        parseHost,
      ),
      fallback: "127.0.0.1",
      en: "address or name at which peers reach the nodes",
      zh: "其他节点访问这些节点所用的地址或主机名",
    },
    {
      flags: "--base-ports <ports>",
      kind: folderValue(
        {
          en: `three or four ports from ${LOWEST_PORT} to ${HIGHEST_PORT}, separated by commas`,
          zh: `三个或四个端口，${LOWEST_PORT} 到 ${HIGHEST_PORT}，以逗号分隔`,
        },
        parseBasePorts,
      ),
      fallback: DEFAULT_PORTS,
      shown: Object.values(DEFAULT_PORTS).join(","),
      en: "ports RPC,CHANNEL,P2P[,WS] of node 0; node i adds i",
      zh: "节点 0 的端口 RPC,CHANNEL,P2P[,WS]；节点 i 各加 i",
    },
    DAYS,
    {
      flags: "--json",
      en: "print one line of JSON instead of a table",
      zh: "输出一行 JSON，代替表格",
    },
  ],
};

const NODE_OR_CHAIN: ArgumentRow = {
  name: "[folder]",
  fallback: ".",
  en: "folder of a node, or of a chain with its nodes in it",
  zh: "节点目录，或包含多个节点的链目录",
};

/** `chain-node status`. */
export const STATUS: CommandRow = {
  name: "status",
  en: "show nodes and their groups in a table; exit code 1 when one is down or stalled",
  zh: "以表格显示节点及其群组；有节点停止、未就绪或无法出块时退出码为 1",
  argument: NODE_OR_CHAIN,
  examples: ["status mychain", "status mychain/node0 --json"],
  options: [JSON_LINE],
};

/** `chain-node doctor`. */
export const DOCTOR: CommandRow = {
  name: "doctor",
  en: "check nodes of this host and say what to do; exit code 1 when a check fails",
  zh: "检查本机节点并给出下一步；有检查失败时退出码为 1",
  argument: NODE_OR_CHAIN,
  examples: ["doctor mychain", "doctor mychain/node0 --json"],
  options: [JSON_LINE],
};

/** `chain-node role`. */
export const ROLE: CommandRow = {
  name: "role",
  en: "make a node a sealer or observer of a group, or take it out; waits for the block",
  zh: "将节点设为群组的共识节点或观察节点，或移出群组；等待交易上链",
  argument: {
    name: "<node>",
    en: "node ID of 128 hexadecimal digits, or the node's folder",
    zh: "128 位十六进制的节点 ID，或节点目录",
  },
  examples: [
    "role mychain/node4 --as observer --through mychain/node0",
    "role mychain/node4 --as sealer --through http://127.0.0.1:8645 --group 2",
  ],
  options: [
    {
      flags: "--as <role>",
      choices: ["sealer", "observer", "free"],
      required: true,
      en: "role from the next block on; free is neither of the others",
      zh: "从下一区块起的角色；free 表示两者都不是",
    },
    {
      flags: "--through <place>",
      required: true,
      en: "node that is asked: its folder on this host, or the URL of its RPC port",
      zh: "向哪个节点发送请求：本机上的节点目录，或其 RPC 端口的 URL",
    },
    GROUP,
    {
      flags: "--key <file>",
      en: "key that signs the transaction, in PEM; a new one when absent",
      zh: "签署交易的密钥（PEM）；未给出时使用新密钥",
    },
    JSON_LINE,
  ],
};

/** `chain-node confirm`. */
export const CONFIRM: CommandRow = {
  name: "confirm",
  en: "say that no other copy of a node runs: its silent groups vote again",
  zh: "确认该节点没有其他副本在运行：其静默的群组重新参与投票",
  argument: {
    name: "<folder>",
    en: "folder of the node; it may run or not",
    zh: "节点目录；节点可以正在运行，也可以未运行",
  },
  examples: ["confirm mychain/node0", "confirm mychain/node0 --group 2"],
  options: [
    {
      flags: "--group <id>",
      kind: wholeNumber(1, HIGHEST_GROUP),
      en: "the group that is meant; all silent ones when absent",
      zh: "所指的群组；未给出时为所有静默的群组",
    },
    JSON_LINE,
  ],
};

/** `chain-node cert`, the parent of the next two. */
export const CERT: CommandRow = {
  name: "cert",
  en: "certificates of a chain",
  zh: "链的证书",
  examples: [],
  options: [],
};

/** `chain-node cert issue`. */
export const CERT_ISSUE: CommandRow = {
  name: "cert issue",
  en: "make a certificate for a further node or SDK, with a new key or for one that is there",
  zh: "为新的节点或 SDK 生成证书：使用新密钥，或已有的密钥",
  examples: [
    "cert issue --ca mychain --agency agency --name node4 --out node4/conf",
    "cert issue --ca mychain --agency agency --key mychain/node0/conf/node.key --name node0 " +
      "--out mychain/node0/conf",
    "cert issue --ca mychain --agency agency --public-key tab.pub --name tab --out tab",
  ],
  options: [
    CA_FOLDER,
    {
      flags: "--agency <name>",
      kind: CERTIFICATE_NAME,
      required: true,
      en: "agency that issues it",
      zh: "签发机构",
    },
    {
      flags: "--out <folder>",
      required: true,
      en: "where to write; must hold no certificate, and no key but that of `--key`",
      zh: "写入位置；其中不能已有证书，也不能有 `--key` 以外的密钥",
    },
    {
      flags: "--name <name>",
      kind: CERTIFICATE_NAME,
      en: "name in the certificate; node or sdk when absent",
      zh: "证书中的名称；未给出时为 node 或 sdk",
    },
    {
      flags: "--kind <kind>",
      choices: ["node", "sdk"],
      fallback: "node",
      en: "whose it is",
      zh: "证书持有者的种类",
    },
    {
      flags: "--new-agency",
      en: "make the agency first; needs ca.key",
      zh: "先创建该机构；需要 ca.key",
    },
    {
      flags: "--key <file>",
      en: "key to certify, in PEM: the node ID stays; a new key when absent",
      zh: "要签发证书的密钥（PEM）：节点 ID 不变；未给出时生成新密钥",
    },
    {
      flags: "--public-key <key>",
      en: "public key to certify, in PEM or as a node ID: its key stays where it is, in a browser",
      zh: "要签发证书的公钥（PEM 或节点 ID）：私钥留在原处，例如浏览器中",
    },
    DAYS,
    JSON_LINE,
  ],
};

/** `chain-node cert renew`. */
export const CERT_RENEW: CommandRow = {
  name: "cert renew",
  en: "make a new certificate for the key of a node or SDK; the node ID stays",
  zh: "为节点或 SDK 的现有密钥生成新证书；节点 ID 不变",
  argument: {
    name: "<folder>",
    en: "folder of a node, or of an SDK",
    zh: "节点目录或 SDK 目录",
  },
  examples: ["cert renew mychain/node0 --ca mychain"],
  options: [CA_FOLDER, DAYS, JSON_LINE],
};

/** All commands, in the order of the help. */
export const COMMAND_ROWS: readonly CommandRow[] = [
  DEV,
  START,
  INIT,
  STATUS,
  DOCTOR,
  CONFIRM,
  ROLE,
  REPLAY,
  EXPORT,
  CHECK,
  SNAPSHOT,
  RESTORE,
  IMPORT,
  CERT,
  CERT_ISSUE,
  CERT_RENEW,
];
