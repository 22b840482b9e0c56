/** The LevelDB store: faults, snapshots, threads, sudden ends. */
// rules: storage 13.1, storage 13.6
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { ClassicLevel } from "classic-level";
import { afterAll, beforeAll, test, vi } from "vitest";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import type { StoreFaultKind } from "../../../../core/fault/store-fault.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { storeContract } from "../../../contract/store.ts";
import { buildModule } from "../threads/built-workers.ts";
import { killAtOnce, runUntilLine } from "../process/other-process.ts";

let root = "";
let count = 0;
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const text = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();
const folder = () => join(root, `db-${count++}`);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

storeContract("the LevelDB store", async () => {
  const path = folder();
  return {
    store: await openLevelStore(path, { create: true }),
    reopen: () => openLevelStore(path, { create: false }),
  };
});

function isFault(kind: StoreFaultKind, words: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof StoreFault, String(error));
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, words);
    return true;
  };
}

test("what was written is there after closing and opening again", async () => {
  const path = folder();
  const store = await openLevelStore(path, { create: true });
  await store.commit([{ key: "a", value: bytes("1") }], { durable: true });
  await store.close();
  const again = await openLevelStore(path, { create: false });
  assert.equal(text(again.get("a")), "1");
  assert.equal(text(await again.load("a")), "1");
  await again.close();
});

test("keys order by their bytes up to 255", async () => {
  const store = await openLevelStore(folder(), { create: true });
  const keys = ["n\x00", "n\x00\x00", "n\x7f", "n\x80", "n\xfe\xff", "n\xff"];
  const writes = [...keys].reverse().map((key) => ({ key, value: bytes(key.length.toString()) }));
  await store.commit(writes, { durable: false });
  const found = await store.range("n", "n\xff\xff", 100);
  assert.deepEqual(
    found.map(({ key }) => key),
    keys,
  );
  assert.deepEqual(
    (await store.range("n\x00\x00", "n\xfe", 2)).map(({ key }) => key),
    ["n\x00\x00", "n\x7f"],
  );
  await store.close();
});

test("a range larger than one native step comes back whole", async () => {
  const store = await openLevelStore(folder(), { create: true });
  const value = new Uint8Array(400_000).fill(7);
  const keys = Array.from({ length: 12 }, (_, at) => `k${String(at).padStart(2, "0")}`);
  await store.commit(
    keys.map((key) => ({ key, value })),
    { durable: false },
  );
  const found = await store.range("k", "l", 1_000);
  assert.deepEqual(
    found.map(({ key }) => key),
    keys,
  );
  assert.ok(found.every((entry) => entry.value.length === value.length));
  await store.close();
});

test("a missing database is refused unless it may be made", async () => {
  await assert.rejects(openLevelStore(folder(), { create: false }), isFault("foreign", /no data/));
});

test("a file in the folder's place is refused", async () => {
  const path = folder();
  await writeFile(path, "x");
  await assert.rejects(
    openLevelStore(join(path, "db"), { create: true }),
    isFault("foreign", /db/),
  );
});

test("a database of another process is refused until that process dies", async () => {
  const path = folder();
  await (await openLevelStore(path, { create: true })).close();
  const { child } = await runUntilLine(`
    import { ClassicLevel } from "classic-level";
    const level = new ClassicLevel(${JSON.stringify(path)});
    await level.open();
    console.log("open");
    setInterval(() => {}, 1000);
  `);
  await assert.rejects(
    openLevelStore(path, { create: false }),
    isFault("locked", /another process/),
  );
  await killAtOnce(child);
  await (await openLevelStore(path, { create: false })).close();
});

test("a durable commit and all before it survive a process that is killed", async () => {
  const path = folder();
  const { child } = await runUntilLine(`
    import { ClassicLevel } from "classic-level";
    const level = new ClassicLevel(${JSON.stringify(path)}, { multithreading: true });
    await level.batch([{ type: "put", key: "early", value: "1" }]);
    await level.batch([{ type: "put", key: "late", value: "2" }], { sync: true });
    console.log("durable");
    setInterval(() => {}, 1000);
  `);
  await killAtOnce(child);
  const store = await openLevelStore(path, { create: false });
  assert.equal(text(store.get("early")), "1");
  assert.equal(text(store.get("late")), "2");
  await store.close();
});

