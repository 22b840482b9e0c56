// rules: generator 2, generator 9.3
import assert from "node:assert/strict";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { FolderFault } from "../../../runtimes/folder/folder-fault.ts";
import {
  finishCutRun,
  isRunRemain,
  NODE_DISK,
  type TreeDisk,
  type TreeWrite,
  writeTree,
} from "../../../runtimes/folder/whole-tree.ts";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "whole-tree-"));
});

afterEach(() => rm(home, { recursive: true, force: true }));

/** Files below a folder with their content; drafts of runs that were cut off are left out. */
function contentOf(folder: string, withRemains = false): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const isDraft = name.split("/").some(isRunRemain);
    if ((isDraft && !withRemains) || !statSync(join(folder, name)).isFile()) continue;
    found[name] = readFileSync(join(folder, name), "utf8");
  }
  return found;
}

/** A folder with a file to replace, one that gives way, and one that is left alone. */
function present(folder: string): void {
  mkdirSync(join(folder, "conf"), { recursive: true });
  mkdirSync(join(folder, "node"));
  writeFileSync(join(folder, "conf/config.ini"), "old");
  writeFileSync(join(folder, "node/data"), "of an earlier run");
  writeFileSync(join(folder, "notes.txt"), "mine");
}

function request(folder: string): TreeWrite {
  const at = (...names: readonly string[]) => join(folder, ...names);
  return {
    home: folder,
    purpose: "a test",
    asides: [{ from: at("node"), to: at("node_17") }],
    files: [
      { path: at("cert/ca.key"), text: "key", use: "key" },
      { path: at("cert/ca.crt"), text: "crt", use: "text" },
      { path: at("conf/config.ini"), text: "new", use: "text", replaces: true },
      { path: at("conf/group.genesis"), text: "genesis", use: "text" },
      { path: at("node/node0/start.sh"), text: "start", use: "script" },
      { path: at("node/notes"), copyOf: at("notes.txt") },
      { path: at("cert/notes"), copyOf: at("notes.txt") },
    ],
  };
}

const AFTER = {
  "cert/ca.crt": "crt",
  "cert/ca.key": "key",
  "cert/notes": "mine",
  "conf/config.ini": "new",
  "conf/group.genesis": "genesis",
  "node/node0/start.sh": "start",
  "node/notes": "mine",
  "node_17/data": "of an earlier run",
  "notes.txt": "mine",
};

/** A file system that dies at a step, or that fails there once. */
class FaultyDisk {
  readonly disk: TreeDisk;
  #left: number;
  /** Whether it came to the step. */
  reached = false;

  constructor(step: number, kind: "dies" | "fails") {
    this.#left = step;
    const guarded =
      <Args extends readonly unknown[]>(work: (...args: Args) => Promise<void>) =>
      async (...args: Args): Promise<void> => {
        if (this.#left-- === 0 || (this.reached && kind === "dies")) {
          this.reached = true;
          throw new Error("no space left");
        }
        await work(...args);
      };
    this.disk = {
      makeFolder: guarded(NODE_DISK.makeFolder),
      writeFile: guarded(NODE_DISK.writeFile),
      copyFile: guarded(NODE_DISK.copyFile),
      linkFile: guarded(NODE_DISK.linkFile),
      rename: guarded(NODE_DISK.rename),
      remove: guarded(NODE_DISK.remove),
      flush: guarded(NODE_DISK.flush),
    };
  }
}

test("all files are there with their permissions, and nothing else", async () => {
  const folder = join(home, "all");
  present(folder);
  await writeTree(request(folder));
  assert.deepEqual(contentOf(folder, true), AFTER);
  const mode = (name: string) => statSync(join(folder, name)).mode & 0o777;
  assert.deepEqual(
    [mode("cert/ca.key"), mode("cert"), mode("node/node0/start.sh")],
    [0o600, 0o700, 0o755],
  );
});

