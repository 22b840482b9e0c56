/** The commands about ledgers as files. */
import type { CommandRow } from "./command-line.ts";
import { GROUP, JSON_LINE } from "./command-options.ts";

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
  options: [
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
    JSON_LINE,
  ],
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
      en: "folder of a node that does not run; its genesis file is copied too",
      zh: "未运行的节点的目录；同时复制其创世文件",
    },
    {
      flags: "--rpc <url>",
      en: "RPC port of any 2.x node; its public methods are asked",
      zh: "任意 2.x 节点的 RPC 端口；只调用其公开方法",
    },
    GROUP,
    JSON_LINE,
  ],
};
