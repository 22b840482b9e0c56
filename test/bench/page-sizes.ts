/** The sizes of the page's bundles, as the build has measured them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/runner/root.ts";

/** One entry with everything that it loads before it runs, or a chunk that is loaded on demand. */
export interface PageSize {
  readonly name: string;
  /** By `gzip -9`. */
  readonly kib: number;
  readonly budget?: number;
}

/** Largest first. */
export function pageSizes(): readonly PageSize[] {
  return JSON.parse(readFileSync(join(ROOT, "dist", "web-sizes.json"), "utf8"));
}
