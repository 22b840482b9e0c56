/** The commands of gateways: on Node, in a local edge runtime, as a folder for a deployment. */
import {
  type CommandRow,
  GROUP,
  HIGHEST_PORT,
  JSON_LINE,
  LOG_LEVEL,
  LOWEST_PORT,
  type OptionRow,
  parentRow,
  wholeNumber,
} from "./command-line.ts";

const MOST_MIB = 1_024;
const LONGEST_STALE_S = 3_600;

/** What `npm start` runs. */
const DEV_CHAIN: readonly string[] = [8545, 8546, 8547, 8548].map(
  (port) => `http://127.0.0.1:${port}`,
);

const UPSTREAM: OptionRow = {
  flags: "--upstream <url...>",
  fallback: DEV_CHAIN,
  shown: "the four nodes of chain-node dev",
  help: "JSON-RPC ports of nodes of the chain",
};

const TRUST: OptionRow = {
  flags: "--trust <block>",
  help: "block to begin with, NUMBER:HASH; asked for where all upstreams are on this host",
};

const SM: OptionRow = { flags: "--sm", help: "the chain is of the national algorithms" };

const PORT: OptionRow = {
  flags: "--port <port>",
  kind: wholeNumber(LOWEST_PORT, HIGHEST_PORT),
  help: "port to listen on",
};

const CHAIN: readonly OptionRow[] = [UPSTREAM, TRUST, GROUP, SM];

/** All of them. */
export const EDGE_ROWS: readonly CommandRow[] = [
  {
    name: "gateway",
    help: "serve a group's JSON-RPC from several nodes, and prove what is answered",
    examples: [
      "gateway",
      "gateway --upstream https://a.example https://b.example https://c.example --trust 0:0x12...",
    ],
    options: [
      ...CHAIN,
      { ...PORT, fallback: 8645 },
      { flags: "--host <address>", fallback: "127.0.0.1", help: "address to listen on" },
      {
        flags: "--cors <origin>",
        help: "let web pages of this origin send transactions (* for all)",
      },
      {
        flags: "--keep <MiB>",
        kind: wholeNumber(0, MOST_MIB),
        fallback: 64,
        help: "most memory of answers that are kept",
      },
      {
        flags: "--stale-after <seconds>",
        kind: wholeNumber(1, LONGEST_STALE_S),
        fallback: 10,
        help: "leave out an upstream that lacks a block for so long",
      },
      { ...LOG_LEVEL, fallback: "warning" },
      JSON_LINE,
    ],
    work: async () => (await import("./gateway.ts")).runGateway,
  },
  parentRow("edge", "the gateway as a worker of an edge platform"),
  {
    name: "edge dev",
    help: "run the worker in a local workerd, against nodes that run",
    examples: ["edge dev", "edge dev --port 8788"],
    options: [...CHAIN, { ...PORT, fallback: 8787 }, JSON_LINE],
    work: async () => (await import("./gateway.ts")).runEdgeDev,
  },
  {
    name: "edge build",
    help: "write a folder with the worker and its configuration, and print the sizes",
    argument: { name: "<folder>", help: "where to write" },
    examples: [
      "edge build worker --upstream https://a.example https://b.example --trust 0:0x12...",
    ],
    options: [
      ...CHAIN,
      { flags: "--name <name>", fallback: "chain-gateway", help: "name of the worker" },
      JSON_LINE,
    ],
    work: async () => (await import("./gateway.ts")).runEdgeBuild,
  },
];
