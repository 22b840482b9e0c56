// What is bundled for which runtime, how large each bundle may become, and how long chunks stay.
import { gzipSync } from "node:zlib";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const NODE_BUNDLE = {
  platform: "node",
  target: "node20",
  // What is not used of such a module is left out; of a CommonJS one all is loaded at each start.
  mainFields: ["module", "main"],
  // CommonJS dependencies inside an ESM bundle call require().
  banner: {
    js: [
      'import { createRequire as makeRequire } from "node:module";',
      "const require = makeRequire(import.meta.url);",
    ].join(""),
  },
};
/**
 * Packages with native parts: the binaries lie next to their code, so they stay in node_modules.
 */
const NATIVE = ["classic-level", "secp256k1"];
/** Packages that most nodes never load. */
const OPTIONAL = ["@opentelemetry/*", "@koromix/*"];

/**
 * Makes script and style parts of a page: one file that needs no other. The page is a template with
 * a mark where each goes.
 */
function onePage(template, place) {
  return {
    name: "one-page",
    setup({ onEnd }) {
      onEnd((result) => {
        if (result.outputFiles === undefined) return;
        const textOf = (end) => result.outputFiles.find(({ path }) => path.endsWith(end)).text;
        const text = readFileSync(template, "utf8")
          .replace("/*STYLE*/", () => textOf(".css"))
          .replace("/*SCRIPT*/", () => textOf(".js"));
        const contents = new TextEncoder().encode(text);
        result.outputFiles = [{ path: place, contents, text, hash: "" }];
        result.metafile.inputs[template] = { bytes: contents.length, imports: [] };
        result.metafile.outputs = { [place]: { bytes: contents.length, inputs: {}, imports: [] } };
      });
    },
  };
}

