/**
 * A full disk stops a group, not its node; the interface says why, and the group goes on once there
 * is space. On a disk of 8 MiB where one can be mounted, and in memory everywhere.
 */
// rules: groups 2
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { createBlockProcessor } from "../../../../core/execution/block-processor.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import type { Store } from "../../../../core/ports/store.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { request, waitForReceipt } from "../../../support/process/dev-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { initProcessChain } from "../../../support/process/node-processes.ts";
import { createSender } from "../../../support/sender.ts";
import { genesisOf, GroupMachine, identityOf } from "../../../support/world/group-machine.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const suite = await createNodeSuite();
const { nodeId: SELF } = identityOf(suite, 0);
const LIMIT_MS = 90_000;
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

/** Stores that take no write of a group while its disk is full. */
function machineWithDisk() {
  const disk = { isFull: false, refused: 0, takes: (_key: string) => false };
  const memories = new Map<number, Store>();
  const storeOf = (groupId: number): Store => {
    const memory = memories.get(groupId) ?? openMemoryStore();
    memories.set(groupId, memory);
    return {
      get: (key) => memory.get(key),
      load: (key) => memory.load(key),
      range: (from, to, limit) => memory.range(from, to, limit),
      commit(writes, how) {
        const isTaken = writes.every(({ key }) => disk.takes(key));
        if (groupId !== 2 || !disk.isFull || isTaken) return memory.commit(writes, how);
        disk.refused++;
        return Promise.reject(new StoreFault("full", "data/group2 cannot be written: it is full"));
      },
      close: async () => undefined,
    };
  };
  const machine = new GroupMachine({
    suite,
    fixed: [genesisOf(1, [SELF])],
    ports: {
      openStore: async (groupId) => storeOf(groupId),
      openExecutor: async (genesis) => {
        const store = storeOf(genesis.groupId);
        return createBlockProcessor({ suite, version: NEWEST_VERSION, genesis, store });
      },
    },
  });
  return { disk, machine };
}

async function statusOf(machine: GroupMachine): Promise<unknown> {
  return (await machine.request("queryGroupStatus", [2]))?.result;
}

const FULL = {
  code: "0x0",
  message: "StoreFault: data/group2 cannot be written: it is full",
  status: "STOPPED",
};

/** Group 2 has a block; then its disk is full, but for some keys, and it stands still. */
async function stoppedByFullDisk(takes = (_key: string) => false) {
  const world = machineWithDisk();
  const { machine, disk } = world;
  disk.takes = takes;
  await machine.start();
  await machine.generate(2);
  assert.equal((await machine.manage("startGroup", 2))[0], "0x0");
  await machine.commitOne(2);
  disk.isFull = true;
  const { hash } = await machine.submitOne(2);
  while (machine.node.api.group(2)) await pause(1);
  while ((await statusOf(machine)) === undefined) await pause(1);
  return { ...world, lost: hash };
}

test("a full disk stops its group alone, and the interface says why", async () => {
  const { machine, disk } = await stoppedByFullDisk();
  await machine.commitOne(1);
  assert.deepEqual(await statusOf(machine), FULL);
  const height = await machine.request("getBlockNumber", [2]);
  assert.equal(height?.error?.code, -32_603);
  assert.equal(height.error.message, `INTERNAL_ERROR: ${FULL.message}`);
  assert.deepEqual(machine.node.api.groupList(), [1]);
  assert.equal(machine.node.api.isReady(), true);
  // Nothing tries again and again while nobody has made space.
  const { refused } = disk;
  await pause(50);
  assert.equal(disk.refused, refused);
  await machine.stop();
});

test("startGroup brings the group back after space was made, and not before", async () => {
  const { machine, disk, lost } = await stoppedByFullDisk();
  // A ledger that is there is opened without a write: the next block fails again.
  await machine.manage("startGroup", 2);
  const again = machine.node.api.group(2) ? machine.submitOne(2) : undefined;
  await again;
  while (machine.node.api.group(2)) await pause(1);
  disk.isFull = false;
  assert.equal((await machine.manage("startGroup", 2))[0], "0x0");
  assert.equal(machine.height(2), 1);
  await machine.commitOne(2);
  assert.equal(await machine.node.api.group(2)?.ledger.receipt(lost), undefined);
  await machine.stop();
});

test("a restart of the node brings the group back after space was made, without more", async () => {
  const { machine, disk } = await stoppedByFullDisk();
  await machine.stop();
  disk.isFull = false;
  await machine.start();
  assert.deepEqual(machine.node.api.groupList(), [1, 2]);
  await machine.commitOne(2);
  assert.deepEqual(await statusOf(machine), { code: "0x0", message: "", status: "RUNNING" });
  await machine.stop();
});

