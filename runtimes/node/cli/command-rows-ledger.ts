/** The commands about ledgers as files. */
import { type ArgumentRow, type CommandRow, type OptionRow, wholeNumber } from "./command-line.ts";
import { GROUP, HIGHEST_GROUP, JSON_LINE } from "./command-options.ts";

/** What stands beside a recorded ledger, named otherwise. */
const BESIDE: readonly OptionRow[] = [
  {
    flags: "--genesis <file>",
    en: "genesis file of the group; the one beside the ledger when absent",
    zh: "群组的创世文件；未给出时使用账本旁边的文件",
  },
  {
    flags: "--supported-version <version>",
    en: "compatibility version; that of the meta file beside the ledger, else the newest",
    zh: "兼容版本；默认取账本旁边的 meta 文件，否则为最新版本",
  },
];

/** `chain-node replay`. */
export const REPLAY: CommandRow = {
  name: "replay",
  en: "execute a recorded ledger from its genesis and compare all that the record shows",
  zh: "从创世块起执行已记录的账本，并比较记录中的全部内容",
  argument: {
    name: "<file>",
    en: "a file that ends with .jsonl or .jsonl.gz: one block per line with header and receipts",
    zh: "以 .jsonl 或 .jsonl.gz 结尾的文件：每行一个区块及其区块头和回执",
  },
  examples: [
    "replay group1.jsonl.gz",
    "replay old.jsonl --genesis conf/group.1.genesis --supported-version 2.4.0",
  ],
  options: [...BESIDE, JSON_LINE],
};

/** `chain-node export`. */
export const EXPORT: CommandRow = {
  name: "export",
  en: "write a group's ledger as a file that replay reads, from a folder or over RPC",
  zh: "将群组的账本写成 replay 可读的文件，来源为节点目录或 RPC",
  argument: {
    name: "<file>",
    en: "a new file that ends with .jsonl or .jsonl.gz",
    zh: "以 .jsonl 或 .jsonl.gz 结尾的新文件",
  },
  examples: [
    "export group1.jsonl.gz --node mychain/node0",
    "export old.jsonl.gz --rpc http://127.0.0.1:8545 --group 2",
  ],
  options: [
    {
      flags: "--node <folder>",
      en: "a node that does not run, also one in the data folder of dev; with its genesis file",
      zh: "未运行的节点的目录，也可以在 dev 的数据目录中；同时给出其创世文件",
    },
    {
      flags: "--rpc <url>",
      en: "RPC port of any 2.x node; its public methods are asked, block 0 gives the genesis file",
      zh: "任意 2.x 节点的 RPC 端口；只调用其公开方法，创世文件由 0 号区块还原",
    },
    GROUP,
    JSON_LINE,
  ],
};

/** `chain-node check`. */
export const CHECK: CommandRow = {
  name: "check",
  en: "verify the ledgers of a stopped node: hashes, certificates, roots, indexes, rows",
  zh: "校验已停止节点的账本：哈希、证书（签名列表）、根、索引和数据行",
  argument: {
    name: "[folder]",
    en: "the folder of a node or a chain, the data folder of either, or of dev or a node in it",
    zh: "节点目录、链目录、二者的数据目录，或 dev 的数据目录及其中的节点目录",
  },
  examples: ["check mychain/node0", "check --data mychain/node0/data --group 1 --execute"],
  options: [
    {
      flags: "--data <folder>",
      en: "the folder, as an option in place of the argument",
      zh: "以选项代替参数给出目录",
    },
    {
      flags: "--group <id>",
      kind: wholeNumber(1, HIGHEST_GROUP),
      en: "this group alone; all groups when absent",
      zh: "只校验该群组；未给出时校验所有群组",
    },
    {
      flags: "--from <block>",
      kind: wholeNumber(0, Number.MAX_SAFE_INTEGER),
      fallback: 0,
      en: "first block; above 0 only blocks are looked at, no rows or counters",
      zh: "起始区块；大于 0 时只校验区块，不校验数据行和计数",
    },
    {
      flags: "--execute",
      en: "also execute all blocks anew from block 0 and compare receipts, roots and all rows",
      zh: "另外从 0 号区块起重新执行所有区块，并比较回执、根和所有数据行",
    },
    JSON_LINE,
  ],
};

const NODE_FOLDER: ArgumentRow = {
  name: "<folder>",
  en: "folder of a node that does not run",
  zh: "未运行的节点的目录",
};

const REPLACE: OptionRow = {
  flags: "--replace",
  en: "take the place of a ledger that is there; that one is kept beside it",
  zh: "取代已有的账本；原账本保留在旁边",
};

/** `chain-node snapshot`. */
export const SNAPSHOT: CommandRow = {
  name: "snapshot",
  en: "write a group's ledger, all blocks and rows, as one file that restore reads",
  zh: "将群组的账本（全部区块和数据行）写成一个 restore 可读的文件",
  argument: NODE_FOLDER,
  examples: ["snapshot mychain/node0 --group 1 -o group1.snapshot"],
  options: [
    {
      flags: "-o, --out <file>",
      required: true,
      en: "a new file; it holds no key and no vote",
      zh: "新文件；其中不含密钥和投票",
    },
    GROUP,
    JSON_LINE,
  ],
};

/** `chain-node restore`. */
export const RESTORE: CommandRow = {
  name: "restore",
  en: "put a snapshot in the place of a group's ledger, once all of it has been verified",
  zh: "在完整校验后，用快照作为群组的账本",
  argument: { name: "<file>", en: "what snapshot has written", zh: "snapshot 写出的文件" },
  target: NODE_FOLDER,
  examples: ["restore group1.snapshot mychain/node3 --replace"],
  options: [REPLACE, JSON_LINE],
};

/** `chain-node import`. */
export const IMPORT: CommandRow = {
  name: "import",
  en: "make a group's ledger of a file: a snapshot, or a recorded ledger, which is executed",
  zh: "由文件生成群组的账本：快照，或已记录的账本（会重新执行）",
  argument: {
    name: "<file>",
    en: "what snapshot or export has written; a recorded ledger ends with .jsonl or .jsonl.gz",
    zh: "snapshot 或 export 写出的文件；已记录的账本以 .jsonl 或 .jsonl.gz 结尾",
  },
  target: NODE_FOLDER,
  examples: ["import group1.jsonl.gz mychain/node0", "import group1.snapshot mychain/node0"],
  options: [...BESIDE, REPLACE, JSON_LINE],
};
