/** What `chain-node confirm` leaves for a node that does not run. */
import { confirmedGroups } from "../../../../runtimes/node/process/node-signals.ts";
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { leaveWord, runConfirm } from "../../../../runtimes/node/cli/confirm.ts";

test("groups that are confirmed one after the other are all confirmed at the start", async () => {
  const home = await mkdtemp(join(tmpdir(), "chain-confirm-"));
  try {
    await leaveWord(home, 1);
    const path = await leaveWord(home, 7);
    assert.deepEqual(confirmedGroups(await readFile(path, "utf8")), [1, 7]);
    await leaveWord(home, undefined);
    assert.equal(confirmedGroups(await readFile(path, "utf8")), undefined);
    assert.equal((await readdir(home)).length, 1);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("a file that says nothing, or nonsense, confirms no group", () => {
  for (const text of ["", "\n", "0", "-1", "1.5", "everything"])
    assert.deepEqual(confirmedGroups(text), []);
});

test("where there is no node, it says which command wants which folder", async () => {
  const folder = join(tmpdir(), "no-such-node");
  await assert.rejects(runConfirm(folder, { json: false }), {
    name: "FolderFault",
    message: /config\.ini: there is no such file\. Name a node's folder: chain-node confirm DIR$/,
  });
});
