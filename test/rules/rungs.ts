/** Who may import whom, as a table. */

/** One row: a folder, the folders and files it may import, and its external packages. */
export interface Rung {
  readonly folder: string;
  /** Folders (or single files) besides the own folder. */
  readonly imports: readonly string[];
  /** Package names; a trailing star admits every name with that beginning. */
  readonly packages: readonly string[];
  /** Imports that are allowed as types only. */
  readonly typesFrom?: readonly string[];
}

const RUNG_0 = ["core/fault", "core/bytes"];
const RUNG_1 = [...RUNG_0, "core/crypto"];
const RUNG_2 = [...RUNG_1, "core/model", "core/abi", "core/ports"];
const RUNG_3 = [...RUNG_2, "core/storage"];
const RUNG_4 = [...RUNG_3, "core/execution", "core/ledger"];
const RUNG_5 = [...RUNG_4, "core/txpool", "core/consensus", "core/sync"];
const RUNG_6 = [...RUNG_5, "core/actors"];
const NODE_API = ["core/api/node-api.ts"];
const P2P = ["libp2p", "@libp2p/*", "@multiformats/*", "it-*", "uint8arraylist"];
const COMMAND_LINE = ["commander", "pino", "ini", "yaml"];

/**
 * The ladder. `core/bytes/ids.ts` holds the branded identifiers, on rung 0, because crypto gives
 * addresses. The types of ports speak of headers and seals, so ports may import types of model.
 */
export const RUNGS: readonly Rung[] = [
  { folder: "core/fault", imports: RUNG_0, packages: [] },
  { folder: "core/bytes", imports: RUNG_0, packages: [] },
  { folder: "core/crypto", imports: RUNG_0, packages: ["@noble/*"] },
  { folder: "core/model", imports: RUNG_1, packages: [] },
  { folder: "core/abi", imports: RUNG_1, packages: [] },
  { folder: "core/ports", imports: RUNG_1, packages: [], typesFrom: ["core/model"] },
  { folder: "core/storage", imports: RUNG_2, packages: [] },
  { folder: "core/execution/precompiled", imports: RUNG_4, packages: ["@noble/*"] },
  { folder: "core/execution", imports: RUNG_4, packages: [] },
  { folder: "core/ledger", imports: RUNG_3, packages: [] },
  { folder: "core/network", imports: RUNG_2, packages: [] },
  { folder: "core/txpool", imports: RUNG_2, packages: [] },
  { folder: "core/consensus", imports: RUNG_2, packages: [] },
  { folder: "core/sync", imports: RUNG_2, packages: [] },
  { folder: "core/actors", imports: RUNG_5, packages: ["xstate"] },
  { folder: "core/node", imports: [...RUNG_6, "core/rpc", "core/channel"], packages: [] },
  { folder: "core/rpc", imports: RUNG_2, packages: [], typesFrom: NODE_API },
  {
    folder: "core/channel",
    imports: [...RUNG_2, "core/rpc"],
    packages: [],
    typesFrom: NODE_API,
  },
  { folder: "core/client", imports: RUNG_2, packages: ["abitype"] },
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
  {
    folder: "runtimes/node",
    imports: ["core", "runtimes/shared", "runtimes/folder"],
    packages: [
      "node:*",
      "hono",
      "@hono/node-server",
      ...P2P,
      "classic-level",
      "hash-wasm",
      "@bitauth/libauth",
      "secp256k1",
      "prom-client",
      "ws",
      "@opentelemetry/*",
      ...COMMAND_LINE,
    ],
  },
  {
    folder: "runtimes/browser",
    imports: [
      "core",
      "runtimes/shared",
      "runtimes/formats/keys/key-pem.ts",
      "runtimes/formats/keys/public-key.ts",
    ],
    packages: ["idb", "comlink", "hash-wasm", "@bitauth/libauth", ...P2P],
  },
  {
    // Backups come with the genesis files that servers want.
    folder: "runtimes/browser/backup",
    imports: [
      "core",
      "runtimes/shared",
      "runtimes/formats/config/genesis-file.ts",
      "runtimes/browser",
    ],
    packages: [],
  },
  {
    // Joining a network judges certificates and reads genesis files, as servers do.
    folder: "runtimes/browser/network",
    imports: [
      "core",
      "runtimes/shared",
      "runtimes/formats/certificates/certificate-chain.ts",
      "runtimes/formats/config/genesis-file.ts",
      "runtimes/formats/keys/pem.ts",
      "runtimes/formats/keys/public-key.ts",
    ],
    typesFrom: ["runtimes/browser/link/api.ts"],
    packages: P2P,
  },
  { folder: "runtimes/edge", imports: ["core", "runtimes/shared"], packages: [] },
  {
    // Judging certificates is pure: browsers do it too.
    folder: "runtimes/formats/certificates/certificate-chain.ts",
    imports: [...RUNG_1, "runtimes/formats/certificates/parsed-certificate.ts"],
    packages: [],
  },
  {
    // Keys of tabs are certified without leaving them.
    folder: "runtimes/formats/keys/public-key.ts",
    imports: [...RUNG_1, "runtimes/formats/keys/pem.ts"],
    packages: [],
  },
  {
    folder: "runtimes/formats/certificates/parsed-certificate.ts",
    imports: RUNG_1,
    packages: ["@peculiar/*"],
  },
  {
    // Keys as PEM are pure too.
    folder: "runtimes/formats/keys/key-pem.ts",
    imports: [...RUNG_1, "runtimes/formats/keys/pem.ts", "runtimes/formats/keys/sm2-key.ts"],
    packages: [],
  },
  { folder: "runtimes/folder", imports: RUNG_2, packages: ["node:*", "@peculiar/*", "ini"] },
  {
    folder: "runtimes/tools",
    imports: ["core/client", ...RUNG_2, "runtimes/folder"],
    packages: ["node:*", ...COMMAND_LINE, "@peculiar/*"],
  },
  {
    folder: "web",
    imports: [
      "core/client",
      ...RUNG_2,
      "runtimes/shared/client",
      "runtimes/shared/dev/dev-accounts.ts",
      "runtimes/shared/platform/web-platform.ts",
      "runtimes/browser/link/api.ts",
      "runtimes/browser/link/connect.ts",
      "runtimes/browser/keys",
    ],
    typesFrom: ["runtimes/shared/theatre"],
    packages: ["comlink", "xstate", "preact"],
  },
  {
    // The editor and what talks to a compiler, apart from the shell.
    folder: "web/workbench",
    imports: [
      "core/client",
      ...RUNG_2,
      "runtimes/shared/client",
      "runtimes/browser/link/api.ts",
      "runtimes/browser/link/connect.ts",
      "runtimes/browser/keys",
      "runtimes/shared/dev/dev-accounts.ts",
      "runtimes/shared/platform/web-platform.ts",
      "web",
    ],
    packages: ["preact", "@codemirror/*", "@lezer/highlight", "abitype"],
  },
  {
    // Scenarios and lessons speak the language of the theatre.
    folder: "web/theatre",
    imports: [
      "core/client",
      ...RUNG_2,
      "runtimes/shared/theatre",
      "runtimes/browser/link/api.ts",
      "runtimes/browser/link/connect.ts",
      "runtimes/browser/keys",
      "web",
    ],
    packages: ["comlink", "xstate", "preact"],
  },
  {
    folder: "web/lessons",
    imports: [...RUNG_2, "core/client", "runtimes/shared/theatre", "web"],
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
