/** The worker threads for tests that run from sources. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { BuildOptions, Plugin } from "esbuild";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

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

/** Points CHAIN_NODE_DIST at the workers of the build. */
export function useBuiltWorkers(): void {
  process.env.CHAIN_NODE_DIST = `${ROOT}dist/node`;
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
