/** The tarball of `npm pack`, made once in a run of the tests. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { endOf, run } from "./dev-chain-process.ts";
import { ROOT } from "../runner/root.ts";
import { madeOnce } from "../runner/made-once.ts";

/** What a release builds before it packs is built by `npm test` as far as it runs. */
const PACK = ["pack", "--ignore-scripts", "--silent", "--pack-destination"];

/** Its path; the name is the one that npm gave it. */
export async function packedTarball(): Promise<string> {
  const folder = await madeOnce("packed", async (home) => {
    const { code, stderr } = await endOf(run("npm", [...PACK, home], { cwd: ROOT }));
    assert.equal(code, 0, stderr);
  });
  const [name = ""] = readdirSync(folder);
  return join(folder, name);
}
