/** Which folders are nodes, and what is reported where none is. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { findNodeFolders } from "../../../../runtimes/node/observe/node-folders.ts";

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "node-folders-"));
});
afterEach(() => rm(home, { recursive: true }));

async function put(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), "");
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await findNodeFolders(join(home, folder))).map(({ name }) => name);
}

test("nodes come in the order of their numbers; a folder of templates is none", async () => {
  await put("node10/config.ini", "node2/config.ini", "logs/a.log");
  await put("tpl/config.ini", "tpl/group.i.genesis");
  assert.deepEqual(await namesIn("."), ["node2", "node10"]);
  assert.deepEqual(await namesIn("node2"), ["node2"]);
});

test("where no node is, the folders below that have some are named", async () => {
  await put(
    "a/node/node0/config.ini",
    "b/node/node0/config.ini",
    "b/meta/ca.crt",
    "c/deep/er/x/n/config.ini",
  );
  const named = /no folder of a node\. Nodes are in a\/node, b\/node: name one of these\.$/;
  await assert.rejects(namesIn("."), named);
  await assert.rejects(namesIn("b/meta"), /Name a node's folder, or one that chain-node init/);
  await assert.rejects(namesIn("none"), /there is no such folder/);
});
