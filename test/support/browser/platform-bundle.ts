/**
 * Bundles a text of TypeScript for a browser or an edge worker; platform modules do not resolve.
 */
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { ROOT } from "../runner/root.ts";

/** Settings of the bundles of build.mjs, without their entries. */
const PLATFORMS = {
  browser: { platform: "browser", target: "es2022" },
  edge: {
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:workers"],
  },
  // libp2p has other files for browsers.
  edgePeer: {
    platform: "browser",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:workers"],
  },
} satisfies Record<string, BuildOptions>;

/** A bundle and what went into it. */
export interface PlatformBundle {
  readonly script: string;
  /** Paths of the sources, relative to the root. */
  readonly inputs: readonly string[];
}

/**
 * Bundles the module text as if it lay in `test/runtimes`.
 *
 * @throws the bundler's error when an import, as of `node:fs`, does not exist on the platform
 */
export async function bundleFor(
  platform: keyof typeof PLATFORMS,
  moduleText: string,
): Promise<PlatformBundle> {
  const result = await build({
    absWorkingDir: ROOT,
    stdin: { contents: moduleText, resolveDir: join(ROOT, "test", "runtimes"), loader: "ts" },
    bundle: true,
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "silent",
    ...PLATFORMS[platform],
  });
  return {
    script: result.outputFiles[0]?.text ?? "",
    inputs: Object.keys(result.metafile.inputs),
  };
}