/** What is bundled: output under dist/ without .js, and its entry. */
export const TARGETS = {
  node: {
    entries: {
      "node/main": "runtimes/node/main.ts",
      "node/dev-chain": "runtimes/node/dev/dev-chain.ts",
      "node/client": "runtimes/node/client/client.ts",
      "node/console": "runtimes/tools/console/main.ts",
      "node/generator": "runtimes/tools/generator/main.ts",
      "node/bench": "runtimes/tools/benchmark/main.ts",
      "node/benchmark-worker": "runtimes/tools/benchmark/worker/worker-main.ts",
      "node/solidity-compiler": "runtimes/tools/console/contracts/compiler-process.ts",
      "node/compute-worker": "runtimes/node/threads/compute-worker.ts",
      "node/executor-worker": "runtimes/node/threads/executor-worker.ts",
      "node/call-worker": "runtimes/node/threads/call-worker.ts",
      "node/check-process": "runtimes/node/cli/check/check-process.ts",
      "node/body-worker": "runtimes/node/threads/body-worker.ts",
    },
    // A command loads what it needs and no more. The parts lie next to the entries: code finds
    // worker files and the page by its own place.
    options: {
      ...NODE_BUNDLE,
      external: [...NATIVE, ...OPTIONAL],
      splitting: true,
      chunkNames: "node/part-[hash]",
    },
  },
  web: {
    // The page and its workers; parts that few visits need are chunks of their own.
    entries: {
      "web/main": "web/main.tsx",
      "web/bridge": "runtimes/browser/bridge.ts",
      "web/node-worker": "runtimes/browser/node-worker.ts",
      "web/compute-worker": "runtimes/browser/compute-worker.ts",
      "web/theatre-worker": "runtimes/browser/theatre-worker.ts",
    },
    // With the page they would have many small chunks in common: a request for each.
    apart: ["web/bridge", "web/node-worker", "web/compute-worker", "web/theatre-worker"],
    options: {
      platform: "browser",
      target: "es2022",
      minify: true,
      splitting: true,
      jsx: "automatic",
      jsxImportSource: "preact",
      chunkNames: "web/chunks/[name]-[hash]",
      assetNames: "web/assets/[name]-[hash]",
      loader: { ".svg": "file" },
    },
    copied: [{ from: "web/static", to: "dist/web" }],
  },
  // The report of a benchmark: opened from the disk, it may load nothing.
  report: {
    entries: { "report/page": "web/benchmark/main.tsx" },
    options: {
      platform: "browser",
      target: "es2022",
      minify: true,
      jsx: "automatic",
      jsxImportSource: "preact",
      plugins: [onePage("web/benchmark/page.html", "dist/report/benchmark.html")],
    },
  },
  // Compilers are classic scripts, so the worker that loads them is one too.
  compiler: {
    entries: { "web/compiler-worker": "web/workbench/compiler-worker.ts" },
    options: { platform: "browser", target: "es2022", format: "iife", minify: true },
  },
  // Puts the installed compilers next to the page, for servers that only have files.
  copier: {
    entries: { "tools/copy-compilers": "runtimes/node/server/copy-compilers.ts" },
    options: NODE_BUNDLE,
  },
  edge: {
    entries: { "edge/gateway": "runtimes/edge/gateway.ts" },
    options: {
      platform: "neutral",
      target: "es2022",
      mainFields: ["module", "main"],
      conditions: ["workerd", "worker", "browser"],
      minify: true,
    },
  },
  // Chains on durable objects; the platform supplies a module. libp2p has files for browsers.
  objects: {
    entries: {
      "edge/chain": "runtimes/edge/objects/chain.ts",
      "edge/observer": "runtimes/edge/objects/observer.ts",
    },
    options: {
      platform: "browser",
      target: "es2022",
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:workers"],
      minify: true,
    },
  },
  client: {
    entries: { "client/client": "runtimes/shared/client/client.ts" },
    // One file without imports: a page can load it as it is, and bundlers take what they need.
    options: { platform: "browser", target: "es2022" },
  },
  // The client as a package of its own: classes of both entries are the same ones.
  "client-package": {
    entries: {
      "chain-node-client/client": "runtimes/shared/client/client.ts",
      "chain-node-client/node": "runtimes/node/client/client.ts",
    },
    options: {
      platform: "browser",
      target: "es2022",
      external: ["node:*", "ws"],
      splitting: true,
      chunkNames: "chain-node-client/part-[hash]",
    },
  },
  // Takes over what is new in a library of specifications, vectors and recordings.
  library: {
    entries: { "tools/take-over": "test/take-over/main.ts" },
    options: { ...NODE_BUNDLE, packages: "external" },
  },
  house: {
    entries: { "tools/house": "test/house/main.ts" },
    options: { ...NODE_BUNDLE, packages: "external" },
  },
  simulation: {
    entries: { "simulation/main": "test/simulation/main.ts" },
    options: { ...NODE_BUNDLE, packages: "external" },
  },
  soak: {
    entries: { "soak/main": "test/soak/main.ts" },
    options: { ...NODE_BUNDLE, packages: "external" },
  },
  bench: {
    entries: {
      "bench/main": "test/bench/main.ts",
    },
    // The help loads nothing that measures.
    options: {
      ...NODE_BUNDLE,
      packages: "external",
      splitting: true,
      chunkNames: "bench/part-[hash]",
    },
  },
};
/** Targets whose sizes a build tells. */
export const SIZED = ["web", "objects"];
/** The bundles that tests start; the tools of the house are built when they are run. */
export const RUNTIMES = [
  "node",
  "web",
  "report",
  "compiler",
  "edge",
  "objects",
  "client",
  "client-package",
];

/**
 * Most KiB of the scripts that a start loads, by `gzip -9`: an entry with the chunks that it
 * imports statically.
 */
export const BUDGETS = {
  "web/main": 60,
  "web/node-worker": 265,
  "web/theatre-worker": 250,
  "edge/chain": 250,
  "edge/observer": 400,
};

