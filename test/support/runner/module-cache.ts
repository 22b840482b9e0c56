/**
 * Where the runner keeps the modules that it has transformed, for its next runs and for its other
 * projects, and tests what compilers made.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

/**
 * What a transformed module comes of and the runner does not look at; it examines the module, at
 * its own configuration and at what that imports.
 */
export const CACHE_INPUTS = [
  "package-lock.json",
  "tsconfig.json",
  "core/tsconfig.json",
  "runtimes/tsconfig.json",
  "runtimes/node/tsconfig.json",
  "test/runtimes/browser/tsconfig.json",
  "test/tsconfig.json",
  "web/tsconfig.json",
];
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const HASH_LENGTH = 16;

/**
 * The folder for a run that begins now. Each week has its own, so what nobody needs any more
 * does not heap up. Another run may still read what is there: what goes is what no run has begun
 * with for two days.
 */
export function moduleCacheFolder(root: string, now = Date.now()): string {
  const hash = createHash("sha256");
  for (const input of CACHE_INPUTS) {
    const bytes = readFileSync(join(root, input));
    hash.update(`${input} ${bytes.length}\n`).update(bytes);
  }
  const parent = join(root, "node_modules/.cache/chain-node-modules");
  const week = Math.floor(now / WEEK_MS);
  const folder = join(parent, `${week}-${hash.digest("hex").slice(0, HASH_LENGTH)}`);
  mkdirSync(folder, { recursive: true });
  utimesSync(folder, now / 1_000, now / 1_000);
  for (const name of readdirSync(parent)) {
    const other = join(parent, name);
    const { mtimeMs } = statSync(other, { throwIfNoEntry: false }) ?? { mtimeMs: now };
    if (mtimeMs < now - 2 * DAY_MS) rmSync(other, { recursive: true, force: true });
  }
  return folder;
}