test("a torn batch at the end of the log is dropped as a whole", async () => {
  const path = folder();
  const store = await openLevelStore(path, { create: true });
  await store.commit([{ key: "kept", value: bytes("1") }], { durable: true });
  const half = ["torn1", "torn2"].map((key) => ({ key, value: new Uint8Array(1_000).fill(1) }));
  await store.commit(half, { durable: true });
  await store.close();
  const log = (await readdir(path)).find((name) => name.endsWith(".log"));
  assert.ok(log);
  const { size } = await stat(join(path, log));
  await truncate(join(path, log), size - 500);
  const again = await openLevelStore(path, { create: false });
  assert.equal(text(again.get("kept")), "1");
  assert.equal(again.get("torn1"), undefined);
  assert.equal(again.get("torn2"), undefined);
  await again.close();
});

test("a database whose CURRENT is gone is reported, and nothing of it is deleted", async () => {
  const path = folder();
  const level = await openLevelStore(path, { create: true });
  await level.commit([{ key: "k", value: Uint8Array.of(1) }], { durable: true });
  await level.close();
  await rm(join(path, "CURRENT"));
  const before = (await readdir(path)).sort();
  for (const create of [true, false]) {
    const kind = create ? "corrupt" : "foreign";
    await assert.rejects(
      openLevelStore(path, { create }),
      isFault(kind, /CURRENT is missing|no database/),
    );
  }
  assert.deepEqual((await readdir(path)).sort(), before);
});

test("a database whose manifest is gone is reported as corrupt", async () => {
  const path = folder();
  await (await openLevelStore(path, { create: true })).close();
  for (const name of await readdir(path)) {
    if (name.startsWith("MANIFEST")) await rm(join(path, name));
  }
  await assert.rejects(openLevelStore(path, { create: false }), isFault("corrupt", /damaged/));
});

test.skipIf(process.platform !== "linux")("a place that takes no folders is refused", async () => {
  // Neither root nor anybody else makes folders in the kernel's own file system.
  const path = "/sys/chain-node-test";
  await assert.rejects(openLevelStore(path, { create: true }), isFault("unwritable", /writable/));
});

test("a snapshot does not see later commits, and refuses to be written", async () => {
  const store = await openLevelStore(folder(), { create: true });
  await store.commit([{ key: "a", value: bytes("1") }], { durable: false });
  const snapshot = store.snapshot();
  await store.commit(
    [
      { key: "a", value: undefined },
      { key: "b", value: bytes("2") },
    ],
    { durable: false },
  );
  assert.equal(text(snapshot.get("a")), "1");
  assert.equal(snapshot.get("b"), undefined);
  assert.equal(text(await snapshot.load("a")), "1");
  assert.deepEqual(
    (await snapshot.range("", "z", 9)).map(({ key }) => key),
    ["a"],
  );
  await assert.rejects(snapshot.commit([], { durable: false }), /snapshot/);
  await snapshot.close();
  assert.equal(store.get("a"), undefined);
  await store.close();
});

test("a store closes with a snapshot still open", async () => {
  const store = await openLevelStore(folder(), { create: true });
  const snapshot = store.snapshot();
  await store.close();
  await snapshot.close();
});

test("reading or writing a closed store is a fault", async () => {
  const store = await openLevelStore(folder(), { create: true });
  await store.close();
  assert.throws(() => store.get("a"), StoreFault);
  await assert.rejects(store.commit([], { durable: true }), StoreFault);
  await assert.rejects(store.range("a", "b", 1), StoreFault);
});

