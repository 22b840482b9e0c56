/** The commands about ledgers as files. */
import {
  type ArgumentRow,
  type CommandRow,
  GROUP,
  HIGHEST_GROUP,
  JSON_LINE,
  type OptionRow,
  wholeNumber,
  YES,
} from "./command-line.ts";

/** What stands next to a recorded ledger, named otherwise. */
const BESIDE: readonly OptionRow[] = [
  {
    flags: "--genesis <file>",
    help: "genesis file of the group; the one next to the ledger when absent",
  },
  {
    flags: "--supported-version <version>",
    help: "compatibility version; that of the meta file next to the ledger, else the newest",
  },
];

const ONE_GROUP: OptionRow = {
  flags: "--group <id>",
  kind: wholeNumber(1, HIGHEST_GROUP),
  help: "this group alone; all groups when absent",
};

const EXECUTE: OptionRow = {
  flags: "--execute",
  help: "also execute all blocks anew from block 0 and compare receipts, roots and all rows",
};

const NODE_FOLDER: ArgumentRow = { name: "<folder>", help: "folder of a node that does not run" };

const REPLACE: OptionRow = {
  flags: "--replace",
  help: "take the place of a ledger that is there; that one is kept next to it",
};

/** All of them, in the order of the help. */
export const LEDGER_ROWS: readonly CommandRow[] = [
  {
    name: "replay",
    help: "execute a recorded ledger from its genesis and compare all that the record shows",
    argument: {
      name: "<file>",
      help:
        "a file that ends with .jsonl or .jsonl.gz: one block per line with " +
        "header and receipts",
    },
    examples: [
      "replay group1.jsonl.gz",
      "replay old.jsonl --genesis conf/group.1.genesis --supported-version 2.4.0",
    ],
    options: [...BESIDE, JSON_LINE],
    work: async () => (await import("./replay.ts")).runReplay,
  },
  {
    name: "export",
    help: "write a group's ledger as a file that replay reads, from a folder or over RPC",
    argument: { name: "<file>", help: "a new file that ends with .jsonl or .jsonl.gz" },
    examples: [
      "export group1.jsonl.gz --node mychain/node0",
      "export old.jsonl.gz --rpc http://127.0.0.1:8545 --group 2",
    ],
    options: [
      {
        flags: "--node <folder>",
        help: "a node, or one in the data folder of a stopped dev; with its genesis file",
      },
      {
        flags: "--rpc <url>",
        help:
          "RPC port of any 2.x node; its public methods are asked, " +
          "block 0 gives the genesis file",
      },
      GROUP,
      JSON_LINE,
    ],
    work: async () => (await import("./export.ts")).runExport,
  },
  {
    name: "check",
    help: "verify the ledgers of a node, which may run: hashes, certificates, roots, indexes, rows",
    argument: {
      name: "[folder]",
      help: "the folder of a node or a chain, the data folder of either, or of dev or a node in it",
    },
    examples: ["check mychain/node0", "check --data mychain/node0/data --group 1 --execute"],
    options: [
      { flags: "--data <folder>", help: "the folder, as an option in place of the argument" },
      ONE_GROUP,
      {
        flags: "--from <block>",
        kind: wholeNumber(0, Number.MAX_SAFE_INTEGER),
        fallback: 0,
        help: "first block; above 0 only blocks are examined, no rows or counters",
      },
      EXECUTE,
      JSON_LINE,
    ],
    work: async () => (await import("./check/check.ts")).runCheck,
  },
  {
    name: "repair",
    help:
      "say what is damaged of a stopped node, and have its next start build " +
      "that anew from peers",
    argument: { name: "<folder>", help: "folder of a node that does not run" },
    examples: ["repair mychain/node0", "repair mychain/node0 --group 1 --execute"],
    options: [
      ONE_GROUP,
      EXECUTE,
      { flags: "--force", help: "build it anew even when nothing is found" },
      JSON_LINE,
    ],
    work: async () => (await import("./check/repair.ts")).runRepair,
  },
  {
    name: "snapshot",
    help: "write a group's ledger, all blocks and rows, as one file that restore reads",
    argument: { name: "<folder>", help: "folder of a node; one that runs goes on" },
    examples: ["snapshot mychain/node0 --group 1 -o group1.snapshot"],
    options: [
      {
        flags: "-o, --out <file>",
        required: true,
        help: "a new file; it holds no key and no vote",
      },
      GROUP,
      JSON_LINE,
    ],
    work: async () => (await import("./snapshot.ts")).runSnapshot,
  },
  {
    name: "restore",
    help: "put a snapshot in the place of a group's ledger, once all of it has been verified",
    argument: { name: "<file>", help: "what snapshot has written" },
    target: NODE_FOLDER,
    examples: ["restore group1.snapshot mychain/node3 --replace"],
    options: [REPLACE, JSON_LINE],
    work: async () => (await import("./restore.ts")).runRestore,
  },
  {
    name: "import",
    help: "make a group's ledger of a file: a snapshot, or a recorded ledger, which is executed",
    argument: {
      name: "<file>",
      help: "what snapshot or export has written; a recorded ledger ends with .jsonl or .jsonl.gz",
    },
    target: NODE_FOLDER,
    examples: ["import group1.jsonl.gz mychain/node0", "import group1.snapshot mychain/node0"],
    options: [...BESIDE, REPLACE, JSON_LINE],
    work: async () => (await import("./import.ts")).runImport,
  },
  {
    name: "clean",
    help: "list ledgers that restore and import have replaced and kept, ask, and remove them",
    argument: { name: "<folder>", help: "folder of a node, or of a chain with its nodes in it" },
    examples: ["clean mychain", "clean mychain/node3 --yes"],
    options: [YES, JSON_LINE],
    work: async () => (await import("./clean.ts")).runClean,
  },
];
