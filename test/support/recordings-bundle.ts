/**
 * Bundles tests that read recordings for a worker of a browser: the few modules of Node that they
 * use are replaced, and the files come with the page.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { SHARED } from "./recorded-ledger.ts";
import { ROOT } from "./root.ts";

/** What stands for each module. Files are texts by their path below the shared folder. */
const MODULES: Readonly<Record<string, string>> = {
  "node:fs": `
    const files = globalThis.recordedFiles;
    const found = (path) => {
      const text = files[path.replace(/^.*shared\\//, "")];
      if (text === undefined) throw new TypeError("no file " + path);
      return text;
    };
    export const readFileSync = found;
    export const existsSync = (path) => files[path.replace(/^.*shared\\//, "")] !== undefined;
    export const readdirSync = (path) => {
      const start = path.replace(/^.*shared\\//, "") + "/";
      const names = Object.keys(files).filter((name) => name.startsWith(start));
      return [...new Set(names.map((name) => name.slice(start.length).split("/")[0]))].sort();
    };`,
  "node:path": `
    export const join = (...parts) => {
      const out = [];
      for (const part of parts.join("/").split("/")) {
        if (part === "..") out.pop();
        else if (part !== "" && part !== ".") out.push(part);
      }
      return "/" + out.join("/");
    };
    export const dirname = (path) => join(path, "..");`,
  "node:url": "export const fileURLToPath = (url) => new URL(url).pathname;",
  // Files are unpacked before they are sent.
  "node:zlib": `
    export const gunzipSync = (text) => text;
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

const REPLACED: Plugin = {
  name: "modules of Node that recordings need",
  setup(bundler) {
    bundler.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "replaced" }));
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

/** The worker's script; the page serves it with {@link recordedFiles} as `files.js` beside it. */
export function recordingsBundle(entry: string): Promise<string> {
  const banner = { js: 'import "./files.js";' };
  return scriptOf({ entryPoints: [entry], banner, external: ["./files.js"] });
}

/** A script that holds all recordings as texts. */
export function recordedFiles(): string {
  const files: Record<string, string> = {};
  for (const name of readdirSync(join(SHARED, "golden"), { recursive: true }).map(String)) {
    const path = join(SHARED, "golden", name);
    if (/\.jsonl\.gz$/.test(name))
      files[`golden/${name}`] = gunzipSync(readFileSync(path)).toString();
    else if (/\.(jsonl|txt|json)$/.test(name)) files[`golden/${name}`] = readFileSync(path, "utf8");
  }
  return `globalThis.recordedFiles = ${JSON.stringify(files)};`;
}
