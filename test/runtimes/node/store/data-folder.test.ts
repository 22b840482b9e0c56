/** The data folder: what it accepts, refuses and removes. */
// rules: storage 13.7
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import type { StoreFaultKind } from "../../../../core/fault/store-fault.ts";
import { openDataFolder, resetDataFolder } from "../../../../runtimes/node/store/data-folder.ts";
import { killAtOnce, runUntilLine } from "../process/other-process.ts";

const OPTIONS = { chainId: 1, now: 1_700_000_000_000 };
let root = "";
let count = 0;
const fresh = () => join(root, `data-${count++}`);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "folder-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function isFault(kind: StoreFaultKind, words: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof StoreFault, String(error));
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, words);
    return true;
  };
}

async function marked(marker: string): Promise<string> {
  const path = fresh();
  await mkdir(path);
  await writeFile(join(path, "chain-node.json"), marker);
  return path;
}

test("an absent folder is made and marked, and keeps its marker", async () => {
  const path = join(fresh(), "deep", "down");
  const first = await openDataFolder(path, OPTIONS);
  assert.equal(first.isNew, true);
  await first.close();
  const again = await openDataFolder(path, { ...OPTIONS, now: 5 });
  assert.equal(again.isNew, false);
  assert.deepEqual(again.marker, { version: 1, chainId: 1, created: OPTIONS.now });
  await again.close();
});

test("an empty folder, or one with only a half-written marker, is taken", async () => {
  const path = fresh();
  await mkdir(path);
  await writeFile(join(path, "chain-node.json.new"), "{");
  await (await openDataFolder(path, OPTIONS)).close();
});

test("a folder with other files is refused by name and left as it is", async () => {
  const path = fresh();
  await mkdir(path);
  await writeFile(join(path, "thesis.txt"), "precious");
  await assert.rejects(openDataFolder(path, OPTIONS), isFault("foreign", /thesis\.txt/));
  await assert.rejects(resetDataFolder(path), isFault("foreign", /no chain-node\.json/));
  assert.deepEqual(await readdir(path), ["thesis.txt"]);
  assert.equal(await readFile(join(path, "thesis.txt"), "utf8"), "precious");
});

const MARKERS = [
  { name: "cut short", text: '{"format":"chain-node-da', kind: "corrupt", words: /damaged/ },
  { name: "empty", text: "", kind: "corrupt", words: /damaged/ },
  { name: "not an object", text: "[1]", kind: "corrupt", words: /damaged/ },
  { name: "of another program", text: '{"format":"x"}', kind: "foreign", words: /another program/ },
  {
    name: "of a newer version",
    text: '{"format":"chain-node-data","version":2,"shape":"unknown"}',
    kind: "version",
    words: /newer program \(version 2/,
  },
  {
    name: "without a chain",
    text: '{"format":"chain-node-data","version":1,"created":1}',
    kind: "corrupt",
    words: /damaged/,
  },
  {
    name: "of another chain",
    text: '{"format":"chain-node-data","version":1,"chainId":7,"created":1}',
    kind: "foreign",
    words: /chain 7, not of chain 1/,
  },
] as const;
for (const row of MARKERS) {
  test(`a marker that is ${row.name} is refused as ${row.kind} and not rewritten`, async () => {
    const path = await marked(row.text);
    await assert.rejects(openDataFolder(path, OPTIONS), isFault(row.kind, row.words));
    assert.deepEqual(await readdir(path), ["chain-node.json"]);
    assert.equal(await readFile(join(path, "chain-node.json"), "utf8"), row.text);
  });
}

test("a damaged marker is told with what belongs into it, and that is one", async () => {
  const path = await marked("{");
  const cause: unknown = await openDataFolder(path, OPTIONS).catch((thrown: unknown) => thrown);
  const [text] = /\{.*\}$/.exec((cause as Error).message) ?? [];
  assert.ok(text, String(cause));
  await writeFile(join(path, "chain-node.json"), text);
  await (await openDataFolder(path, OPTIONS)).close();
});

test("ledgers whose folder has lost its marker are told with it, and nothing is claimed", async () => {
  const path = fresh();
  const options = { ...OPTIONS, mayHold: (name: string) => name === "group1" };
  await (await openDataFolder(path, options)).close();
  await mkdir(join(path, "group1"));
  await rm(join(path, "chain-node.json"));
  await assert.rejects(openDataFolder(path, options), isFault("foreign", /\{.*"chainId":1,.*\}$/));
  assert.deepEqual((await readdir(path)).sort(), ["group1", "lock"]);
  await writeFile(join(path, "thesis.txt"), "precious");
  await assert.rejects(openDataFolder(path, options), isFault("foreign", /[^}]$/));
});

test("a file in the folder's place is refused by opening and by reset", async () => {
  const path = fresh();
  await writeFile(path, "x");
  await assert.rejects(openDataFolder(path, OPTIONS), isFault("foreign", /not a folder/));
  await assert.rejects(resetDataFolder(path), isFault("foreign", /not a folder/));
});

test.skipIf(process.platform !== "linux")("a place that takes no folders is refused", async () => {
  const path = "/sys/chain-node-test";
  await assert.rejects(openDataFolder(path, OPTIONS), isFault("unwritable", /not writable/));
});

test("a folder is held by one opening at a time, in this process too", async () => {
  const path = fresh();
  const held = await openDataFolder(path, OPTIONS);
  await assert.rejects(openDataFolder(path, OPTIONS), isFault("locked", /in use/));
  await assert.rejects(resetDataFolder(path), isFault("locked", /in use/));
  await held.close();
  await (await openDataFolder(path, OPTIONS)).close();
});

test("an opening that fails after the lock was taken gives it back", async () => {
  const path = fresh();
  await (await openDataFolder(path, OPTIONS)).close();
  const owner = join(path, "lock", "owner");
  await rm(owner);
  await mkdir(owner);
  await assert.rejects(openDataFolder(path, OPTIONS), StoreFault);
  await rm(owner, { recursive: true });
  await (await openDataFolder(path, OPTIONS)).close();
});

test("a killed process leaves no lock behind, and while it lives it is named", async () => {
  const path = fresh();
  await (await openDataFolder(path, OPTIONS)).close();
  const lock = JSON.stringify(join(path, "lock"));
  const { child } = await runUntilLine(`
    import { writeFileSync } from "node:fs";
    import { ClassicLevel } from "classic-level";
    const level = new ClassicLevel(${lock});
    await level.open();
    writeFileSync(${lock} + "/owner", process.pid + "\\n");
    console.log("held");
    setInterval(() => {}, 1000);
  `);
  const words = new RegExp(`process ${child.pid}`);
  await assert.rejects(openDataFolder(path, OPTIONS), isFault("locked", words));
  await killAtOnce(child);
  await (await openDataFolder(path, OPTIONS)).close();
});

test("reset removes the whole folder and says what it removed", async () => {
  const path = fresh();
  await (await openDataFolder(path, OPTIONS)).close();
  await mkdir(join(path, "node0"));
  await writeFile(join(path, "node0", "node.key"), "secret");
  const removed = await resetDataFolder(path);
  assert.deepEqual(removed, [
    join(path, "node0"),
    join(path, "lock"),
    join(path, "chain-node.json"),
    path,
  ]);
  await assert.rejects(stat(path), /ENOENT/);
});

test("reset of an absent folder removes nothing", async () => {
  assert.deepEqual(await resetDataFolder(fresh()), []);
});
