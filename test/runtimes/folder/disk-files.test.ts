/** The Files port on disk and in memory: whole writes, listing, removal, what is refused. */
// rules: groups 1, groups 2
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { chmod, lstat, mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { utf8Bytes, utf8Text } from "../../../core/bytes/byte-string.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Files } from "../../../core/ports/files.ts";
import { createDiskFiles } from "../../../runtimes/folder/disk-files.ts";
import { createMemoryFiles } from "../../../runtimes/shared/memory-files.ts";

const ROOT = mkdtempSync(join(tmpdir(), "disk-files-"));
afterAll(() => rmSync(ROOT, { recursive: true, force: true }));
let folders = 0;
const freshFolder = () => join(ROOT, `${folders++}`);

async function textAt(files: Files, path: string): Promise<string | undefined> {
  const bytes = await files.read(path);
  return bytes && utf8Text(bytes);
}

const KINDS: readonly (readonly [string, () => Files])[] = [
  ["on disk", () => createDiskFiles(freshFolder())],
  ["in memory", () => createMemoryFiles()],
];
for (const [kind, make] of KINDS) {
  describe(`files ${kind}`, () => {
    test("hold what was written last", async () => {
      const files = make();
      assert.equal(await files.read("data/group1/.group_status"), undefined);
      await files.write("data/group1/.group_status", utf8Bytes("RUNNING"));
      await files.write("data/group1/.group_status", utf8Bytes("STOPPED"));
      assert.equal(await textAt(files, "data/group1/.group_status"), "STOPPED");
      await files.write("empty", new Uint8Array(0));
      assert.equal((await files.read("empty"))?.length, 0);
    });

    test("are listed by name, with folders, in order", async () => {
      const files = make();
      assert.deepEqual(await files.list("conf/"), []);
      for (const path of ["conf/b", "conf/a.genesis", "conf/deep/x", "conf.d/y"])
        await files.write(path, utf8Bytes(path));
      for (const folder of ["conf", "conf/"])
        assert.deepEqual(await files.list(folder), ["a.genesis", "b", "deep"]);
      assert.deepEqual(await files.list(""), ["conf", "conf.d"]);
    });

    test("are gone once removed, also twice", async () => {
      const files = make();
      await files.write("conf/a", utf8Bytes("a"));
      await files.remove("conf/a");
      await files.remove("conf/a");
      await files.remove("nowhere/a");
      assert.equal(await files.read("conf/a"), undefined);
      assert.deepEqual(await files.list("conf"), []);
    });

    test("do not share bytes with who wrote or read them", async () => {
      const files = make();
      const bytes = utf8Bytes("STOPPED");
      await files.write("a", bytes);
      bytes[0] = 0;
      const read = await files.read("a");
      assert.ok(read);
      read[1] = 0;
      assert.equal(await textAt(files, "a"), "STOPPED");
    });
  });
}

test("a draft that a crash left is no file, and is gone after the next write", async () => {
  const folder = freshFolder();
  const files = createDiskFiles(folder);
  await files.write("conf/a", utf8Bytes("old"));
  await writeFile(join(folder, "conf/a.new"), "torn and much longer than the next");
  assert.equal(await textAt(files, "conf/a"), "old");
  await files.write("conf/a", utf8Bytes("new"));
  assert.equal(await textAt(files, "conf/a"), "new");
  assert.deepEqual(readdirSync(join(folder, "conf")), ["a"]);
  await writeFile(join(folder, "conf/a.new"), "torn");
  await files.remove("conf/a");
  assert.deepEqual(readdirSync(join(folder, "conf")), []);
});

test("a file that is there keeps its permissions, and a link to it stays one", async () => {
  const folder = freshFolder();
  const files = createDiskFiles(folder);
  await files.write("real", utf8Bytes("old"));
  await chmod(join(folder, "real"), 0o600);
  await symlink(join(folder, "real"), join(folder, "link"));
  await files.write("link", utf8Bytes("new"));
  assert.equal((await lstat(join(folder, "link"))).isSymbolicLink(), true);
  assert.equal((await stat(join(folder, "real"))).mode & 0o777, 0o600);
  assert.equal(await textAt(files, "real"), "new");
});

test("writes of one file at the same time leave one of the texts whole", async () => {
  const files = createDiskFiles(freshFolder());
  const texts = ["a".repeat(50_000), "b".repeat(60_000)];
  for (let i = 0; i < 5; i++) {
    await Promise.allSettled(texts.map((text) => files.write("x", utf8Bytes(text))));
    assert.ok(texts.includes((await textAt(files, "x")) ?? ""));
  }
});

test("what the platform refuses is a fault that names the file", async () => {
  const folder = freshFolder();
  const files = createDiskFiles(folder);
  await mkdir(join(folder, "a", "b"), { recursive: true });
  await writeFile(join(folder, "plain"), "");
  const isAbout = (name: string) => (cause: unknown) =>
    cause instanceof StoreFault && cause.message.includes(join(folder, name));
  await assert.rejects(files.read("a"), isAbout("a"));
  await assert.rejects(files.write("a/b", utf8Bytes("x")), isAbout("a/b"));
  await assert.rejects(files.write("plain/x", utf8Bytes("x")), isAbout("plain/x"));
  await assert.rejects(files.list("plain"), isAbout("plain"));
  assert.equal(await files.read("a/none"), undefined);
});

test("a folder below which nothing can be made is refused, not waited for", async () => {
  const folder = freshFolder();
  await mkdir(folder);
  await chmod(folder, 0o500);
  const paths = ["/proc/self/x/y", ...(process.getuid?.() === 0 ? [] : [join(folder, "x/y")])];
  for (const path of paths)
    await assert.rejects(createDiskFiles("/").write(path, utf8Bytes("x")), StoreFault);
  await chmod(folder, 0o700);
});

test("absolute paths are taken as they are", async () => {
  const elsewhere = freshFolder();
  const files = createDiskFiles(freshFolder());
  await files.write(join(elsewhere, "conf/a"), utf8Bytes("x"));
  assert.deepEqual(readdirSync(join(elsewhere, "conf")), ["a"]);
});