test("a run that dies at any step leaves the old state, or one that the next makes the new", async () => {
  let steps = 0;
  const ends = new Set<string>();
  for (; ; steps++) {
    const folder = join(home, `dies${steps}`);
    present(folder);
    const before = contentOf(folder);
    const faulty = new FaultyDisk(steps, "dies");
    await writeTree(request(folder), faulty.disk).catch(() => undefined);
    if (!faulty.reached) break;
    const finished = await finishCutRun(folder);
    const isNew = finished !== undefined || ends.has("new");
    if (finished === undefined && JSON.stringify(contentOf(folder)) === JSON.stringify(before)) {
      ends.add("old");
      await writeTree(request(folder));
    } else {
      assert.ok(isNew, `step ${steps}`);
      ends.add("new");
    }
    assert.deepEqual(contentOf(folder), AFTER, `step ${steps}`);
  }
  assert.ok(steps > 20);
  assert.deepEqual([...ends], ["old", "new"]);
});

test("a step that fails is taken back, with nothing left", async () => {
  for (let step = 0; ; step++) {
    const folder = join(home, `fails${step}`);
    present(folder);
    const before = contentOf(folder, true);
    const faulty = new FaultyDisk(step, "fails");
    const fault = await writeTree(request(folder), faulty.disk).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    if (!faulty.reached) break;
    assert.ok(fault instanceof FolderFault);
    assert.match(fault.message, /cannot be written: no space left/);
    assert.deepEqual(contentOf(folder, true), before, `step ${step}`);
  }
});

test("a new folder takes its name in one step", async () => {
  const folder = join(home, "a", "new", "one");
  const files = [
    { path: join(folder, "x/key"), text: "1", use: "key" as const },
    { path: join(folder, "y"), text: "2", use: "text" as const },
  ];
  const renames: string[] = [];
  const disk: TreeDisk = {
    ...NODE_DISK,
    rename: async (from, to) => {
      renames.push(to);
      await NODE_DISK.rename(from, to);
    },
  };
  await writeTree({ home: folder, files, purpose: "new" }, disk);
  assert.deepEqual(renames, [join(home, "a")]);
  assert.deepEqual(contentOf(home, true), { "a/new/one/x/key": "1", "a/new/one/y": "2" });
});

test("a file that is there is refused, a link to one stays a link", async () => {
  writeFileSync(join(home, "real"), "old", { mode: 0o640 });
  symlinkSync(join(home, "real"), join(home, "link"));
  const file = { path: join(home, "link"), text: "new", use: "text" as const };
  await assert.rejects(writeTree({ home, files: [file], purpose: "x" }), /link exists already/);
  await writeTree({ home, files: [{ ...file, replaces: true }], purpose: "x" });
  assert.equal(readFileSync(join(home, "real"), "utf8"), "new");
  assert.equal(statSync(join(home, "real")).mode & 0o777, 0o640);
});

test("a list of renames that cannot be read is named", async () => {
  writeFileSync(join(home, ".chain-node-run"), "{");
  await assert.rejects(finishCutRun(home), /\.chain-node-run is not readable.*remove the file/);
});

test("what another run has written meanwhile is not overwritten", async () => {
  const folder = join(home, "two");
  present(folder);
  const key = join(folder, "ca.key");
  // The other run is done when this one has made its drafts.
  const disk = {
    ...NODE_DISK,
    copyFile: async (from: string, to: string) => {
      writeFileSync(key, "of the other run");
      await NODE_DISK.copyFile(from, to);
    },
  };
  const write = request(folder);
  const files = [...write.files, { path: key, text: "key", use: "key" } as const];
  await assert.rejects(writeTree({ ...write, files }, disk), /ca\.key exists now: another run/);
  assert.equal(readFileSync(key, "utf8"), "of the other run");
  assert.equal(readFileSync(join(folder, "conf/config.ini"), "utf8"), "old");
});

test("copies are names of one file, but for those that somebody may write into", async () => {
  const from = join(home, "program");
  writeFileSync(from, "program");
  const at = (name: string) => join(home, `made-${name}`, name);
  const names = ["a", "b"].map((name) => ({ path: at(name), copyOf: from }));
  const own = ["c", "d"].map((name) => ({ path: at(name), copyOf: from, isOwn: true }));
  await writeTree({ home, purpose: "copies", files: [...own, ...names] });
  const node = (path: string) => statSync(path).ino;
  assert.equal(node(at("a")), node(at("b")));
  assert.equal(new Set([at("a"), at("c"), at("d"), from].map(node)).size, 4);
});
