/** Groups of a node over real folders: what a loss of power or an operator left in them. */
// rules: groups 2, groups 4
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, test } from "vitest";
import { createDiskFiles } from "../../../runtimes/folder/disk-files.ts";
import { createNodeSuite } from "../../../runtimes/node/machine/backends.ts";
import { FORMAT, genesisOf, GroupMachine, identityOf } from "../../support/world/group-machine.ts";

const suite = await createNodeSuite();
const { nodeId: SELF } = identityOf(suite, 0);
const ROOT = mkdtempSync(join(tmpdir(), "group-folders-"));
afterAll(() => rmSync(ROOT, { recursive: true, force: true }));
let folders = 0;

/** A node whose files are in a folder of its own; its ledgers are in memory. */
async function machineWith(entries: Readonly<Record<string, string>>) {
  const root = join(ROOT, `${folders++}`);
  for (const [path, text] of Object.entries(entries)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const machine = new GroupMachine({ suite, ports: { files: createDiskFiles(root) } });
  await machine.start();
  return { root, machine };
}

for (const text of ["", "STOP", "STOPPED"]) {
  test(`a first draft ${JSON.stringify(text)} of a cut generation goes with the next start`, async () => {
    const { root, machine } = await machineWith({ "data/group5/.group_status.new": text });
    assert.deepEqual(machine.node.api.groups?.(), []);
    assert.deepEqual(readdirSync(join(root, "data/group5")), []);
    const lines = machine.log.filter(({ level }) => level === "warning" || level === "error");
    const removed = "an interrupted generation was removed";
    assert.deepEqual(lines, [{ level: "warning", message: removed, group: 5 }]);
    await machine.generate(5);
    assert.equal((await machine.manage("startGroup", 5))[0], "0x0");
    await machine.commitOne(5);
    await machine.stop();
  });
}

test("the settings next to such a draft are not of the generation: they stay", async () => {
  const { root, machine } = await machineWith({
    "data/group5/.group_status.new": "STOPPED",
    "conf/group.5.ini": "{}",
  });
  assert.deepEqual(readdirSync(join(root, "data/group5")), []);
  assert.deepEqual(readdirSync(join(root, "conf")), ["group.5.ini"]);
  await machine.stop();
});

test("a draft next to a ledger says that a genesis file was lost", async () => {
  const { root, machine } = await machineWith({
    "data/group5/.group_status.new": "STOPPED",
    "data/group5/block/CURRENT": "x",
  });
  const [left] = machine.node.api.groups?.() ?? [];
  assert.match(left?.failure ?? "", /^conf\/group\.5\.genesis is missing/);
  assert.deepEqual(readdirSync(join(root, "data/group5")), [".group_status.new", "block"]);
  await machine.stop();
});

test("files that are no data folders are left out by name, and hold up no other group", async () => {
  const { root, machine } = await machineWith({
    "data/group8/.group_status/x": "a folder in place of the word",
    "data/group9": "a file in place of a folder",
    "conf/group.1.genesis": FORMAT.writeGenesis(genesisOf(1, [SELF])),
    "conf/group.1.ini": FORMAT.writeTuning(),
  });
  assert.deepEqual(machine.node.api.groupList(), [1]);
  const leftOut = () => (machine.node.api.groups?.() ?? []).filter(({ isRunning }) => !isRunning);
  const told = leftOut().map(({ groupId, status, failure }) => [groupId, status, failure]);
  assert.deepEqual(
    told.map(([groupId, status]) => [groupId, status]),
    [
      [8, "UNKNOWN"],
      [9, "UNKNOWN"],
    ],
  );
  for (const [groupId, , failure] of told)
    assert.match(String(failure), new RegExp(`data/group${groupId}/.group_status cannot be read`));
  assert.equal((await machine.manage("startGroup", 9))[0], "0x1");
  const second = join(root, "conf/group.2");
  await writeFile(`${second}.genesis`, FORMAT.writeGenesis(genesisOf(2, [SELF])));
  await writeFile(`${second}.ini`, FORMAT.writeTuning());
  assert.deepEqual(await machine.node.loadNewGroups(), [2]);
  assert.equal(leftOut().length, 3);
  rmSync(join(root, "data/group8"), { recursive: true });
  rmSync(join(root, "data/group9"));
  await machine.node.loadNewGroups();
  assert.deepEqual(
    leftOut().map(({ groupId }) => groupId),
    [2],
  );
  await machine.stop();
});
