/** The files of groups: names, finding, writing in order, taking back, what a crash left. */
// rules: groups 1, groups 2, groups 6
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes, utf8Text } from "../../../../core/bytes/byte-string.ts";
import { GroupCatalog } from "../../../../core/node/group/group-files.ts";
import type { Files } from "../../../../core/ports/files.ts";
import { createMemoryFiles } from "../../../../runtimes/shared/memory-files.ts";
import { FORMAT, genesisOf } from "../../../support/world/group-machine.ts";
import { nodeIdOf } from "../../../support/data-node.ts";

const SEALERS = [nodeIdOf("a1"), nodeIdOf("b2")];
const FOLDERS = { config: "conf/", data: "data/" };

function catalogOf(entries: Readonly<Record<string, string>> = {}) {
  const bytes = Object.entries(entries).map(([path, text]) => [path, utf8Bytes(text)] as const);
  const files = createMemoryFiles(bytes);
  return { files, catalog: new GroupCatalog(files, FOLDERS, FORMAT) };
}

const textOf = (id: number) => FORMAT.writeGenesis(genesisOf(id, SEALERS));

test("a generation writes word, ini and genesis, in this order", async () => {
  const { files } = catalogOf();
  const written: string[] = [];
  const recording: Files = {
    ...files,
    write: async (path, bytes) => {
      written.push(path);
      await files.write(path, bytes);
    },
  };
  const catalog = new GroupCatalog(recording, FOLDERS, FORMAT);
  await catalog.generate(genesisOf(7, SEALERS));
  assert.deepEqual(written, [
    "data/group7/.group_status",
    "conf/group.7.ini",
    "conf/group.7.genesis",
  ]);
  assert.equal(await catalog.word(7), "STOPPED");
  assert.deepEqual(await catalog.genesis(7, catalog.genesisPath(7)), genesisOf(7, SEALERS));
  assert.equal((await catalog.tuning(genesisOf(7, SEALERS))).minBlockGenerationTimeMs, 0);
});

test("a generation over the word of an interrupted removal removes that to its end first", async () => {
  const { files } = catalogOf({ "data/group7/.group_status": "STOPPED" });
  const done: string[] = [];
  const recording: Files = {
    ...files,
    write: async (path, bytes) => {
      done.push(`write ${path}`);
      await files.write(path, bytes);
    },
    remove: async (path) => {
      done.push(`remove ${path}`);
      await files.remove(path);
    },
  };
  const catalog = new GroupCatalog(recording, FOLDERS, FORMAT);
  await catalog.generate(genesisOf(7, SEALERS));
  assert.deepEqual(done.slice(0, 2), [
    "remove data/group7/.group_status",
    "write data/group7/.group_status",
  ]);
  assert.equal(await catalog.word(7), "STOPPED");
});

for (const [config, data] of [
  ["conf/", "data/"],
  ["conf", "data"],
  ["", ""],
] as const) {
  test(`the names below ${JSON.stringify(config)} and ${JSON.stringify(data)} fit`, () => {
    const { files } = catalogOf();
    const catalog = new GroupCatalog(files, { config, data }, FORMAT);
    const [c, d] = config === "" ? ["", ""] : ["conf/", "data/"];
    assert.equal(catalog.genesisPath(32_767), `${c}group.32767.genesis`);
    assert.equal(catalog.tuningPath(1), `${c}group.1.ini`);
    assert.equal(catalog.statusPath(1), `${d}group1/.group_status`);
  });
}

test("groups are found by the id in the file, whatever its name", async () => {
  const { catalog } = catalogOf({
    "conf/zebra.genesis": textOf(2),
    "conf/group.10.genesis": textOf(10),
    "conf/group.3.genesis.new": textOf(3),
    "conf/group.4.ini": "{}",
    "conf/twin.genesis": textOf(10),
    "conf/bad.genesis": "?",
    "conf/low.genesis": textOf(0),
    "conf/high.genesis": textOf(32_768),
    "conf/deep/group.5.genesis": textOf(5),
  });
  const { groups, bad } = await catalog.scan();
  assert.deepEqual(groups, [
    { groupId: 2, path: "conf/zebra.genesis" },
    { groupId: 10, path: "conf/group.10.genesis" },
  ]);
  const reasons = bad.map(({ path, cause }) => `${path}: ${(cause as Error).message}`);
  assert.deepEqual(reasons, [
    "conf/bad.genesis: the text is not a JSON object",
    "conf/high.genesis: conf/high.genesis has the id 32768, not 1 to 32767",
    "conf/low.genesis: conf/low.genesis has the id 0, not 1 to 32767",
    "conf/twin.genesis: conf/twin.genesis has the id of conf/group.10.genesis, 10",
  ]);
});

