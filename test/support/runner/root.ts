/** The repository's root. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The nearest folder above that has the build's file: this one runs in bundles too. */
function rootAbove(folder: string): string {
  if (existsSync(join(folder, "build.mjs"))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error("this file has left the repository");
  return rootAbove(above);
}

/** Absolute path. */
export const ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));
