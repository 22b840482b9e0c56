/** On which platforms the native parts of a program run, by the prebuilt files that it brings. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { SIGNATURE_PACKAGE, STORE_PACKAGE } from "./program-package.ts";

/**
 * Platforms that Node.js itself is offered for, as `process.platform` and `process.arch` with the C
 * library where it is not glibc.
 */
const NODE_PLATFORMS = [
  "darwin-arm64",
  "darwin-x64",
  "linux-arm",
  "linux-arm64",
  "linux-arm64-musl",
  "linux-loong64",
  "linux-ppc64",
  "linux-riscv64",
  "linux-s390x",
  "linux-x64",
  "linux-x64-musl",
  "win32-arm64",
  "win32-ia32",
  "win32-x64",
  "aix-ppc64",
] as const;

/** Where a program can run. */
export interface ProgramPlatforms {
  /** A node can keep its ledgers there. */
  readonly store: readonly string[];
  /** Signatures are made by native code there. */
  readonly signatures: readonly string[];
  /** Platforms of Node.js without a prebuilt store. */
  readonly withoutStore: readonly string[];
}

/** `linux-x64` from a folder of prebuilt files, once for each C library that they are made for. */
function platformsOf(folder: string, files: readonly string[]): readonly string[] {
  const [system = "", archs = ""] = folder.split(/-(.*)/);
  const isMusl = (file: string) => file.split(".").includes("musl");
  const libraries = [
    ...(files.some((file) => !isMusl(file)) ? [""] : []),
    ...(files.some(isMusl) ? ["-musl"] : []),
  ];
  return archs.split("+").flatMap((arch) => libraries.map((end) => `${system}-${arch}${end}`));
}

async function prebuiltIn(folder: string): Promise<readonly string[]> {
  const prebuilds = join(folder, "prebuilds");
  const names = await readdir(prebuilds).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const files = await readdir(join(prebuilds, name)).catch(() => []);
      return platformsOf(
        name,
        files.filter((file) => file.endsWith(".node")),
      );
    }),
  );
  // What the installation has compiled for its own host.
  const compiled = await readdir(join(folder, "build", "Release")).catch(() => []);
  const own = compiled.some((file) => file.endsWith(".node"))
    ? [`${process.platform}-${process.arch}`]
    : [];
  return [...new Set([...found.flat(), ...own])].sort();
}

/** The platforms of a program folder. Source: generator 11 */
export async function platformsIn(programFolder: string): Promise<ProgramPlatforms> {
  const [store, signatures] = await Promise.all(
    [STORE_PACKAGE, SIGNATURE_PACKAGE].map((name) =>
      prebuiltIn(join(programFolder, "node_modules", name)),
    ),
  );
  const found = store ?? [];
  return {
    store: found,
    signatures: signatures ?? [],
    withoutStore: NODE_PLATFORMS.filter((platform) => !found.includes(platform)),
  };
}

/** What an operator should know of them, in sentences without a full stop. */
export function platformLines(platforms: ProgramPlatforms): readonly string[] {
  const { store, signatures, withoutStore } = platforms;
  const slow = store.filter((platform) => !signatures.includes(platform));
  const lines = [`nodes run on ${store.join(", ") || "no platform"}`];
  if (signatures.length > 0) lines.push(`signatures are native on ${signatures.join(", ")}`);
  if (slow.length > 0) lines.push(`signatures use WebAssembly, slower, on ${slow.join(", ")}`);
  if (withoutStore.length > 0) {
    lines.push(
      `no native store is brought for ${withoutStore.join(", ")}: there install chain-node with ` +
        "npm, which compiles it, and nodes find that installation on the PATH",
    );
  }
  return lines;
}
