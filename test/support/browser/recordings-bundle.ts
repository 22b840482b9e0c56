/**
 * Bundles tests that read recordings for a worker of a browser: the few modules of Node that they
 * use are replaced, and so is the one that reads test/data, whose files come with the page.
 */
import { join } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { dataNames, readData } from "../ledger/data-files.ts";
import { ROOT } from "../runner/root.ts";

/** What stands for each module. */
const MODULES: Readonly<Record<string, string>> = {
  "node:zlib": `
    export const inflateSync = () => { throw new TypeError("answers are compared elsewhere"); };`,
  "node:util": `
    export const isDeepStrictEqual = () => { throw new TypeError("compared elsewhere"); };`,
  "node:assert/strict": `
    const plain = (value) => JSON.stringify(value, (_, it) =>
      typeof it === "bigint" ? it + "n" : it instanceof Uint8Array ? [...it] : it);
    const ensure = (holds, message) => { if (!holds) throw new Error(String(message)); };
    const assert = (holds, message) => ensure(holds, message ?? "a falsy value");
    assert.ok = assert;
    assert.equal = (left, right, message) =>
      ensure(Object.is(left, right), message ?? plain([left, right]));
    assert.deepEqual = (left, right, message) =>
      ensure(plain(left) === plain(right), message ?? plain([left, right]));
    assert.fail = (message) => ensure(false, message);
    export default assert;`,
};

/** Stands for data-files.ts: the files are texts by their names. */
const DATA_FILES = `
  const files = globalThis.recordedFiles;
  export const readData = (name) => {
    if (files[name] === undefined) throw new TypeError("no file " + name);
    return files[name];
  };
  export const readDataLines = (name) =>
    readData(name).split("\\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  export const dataNames = (folder) =>
    Object.keys(files).filter((name) => name.startsWith(folder + "/")).sort();
`;

/** Stands for suites.ts: the engines of Node are not there. */
const SUITES = `
  import { createSmSuite } from "../../../core/crypto/national.ts";
  import { createStandardSuite } from "../../../core/crypto/standard.ts";
  export const STANDARD_SUITE = createStandardSuite();
  export const NATIONAL_SUITE = createSmSuite();
`;

const REPLACED: Plugin = {
  name: "modules of Node that recordings need",
  setup(bundler) {
    bundler.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "replaced" }));
    bundler.onLoad({ filter: /\/data-files\.ts$/ }, () => ({ contents: DATA_FILES, loader: "js" }));
    bundler.onLoad({ filter: /\/suites\.ts$/ }, () => ({
      contents: SUITES,
      loader: "ts",
      resolveDir: join(ROOT, "test/support/browser"),
    }));
    bundler.onLoad({ filter: /.*/, namespace: "replaced" }, ({ path }) => {
      const contents = MODULES[path];
      if (contents === undefined) throw new TypeError(`${path} has no replacement`);
      return { contents, loader: "js" };
    });
  },
};

const WORKER: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  plugins: [REPLACED],
};

async function scriptOf(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...WORKER, ...options, write: false });
  return outputFiles[0]?.text ?? "";
}

/**
 * The script of a worker that runs cases of tests and reads no files, from its module text, as if
 * that lay in `test/runtimes`.
 */
export function workerBundle(moduleText: string): Promise<string> {
  const resolveDir = join(ROOT, "test", "runtimes");
  return scriptOf({ stdin: { contents: moduleText, resolveDir, loader: "ts" } });
}

/** The worker's script; the page serves it with {@link recordedFiles} as `files.js` next to it. */
export function recordingsBundle(entry: string): Promise<string> {
  const banner = { js: 'import "./files.js";' };
  return scriptOf({ entryPoints: [entry], banner, external: ["./files.js"] });
}

/** A script that holds the recordings as texts, without the ledgers that no exchange is about. */
export function recordedFiles(): string {
  const names = dataNames("golden").filter((name) => !name.startsWith("golden/replay-"));
  const files = Object.fromEntries(names.map((name) => [name, readData(name)]));
  return `globalThis.recordedFiles = ${JSON.stringify(files)};`;
}
