/** Builds the worker threads for tests that run from sources. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const WORKERS = ["compute-worker", "executor-worker", "call-worker"];

/** Bundles the workers below node_modules/.cache and points CHAIN_NODE_DIST there. */
export async function buildWorkers(names: readonly string[] = WORKERS): Promise<string> {
  const outdir = `${ROOT}node_modules/.cache/chain-node-test/workers-${process.pid}`;
  const banner = [
    'import { createRequire as makeRequire } from "node:module";',
    "const require = makeRequire(import.meta.url);",
  ].join("");
  await build({
    entryPoints: names.map((name) => `${ROOT}runtimes/node/${name}.ts`),
    outdir,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: banner },
    external: ["classic-level", "secp256k1"],
    logLevel: "error",
  });
  process.env.CHAIN_NODE_DIST = outdir;
  return outdir;
}