/** The entries of a target in sets that share chunks: each of those apart is one of its own. */
export function entrySets(entries, apart = []) {
  const all = Object.entries(entries);
  const shared = all.filter(([name]) => !apart.includes(name));
  const alone = all.filter(([name]) => apart.includes(name)).map((entry) => [entry]);
  return [shared, ...alone].map((set) => Object.fromEntries(set));
}

/** What esbuild made of several sets, as if they had been one. */
export function joined(made) {
  const all = (part) => Object.assign({}, ...made.map(({ metafile }) => metafile[part]));
  const metafile = { inputs: all("inputs"), outputs: all("outputs") };
  return { outputFiles: made.flatMap(({ outputFiles }) => outputFiles), metafile };
}

/** The package of an import that is no path. */
export function packageName(specifier) {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0];
}

/**
 * Folders of packages whose code esbuild took into its outputs, and names of the packages that
 * these import.
 */
export function packagesOf({ outputs }) {
  const parts = Object.values(outputs);
  const sources = parts.flatMap(({ inputs }) => Object.keys(inputs));
  const taken = sources.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const imports = parts.flatMap((part) => part.imports).filter(({ external }) => external);
  const outside = imports.filter(({ path }) => !path.startsWith("node:")).map(({ path }) => path);
  const once = (all) => [...new Set(all)].sort();
  return {
    taken: once(taken.filter((path) => path !== undefined)),
    outside: once(outside.map(packageName)),
  };
}

/**
 * Writes next to and renames: a program that starts meanwhile reads the old file or the new one.
 */
export function writeWhole(file, contents) {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, contents);
  renameSync(draft, file);
}

/** Scripts that an entry loads before it runs. */
function closureOf(outputs, path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: next, kind, external } of outputs[path]?.imports ?? []) {
    if (kind === "import-statement" && !external) closureOf(outputs, next, found);
  }
  return found;
}

/** KiB of each entry and of each chunk that is loaded on demand, from esbuild's metafile. */
export function sizesOf(root, metafile) {
  const { outputs } = metafile;
  const kib = (path) => gzipSync(readFileSync(join(root, path)), { level: 9 }).length / 1024;
  const sizes = [];
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (!entryPoint || !path.endsWith(".js") || !existsSync(join(root, path))) continue;
    const isChunk = path.includes("/chunks/");
    const name = isChunk ? `chunk of ${entryPoint}` : path.slice("dist/".length, -".js".length);
    const all = [...closureOf(outputs, path)].map(kib);
    const sum = all.reduce((total, one) => total + one, 0);
    sizes.push({ name, kib: sum, budget: BUDGETS[name] });
  }
  return sizes.sort((a, b) => b.kib - a.kib);
}

const PART = /^part-[0-9A-Z]{8}\.js$/;
const DAY_MS = 86_400_000;

function isChunk(path) {
  return path.includes("/chunks/") || PART.test(basename(path));
}

/** Files in the order in which they are written: what begins with a new entry finds its chunks. */
export function chunksFirst(files) {
  const chunks = files.filter(({ path }) => isChunk(path));
  return [...chunks, ...files.filter(({ path }) => !isChunk(path))];
}

/** A package takes none along: nothing runs from where it is made. */
function hasHadItsTime(file) {
  const isPacking = process.env.npm_lifecycle_event === "prepack";
  return isPacking || Date.now() - statSync(file).mtimeMs > DAY_MS;
}

/**
 * Chunks have their content's hash in their names: those of earlier builds would pile up. Programs
 * load parts of the build that they began with, so these stay for a day.
 */
export function removeOldChunks(root, outputs) {
  for (const folder of new Set(outputs.map((path) => dirname(path)))) {
    for (const name of readdirSync(join(root, folder))) {
      const file = join(root, folder, name);
      if (name.endsWith(".tmp") || outputs.includes(`${folder}/${name}`)) continue;
      const isOfPage = folder.endsWith("/chunks");
      if (isOfPage || (PART.test(name) && hasHadItsTime(file))) rmSync(file, { force: true });
    }
  }
}