test("a block that does not fit is named with what the disk says", async () => {
  // Votes and bodies still fit; the block that follows from them does not.
  const { machine } = await stoppedByFullDisk((key) => !key.startsWith("n"));
  const why = "data/group2 cannot be written: it is full";
  const message = `StoreFault: block 2 could not be written: ${why}`;
  assert.deepEqual(await statusOf(machine), { ...FULL, message });
  await machine.stop();
});

/** Mounts a small disk in memory; false where none can be mounted. */
function mountDisk(folder: string, megabytes: number): boolean {
  const options = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
  return spawnSync("mount", options).status === 0;
}

/** A small disk in memory; undefined where none can be mounted. */
function smallDisk(megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "chain-disk-"));
  if (mountDisk(folder, megabytes)) return folder;
  rmdirSync(folder);
  return undefined;
}

function removeDisk(folder: string): void {
  // Lazily: what failed may have left a file open.
  spawnSync("umount", ["-l", folder]);
  rmdirSync(folder);
}

test("a store on a full disk says so, keeps what it had, and goes on when there is room", async ({
  skip,
}) => {
  const folder = smallDisk(12);
  if (folder === undefined) return skip("a small disk cannot be mounted here (needs root)");
  const filler = join(folder, "filler");
  const path = join(folder, "ledger");
  try {
    const store = await openLevelStore(path, { create: true });
    const value = (index: number) => new Uint8Array(4_096).fill(index);
    const put = (index: number) =>
      store.commit([{ key: `k${index}`, value: value(index) }], { durable: true });
    await put(0);
    writeFileSync(filler, new Uint8Array(11 * 1024 * 1024));
    let written = 0;
    const fault = await (async () => {
      for (;;) await put(written + 1).then(() => written++);
    })().catch((cause: unknown) => cause);
    assert.ok(fault instanceof StoreFault, String(fault));
    assert.equal(fault.kind, "full");
    assert.match(fault.message, /its disk is full; make space, then start the group or the node$/);
    // No later write may build on one of which nobody knows whether it is there.
    rmSync(filler);
    await assert.rejects(put(9_999), { kind: "full" });
    assert.equal(store.get("k0")?.[0], 0);
    await store.close();
    const again = await openLevelStore(path, { create: false });
    for (let index = 0; index <= written; index++)
      assert.equal(again.get(`k${index}`)?.[0], index % 256);
    await again.commit([{ key: "more", value: value(1) }], { durable: true });
    await again.close();
  } finally {
    removeDisk(folder);
  }
});

/** A file that takes all that is left. */
function fillDisk(disk: string): string {
  const filler = join(disk, "filler");
  for (let bytes = 1024 * 1024; bytes >= 512; bytes >>= 1) {
    const chunk = new Uint8Array(bytes).fill(7);
    try {
      for (;;) appendFileSync(filler, chunk);
    } catch (cause) {
      assert.match(String(cause), /ENOSPC/);
    }
  }
  return filler;
}

// A group on a full disk halts alone, in memory, in the tests above.
inFull(
  "a node whose disk is full starts, gives its blocks, and keeps its folder to itself",
  async ({ skip }) => {
    const chain = await initProcessChain({ nodes: 1, pauseMs: 20 });
    const [node] = chain.nodes;
    assert.ok(node);
    const disk = join(node.folder, "data");
    mkdirSync(disk);
    const isMounted = mountDisk(disk, 16);
    try {
      if (!isMounted) return skip("a small disk cannot be mounted here (needs root)");
      await node.start();
      const send = createSender(suite);
      const sendOne = async (head: number) => {
        const { raw, hash } = send({ head });
        await request(node.url, "sendRawTransaction", [1, raw]);
        await waitForReceipt(node.url, hash, LIMIT_MS);
      };
      await sendOne(0);
      const block = await request(node.url, "getBlockByNumber", [1, "1", true]);
      await node.end("SIGTERM");
      const filler = fillDisk(disk);
      await node.start();
      type Told = { readonly status: string; readonly message: string };
      const { status, message } = (await request(node.url, "queryGroupStatus", [1])) as Told;
      assert.equal(status, "STOPPED");
      assert.match(message, /its disk is full; make space, then start the group or the node$/);
      assert.deepEqual(await request(node.url, "getBlockByNumber", [1, "1", true]), block);
      const { code, stderr } = await runHosted("repair", node.folder);
      assert.equal(code, 1);
      assert.match(stderr, /is in use by another process/);
      rmSync(filler);
      const { code: started } = (await request(node.url, "startGroup", [1])) as { code: string };
      assert.equal(started, "0x0");
      await sendOne(1);
    } finally {
      await node.end("SIGKILL");
      if (isMounted) spawnSync("umount", ["-l", disk]);
      await chain.close();
    }
  },
  { timeout: LIMIT_MS },
);
