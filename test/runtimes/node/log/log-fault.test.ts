/** A log whose disk fails in the middle of a line: the cause is told, and no line is lost. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, vi } from "vitest";
import { LogFile } from "../../../../runtimes/node/log/log-file.ts";
import { sleep } from "../../../support/process/dev-process.ts";

/** Handles that are dead after a fault. */
const disk = vi.hoisted(() => ({ fails: false, dead: new Set<number>() }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const refuse = (what: string): never => {
    throw Object.assign(new Error(what), { code: what });
  };
  return {
    ...fs,
    writeSync: (handle: number, bytes: Uint8Array, from: number) => {
      if (disk.dead.has(handle)) return refuse("EIO");
      if (!disk.fails) return fs.writeSync(handle, bytes, from);
      disk.dead.add(handle);
      return fs.writeSync(handle, bytes, from, 2);
    },
    ftruncateSync: (handle: number, size: number) => {
      if (disk.dead.has(handle)) return refuse("EROFS");
      return fs.ftruncateSync(handle, size);
    },
    // Dead handles are kept, so that no new one gets their number.
    closeSync: (handle: number) => {
      if (!disk.dead.has(handle)) fs.closeSync(handle);
    },
  };
});

test("after a fault the file is opened anew, and the first cause is what is told", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-log-fault-"));
  const troubles: unknown[] = [];
  const log = new LogFile({
    folder,
    name: "now.log",
    hourly: false,
    maxBytes: 1_000,
    flushAtOnce: true,
    now: () => 1_700_000_000_000,
    onTrouble: (cause) => troubles.push(cause),
    lostLine: (count) => `lost ${count}\n`,
    archive: {
      folder,
      name: "now.log",
      compress: false,
      maxFiles: 0,
      maxBytes: 0,
      minFreeBytes: 0,
    },
  });
  assert.ok(log.open());
  disk.fails = true;
  log.write("first\n");
  while (troubles.length === 0) await sleep(5);
  disk.fails = false;
  assert.deepEqual(troubles.map(String), ["Error: EIO"]);
  await sleep(1_050);
  log.write("second\n");
  await log.close();
  assert.deepEqual(readdirSync(folder), ["now.log"]);
  const text = readFileSync(join(folder, "now.log"), "utf8");
  // What could not be taken back stays; the size that is counted is the size that is there.
  assert.equal(text, "fifirst\nsecond\n");
  rmSync(folder, { recursive: true });
});