test("only the remains of a generation are removed", async () => {
  const { files, catalog } = catalogOf({
    // Remains: with and without ini, also with a draft that a crash left.
    "data/group3/.group_status": "STOPPED",
    "conf/group.3.ini": "{}",
    "data/group4/.group_status": "STOPPED",
    "data/group4/.group_status.new": "ST",
    // A group whose genesis file is there, one that has data, one that ran, an ini alone.
    "data/group5/.group_status": "STOPPED",
    "conf/any.genesis": textOf(5),
    "data/group6/.group_status": "STOPPED",
    "data/group6/block/CURRENT": "x",
    "data/group7/.group_status": "DELETED",
    "conf/group.8.ini": "{}",
    "data/group99999/.group_status": "STOPPED",
    "data/other/.group_status": "STOPPED",
    // A draft next to a ledger.
    "data/group9/.group_status.new": "STOPPED",
    "data/group9/block/CURRENT": "x",
  });
  const kept = [...files.content.keys()].filter((path) => !/group[.]?[34]\b/.test(path));
  assert.deepEqual(await catalog.removeRemains(8), { removed: [], kept: [] });
  assert.deepEqual(await catalog.removeRemains(4), { removed: [4], kept: [] });
  assert.deepEqual(await catalog.removeRemains(), { removed: [3], kept: [] });
  assert.deepEqual([...files.content.keys()], kept);
  assert.deepEqual(await catalog.removeRemains(), { removed: [], kept: [] });
});

test("a data folder without a genesis file is an orphan, unless it is of a removed group", async () => {
  const { catalog } = catalogOf({
    "data/group2/.group_status": "RUNNING",
    "data/group3/.group_status": "STOPPED",
    "data/group4/block/CURRENT": "x",
    "data/group5/.group_status": "RUNNING",
    "conf/any.genesis": textOf(5),
    "data/group6/.group_status": "RUNNING",
    "conf/group.6.genesis": "it cannot be read, which is reported already",
    "data/group7/.group_status": "DELETED",
    "data/group7/block/CURRENT": "x",
    "data/other/x": "x",
    "data/group8/.group_status.new": "STOPPED",
  });
  const { groups } = await catalog.scan();
  const { gone, unreadable } = await catalog.orphans(groups);
  assert.deepEqual([gone.map(({ groupId }) => groupId), unreadable], [[2, 4], []]);
});

test("a data folder that cannot be read keeps no node from the orphans next to it", async () => {
  const { files } = catalogOf({
    "data/group2/.group_status": "RUNNING",
    "data/group3/block/CURRENT": "x",
    "data/group4/.group_status": "STOPPED",
    "data/group4/block/CURRENT": "x",
  });
  const cause = new RangeError("the disk");
  const failing: Files = {
    ...files,
    read: async (path) => {
      if (path.startsWith("data/group3/")) throw cause;
      return files.read(path);
    },
  };
  assert.deepEqual(await new GroupCatalog(failing, FOLDERS, FORMAT).orphans([]), {
    gone: [
      { groupId: 2, isStopped: false },
      { groupId: 4, isStopped: true },
    ],
    unreadable: [{ groupId: 3, cause }],
  });
});

test("an interrupted removal of remains is found and repeated", async () => {
  for (let writes = 0; writes < 3; writes++) {
    const entries = { "data/group3/.group_status": "STOPPED", "conf/group.3.ini": "{}" };
    const { files, catalog } = catalogOf(entries);
    let left = writes;
    const failing: Files = {
      ...files,
      remove: async (path) => {
        if (left-- === 0) throw new RangeError("power");
        await files.remove(path);
      },
    };
    const { removed, kept } = await new GroupCatalog(failing, FOLDERS, FORMAT).removeRemains();
    assert.deepEqual([removed, kept.map(({ groupId }) => groupId)], [[], [3]]);
    assert.deepEqual((await catalog.removeRemains()).removed, [3]);
    assert.equal(files.content.size, 0);
  }
});

test("the files of a fixed group are put in place once, and follow the chain", async () => {
  const { files, catalog } = catalogOf({ "conf/group.1.ini": '{"txPoolLimit":7}' });
  await catalog.provide(genesisOf(1, SEALERS));
  assert.equal(utf8Text(files.content.get("conf/group.1.genesis") ?? Uint8Array.of()), textOf(1));
  assert.equal((await catalog.tuning(genesisOf(1, SEALERS))).txPoolLimit, 7);
  const written = files.content.get("conf/group.1.genesis");
  await catalog.provide(genesisOf(1, SEALERS));
  assert.equal(files.content.get("conf/group.1.genesis"), written);
  await catalog.provide(genesisOf(1, SEALERS.slice(1)));
  assert.deepEqual((await catalog.genesis(1, "conf/group.1.genesis")).sealers, SEALERS.slice(1));
});
