/** The tarball of `npm pack`, made once in a run of the tests, and what npm installs of it. */
import assert from "node:assert/strict";
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { endOf, run } from "./dev-chain-process.ts";
import { ROOT } from "../runner/root.ts";
import { madeOnce } from "../runner/made-once.ts";

/** What a release builds before it packs is built by `npm test` as far as it runs. */
const PACK = ["pack", "--ignore-scripts", "--silent", "--pack-destination"];

/**
 * Its path; the name is the one that npm gave it.
 *
 * @param place of the package that is packed
 */
export async function packedTarball(place = ROOT): Promise<string> {
  const once = place === ROOT ? "packed" : `packed ${basename(place)}`;
  const folder = await madeOnce(once, async (home) => {
    const { code, stderr } = await endOf(run("npm", [...PACK, home], { cwd: place }));
    assert.equal(code, 0, stderr);
  });
  const [name = ""] = readdirSync(folder);
  return join(folder, name);
}

/** What npm says when there is no registry, or not all of it. */
const NO_REGISTRY = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|E40[34]/;
const INSTALL = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=warn"];

/**
 * Installs it into a folder.
 *
 * @returns what npm warned of; undefined when it cannot install here, and left nothing
 */
export async function installByNpm(folder: string, tarball: string): Promise<string | undefined> {
  const { code, stderr } = await run("npm", [...INSTALL, tarball], { cwd: folder }).ended;
  if (code !== 0 && NO_REGISTRY.test(stderr)) {
    rmSync(join(folder, "node_modules"), { recursive: true, force: true });
    return undefined;
  }
  assert.equal(code, 0, stderr);
  return stderr;
}

/** Bytes of all files below a folder. */
export function bytesBelow(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce(
    (sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size,
    0,
  );
}
