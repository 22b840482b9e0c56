/** Who may import whom, as a table. */
import type { ImportEdge } from "./source-tree.ts";

/** One row: a folder, the folders and files it may import, and its external packages. */
export interface Rung {
  readonly folder: string;
  /** Folders besides the own folder. */
  readonly imports: readonly string[];
  /** Package names; a trailing star admits every name with that beginning. */
  readonly packages: readonly string[];
}

const RUNG_0 = ["core/fault", "core/bytes"];
const RUNG_1 = [...RUNG_0, "core/crypto"];
const RUNG_2 = [...RUNG_1, "core/model", "core/abi", "core/ports", "core/limits", "core/protocol"];
const RUNG_3 = [...RUNG_2, "core/storage"];
const RUNG_4 = [...RUNG_3, "core/execution", "core/ledger"];
const RUNG_5 = [...RUNG_4, "core/txpool", "core/consensus", "core/sync", "core/network"];
const RUNG_6 = [...RUNG_5, "core/actors"];
const P2P = ["libp2p", "@libp2p/*", "@multiformats/*", "it-*", "uint8arraylist"];
const COMMAND_LINE = ["commander", "pino", "ini", "yaml"];
/** What pages import of runtimes. */
const OF_PAGES = [
  "core/client",
  ...RUNG_2,
  "runtimes/shared/client",
  "runtimes/shared/dev",
  "runtimes/shared/platform",
  "runtimes/shared/solidity",
  "runtimes/browser/link",
  "runtimes/browser/keys",
];

/** Rooms of one wing from the lowest on; each may import those that it names. */
function rooms(
  wing: string,
  beyond: Pick<Rung, "imports" | "packages">,
  plan: Readonly<Record<string, readonly string[]>>,
): Rung[] {
  return Object.entries(plan).map(([room, others]) => ({
    folder: `${wing}/${room}`,
    imports: [...beyond.imports, ...others.map((other) => `${wing}/${other}`)],
    packages: beyond.packages,
  }));
}

const NODE_WING = { imports: [...RUNG_6, "core/api"], packages: [] };
const NODE_RUNTIME = {
  imports: ["core", "runtimes/shared", "runtimes/formats", "runtimes/folder"],
  packages: [
    "node:*",
    "hono",
    "@hono/node-server",
    ...P2P,
    "classic-level",
    "hash-wasm",
    "@bitauth/libauth",
    "secp256k1",
    "@koromix/*",
    "prom-client",
    "ws",
    "@opentelemetry/*",
    ...COMMAND_LINE,
  ],
};

/** Tools speak to nodes, and are none: of their room they never see the server. */
const TOOLS = {
  imports: [
    "core/client",
    ...RUNG_2,
    "runtimes/formats",
    "runtimes/folder",
    "runtimes/shared/client",
    "runtimes/shared/platform",
    "runtimes/shared/solidity",
    ...["machine", "log", "client", "process", "observe"].map((room) => `runtimes/node/${room}`),
  ],
  packages: ["node:*", ...COMMAND_LINE, "@peculiar/*", "smol-toml"],
};

