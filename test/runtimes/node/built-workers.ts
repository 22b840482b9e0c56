/** Builds the worker threads for tests that run from sources. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";
import { build } from "esbuild";
import type { BuildOptions, Plugin } from "esbuild";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const WORKERS = ["compute-worker", "executor-worker", "call-worker"];

/** CommonJS dependencies inside an ESM bundle call require(). */
const BANNER = [
  'import { createRequire as makeRequire } from "node:module";',
  "const require = makeRequire(import.meta.url);",
].join("");
const OPTIONS: BuildOptions = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  banner: { js: BANNER },
  logLevel: "error",
};

/** Bundles the workers below node_modules/.cache and points CHAIN_NODE_DIST there. */
export async function buildWorkers(names: readonly string[] = WORKERS): Promise<string> {
  // Files run as threads of one process, one after the other in each: all have their own folders.
  const place = `workers-${process.pid}-${threadId}-${performance.now()}`;
  const outdir = `${ROOT}node_modules/.cache/chain-node-test/${place}`;
  const entryPoints = names.map((name) => `${ROOT}runtimes/node/${name}.ts`);
  await build({ ...OPTIONS, entryPoints, outdir, external: ["classic-level", "secp256k1"] });
  process.env.CHAIN_NODE_DIST = outdir;
  return outdir;
}

/** Bundles one module of the sources so that another process can import it from anywhere. */
export async function buildModule(source: string, outfile: string): Promise<void> {
  // Outside the repository a bare import finds no package: name the native one by its place.
  const level = createRequire(import.meta.url).resolve("classic-level");
  const native: Plugin = {
    name: "native",
    setup(bundler) {
      bundler.onResolve({ filter: /^classic-level$/ }, () => ({ path: level, external: true }));
    },
  };
  await build({ ...OPTIONS, entryPoints: [`${ROOT}${source}`], outfile, plugins: [native] });
}