test("after a failed commit the store takes no other", async () => {
  const store = await openLevelStore(folder(), { create: true });
  vi.spyOn(ClassicLevel.prototype, "batch").mockImplementationOnce(() => {
    throw new Error("posed");
  });
  await assert.rejects(
    store.commit([{ key: "a", value: bytes("1") }], { durable: true }),
    StoreFault,
  );
  await assert.rejects(
    store.commit([{ key: "b", value: bytes("1") }], { durable: true }),
    StoreFault,
  );
  assert.equal(store.get("b"), undefined);
  await store.close();
});

test.skipIf(process.platform === "win32")(
  "a file system that takes no more bytes is a fault, and nothing of the batch is there",
  async () => {
    const path = folder();
    const module = join(root, "store.mjs");
    await buildModule("runtimes/node/store/store.ts", module);
    const { child, line } = await runUntilLine(
      `
      import { openLevelStore } from ${JSON.stringify(module)};
      const store = await openLevelStore(${JSON.stringify(path)}, { create: true });
      await store.commit([{ key: "a", value: new Uint8Array(1000) }], { durable: true });
      const big = ["b", "c"].map((key) => ({ key, value: new Uint8Array(300_000).fill(1) }));
      const first = await store.commit(big, { durable: true }).catch((fault) => fault);
      const small = [{ key: "d", value: new Uint8Array(1) }];
      const second = await store.commit(small, { durable: true }).catch((fault) => fault);
      console.log(JSON.stringify([first?.kind, second?.kind, store.get("a")?.length]));
      setInterval(() => {}, 1000);
      `,
      { fileSizeKib: 400 },
    );
    await killAtOnce(child);
    assert.equal(line, '["io","io",1000]');
    const store = await openLevelStore(path, { create: false });
    assert.equal(store.get("a")?.length, 1_000);
    for (const key of ["b", "c", "d"]) assert.equal(store.get(key), undefined);
    await store.close();
  },
);

test("a durable commit without changes writes a record, with which the log is synced", async () => {
  const path = folder();
  const store = await openLevelStore(path, { create: true });
  await store.commit([{ key: "a", value: bytes("1") }], { durable: false });
  const logBytes = () => {
    const logs = readdirSync(path).filter((name) => name.endsWith(".log"));
    return logs.reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
  };
  const before = logBytes();
  await store.commit([], { durable: true });
  // LevelDB syncs its log behind a record of a batch, and only there.
  assert.ok(logBytes() > before);
  assert.deepEqual((await store.range("", "\xff", 9)).length, 1);
  await store.close();
});

test("threads of one process share the database, and one that dies leaves it usable", async () => {
  const path = folder();
  const store = await openLevelStore(path, { create: true });
  await store.commit([{ key: "main", value: bytes("1") }], { durable: true });
  const script = `
    const { parentPort } = require("node:worker_threads");
    const { crc32 } = require("node:zlib");
    const { ClassicLevel } = require("classic-level");
    const views = { keyEncoding: "view", valueEncoding: "view" };
    const options = { ...views, multithreading: true, cacheSize: 0 };
    const level = new ClassicLevel(${JSON.stringify(path)}, options);
    level.open().then(async () => {
      const seen = Buffer.from(level.getSync(Buffer.from("main"))).subarray(0, -4).toString();
      const sealed = Buffer.from("2....");
      sealed.writeUint32LE(crc32("worker2"), 1);
      await level.batch().put(Buffer.from("worker"), sealed).write({ sync: true });
      parentPort.postMessage(seen);
      parentPort.on("message", () => { throw new Error("dies with the database open"); });
    });
  `;
  const worker = new Worker(script, { eval: true });
  const seen = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  assert.equal(seen, "1");
  assert.equal(text(store.get("worker")), "2");
  const gone = new Promise((resolve) => worker.once("exit", resolve));
  worker.once("error", () => {});
  worker.postMessage("die");
  await gone;
  await store.commit([{ key: "after", value: bytes("3") }], { durable: true });
  const filler = Array.from({ length: 3_000 }, (_, at) => ({
    key: `f${at}`,
    value: new Uint8Array(4_000),
  }));
  await store.commit(filler, { durable: true });
  assert.equal(text(store.get("after")), "3");
  assert.equal((await store.range("f", "g", 10_000)).length, 3_000);
  await store.close();
});