/** The ladder. `core/bytes/ids.ts` has the branded identifiers, because crypto gives addresses. */
export const RUNGS: readonly Rung[] = [
  { folder: "core/fault", imports: RUNG_0, packages: [] },
  { folder: "core/bytes", imports: RUNG_0, packages: [] },
  { folder: "core/crypto", imports: RUNG_0, packages: ["@noble/*"] },
  { folder: "core/model", imports: RUNG_1, packages: [] },
  { folder: "core/abi", imports: RUNG_1, packages: [] },
  // Ports speak of headers and seals.
  { folder: "core/ports", imports: [...RUNG_1, "core/model"], packages: [] },
  { folder: "core/limits", imports: [...RUNG_0, "core/ports"], packages: [] },
  { folder: "core/protocol", imports: RUNG_0, packages: [] },
  { folder: "core/storage", imports: RUNG_2, packages: [] },
  { folder: "core/execution/precompiled", imports: RUNG_4, packages: ["@noble/*"] },
  { folder: "core/execution", imports: RUNG_4, packages: [] },
  { folder: "core/ledger", imports: RUNG_3, packages: [] },
  { folder: "core/network", imports: RUNG_2, packages: [] },
  { folder: "core/txpool", imports: RUNG_2, packages: [] },
  { folder: "core/consensus", imports: RUNG_2, packages: [] },
  { folder: "core/sync", imports: RUNG_2, packages: [] },
  { folder: "core/actors", imports: RUNG_5, packages: ["xstate"] },
  { folder: "core/api", imports: [...RUNG_2, "core/consensus"], packages: [] },
  { folder: "core/rpc", imports: [...RUNG_2, "core/api"], packages: [] },
  { folder: "core/channel", imports: [...RUNG_2, "core/api", "core/rpc"], packages: [] },
  { folder: "core/client", imports: RUNG_2, packages: ["abitype"] },
  // A gateway checks as a client does, and answers as a node.
  {
    folder: "core/gateway",
    imports: [...RUNG_2, "core/api", "core/client", "core/rpc"],
    packages: [],
  },
  ...rooms("core/node", NODE_WING, {
    options: [],
    peers: [],
    txpool: ["options"],
    voting: ["options"],
    proposals: ["options", "txpool", "voting"],
    consensus: ["options", "proposals"],
    sync: ["options", "txpool", "consensus"],
    group: ["options", "peers", "txpool", "feed", "voting", "proposals", "consensus", "sync"],
  }),
  // What follows the chain for clients has the forms of their protocols.
  { folder: "core/node/feed", imports: [...NODE_WING.imports, "core/rpc"], packages: [] },
  {
    folder: "core/node/channel",
    imports: [...NODE_WING.imports, "core/rpc", "core/channel", "core/node/feed"],
    packages: [],
  },
  {
    folder: "core/node",
    imports: [...NODE_WING.imports, "core/rpc", "core/channel"],
    packages: [],
  },
  {
    folder: "runtimes/shared",
    imports: ["core"],
    packages: ["hono", "hash-wasm", "@bitauth/libauth", ...P2P],
  },
  {
    // Looks into the actors of a node; xstate for its types.
    folder: "runtimes/shared/theatre",
    imports: ["core", "runtimes/shared"],
    packages: ["xstate"],
  },
  // What page and console know of compilers.
  {
    folder: "runtimes/shared/solidity",
    imports: ["core/client", ...RUNG_2],
    packages: [],
  },
  // Keys, certificates and configuration as text and bytes: browsers read them too.
  { folder: "runtimes/formats", imports: RUNG_2, packages: ["@peculiar/*"] },
  {
    folder: "runtimes/folder",
    imports: [...RUNG_2, "runtimes/formats", "runtimes/shared/solidity"],
    packages: ["node:*", "@peculiar/*", "asn1js", "ini"],
  },
  ...rooms("runtimes/node", NODE_RUNTIME, {
    machine: [],
    log: [],
    client: ["machine"],
    store: ["machine"],
    threads: ["machine", "store"],
    server: ["machine", "threads"],
    p2p: ["machine"],
    observe: ["machine", "log", "store", "server", "p2p"],
    // Serves what a gateway answers; runs or writes its worker.
    gateway: ["machine", "log", "client", "server", "threads"],
    monitor: ["machine", "log", "observe"],
    process: ["machine", "log", "store", "threads", "server", "p2p", "observe"],
    dev: ["machine", "log", "store", "threads", "server", "p2p"],
  }),
  // Commands of tools are commands of the node's program too.
  ...rooms(
    "runtimes/node",
    { ...NODE_RUNTIME, imports: [...NODE_RUNTIME.imports, "runtimes/tools"] },
    {
      cli: [
        ...["machine", "log", "client", "store", "threads"],
        ...["observe", "monitor", "process", "dev", "gateway"],
      ],
    },
  ),
  { folder: "runtimes/node", ...NODE_RUNTIME },
  // Membership in a network of servers, for who dials by WebSocket only.
  {
    folder: "runtimes/joining",
    imports: ["core", "runtimes/shared", "runtimes/formats"],
    packages: P2P,
  },
  {
    folder: "runtimes/browser",
    imports: ["core", "runtimes/shared", "runtimes/formats", "runtimes/joining"],
    packages: ["idb", "comlink", "hash-wasm", "@bitauth/libauth", ...P2P],
  },
  {
    folder: "runtimes/edge",
    imports: ["core", "runtimes/shared"],
    packages: [],
  },
  {
    folder: "runtimes/edge/objects",
    imports: ["core", "runtimes/shared", "runtimes/formats", "runtimes/joining"],
    // Supplied by the platform: storage, stubs and alarms of objects.
    packages: ["cloudflare:workers"],
  },
  ...rooms("runtimes/tools", TOOLS, { console: [], generator: [] }),
  {
    // Reads the generator's input files; counts quorums; shows what nodes report of themselves.
    folder: "runtimes/tools/network",
    imports: [
      ...TOOLS.imports,
      "core/consensus/quorum.ts",
      "runtimes/shared/health.ts",
      "runtimes/shared/sealer-votes.ts",
      "runtimes/tools/generator/input",
    ],
    packages: ["node:*", "yaml"],
  },
  {
    // Starts local networks, or a node inside a worker; compiles as the console does; its figures
    // leave as metrics and spans.
    folder: "runtimes/tools/benchmark",
    imports: [
      ...TOOLS.imports,
      "core/channel/frame.ts",
      "runtimes/shared/benchmark",
      "runtimes/shared/memory-node.ts",
      "runtimes/tools/console/contracts",
      "runtimes/tools/network",
    ],
    packages: [...TOOLS.packages, "prom-client", "@opentelemetry/*", "mqtt", "ws"],
  },
  { folder: "web", imports: OF_PAGES, packages: ["comlink", "xstate", "preact"] },
  {
    // The editor and what talks to a compiler, apart from the shell.
    folder: "web/workbench",
    imports: [...OF_PAGES, "web"],
    packages: ["preact", "@codemirror/*", "@lezer/highlight", "abitype"],
  },
  {
    // The report of a benchmark, and the round in the tab.
    folder: "web/benchmark",
    imports: [...OF_PAGES, "runtimes/shared/benchmark", "web"],
    packages: ["preact"],
  },
  {
    // Scenarios and lessons speak the language of the theatre.
    folder: "web/theatre",
    imports: [...OF_PAGES, "runtimes/shared/theatre", "web"],
    packages: ["comlink", "xstate", "preact"],
  },
  {
    folder: "web/lessons",
    imports: [...OF_PAGES, "runtimes/shared/theatre", "web"],
    packages: ["preact"],
  },
];

/** True when the path is the folder, below it, or the very file. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The row of a file: the longest folder that contains it. */
export function rungOf(path: string): Rung | undefined {
  const rows = RUNGS.filter(({ folder }) => isInside(path, folder));
  return rows.sort((a, b) => b.folder.length - a.folder.length)[0];
}

/** True when the allow-list admits the package. */
export function admits(packages: readonly string[], specifier: string): boolean {
  return packages.some((name) =>
    name.endsWith("*")
      ? specifier.startsWith(name.slice(0, -1))
      : specifier === name || specifier.startsWith(`${name}/`),
  );
}

/** Whether the table admits an import of one file by another. */
export function mayImport({ from, target }: ImportEdge): boolean {
  const rung = rungOf(from);
  if (target === undefined || rung === undefined || isInside(target, rung.folder)) return true;
  return rung.imports.some((folder) => isInside(target, folder));
}
