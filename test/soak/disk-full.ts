/**
 * A disk that really is full under one of four nodes: its group stops and says why, the others go
 * on, and it comes back once there is space, by startGroup or by a restart.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { ask, request, sleep } from "../support/process/dev-process.ts";
import { initProcessChain, type NodeProcess } from "../support/process/node-processes.ts";
import { createSender } from "../support/sender.ts";
import { numberOption, type Soak } from "./soak.ts";

const ROUNDS = 3;
const DISK_MIB = 64;
/** Left when the disk is filled: the next few hundred blocks do not fit. */
const LEFT_BYTES = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const PATIENCE_MS = 300_000;
const POLL_MS = 100;
/** Bytes of a contract's code: blocks should be large, so that the disk is full soon. */
const CODE_BYTES = 20_000;

interface Status {
  readonly code: string;
  readonly message: string;
  readonly status: string;
}

type Say = (line: string) => void;

const statusOf = async ({ url }: NodeProcess) =>
  (await request(url, "queryGroupStatus", [1])) as Status;
const operate = async ({ url }: NodeProcess, operation: string) =>
  (await request(url, operation, [1])) as Status;

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `in vain: ${what}`);
    await sleep(POLL_MS);
  }
}

/** A file that takes what is free, but for a little. */
function fill(disk: string): string {
  const filler = join(disk, "filler");
  const file = openSync(filler, "w");
  const { bavail, bsize } = statfsSync(disk);
  for (let left = bavail * bsize - LEFT_BYTES; left > 0; left -= CHUNK_BYTES)
    writeSync(file, Buffer.alloc(Math.min(CHUNK_BYTES, left), 7));
  closeSync(file);
  return filler;
}

/** Sends transactions until it is told to stop; each makes a contract with a large code. */
function keepSending(url: string, suite: CryptoSuite) {
  const sign = createSender(suite);
  let isOver = false;
  const sendOne = async () => {
    const head = Number(await request(url, "getBlockNumber", [1]));
    // PUSH2 size, PUSH1 0, RETURN: this many zero bytes become the code.
    const input = Uint8Array.of(0x61, CODE_BYTES >> 8, CODE_BYTES & 0xff, 0x60, 0, 0xf3);
    await ask(url, "sendRawTransaction", [1, sign({ input, head }).raw]);
  };
  const run = async () => {
    while (!isOver) {
      // A connection that was kept may be closed just now: the next one is new.
      await sendOne().catch((cause: unknown) => assert.ok(cause instanceof TypeError));
      await sleep(10);
    }
  };
  const done = run();
  return async () => {
    isOver = true;
    await done;
  };
}

interface Scene {
  readonly nodes: readonly NodeProcess[];
  readonly full: NodeProcess;
  readonly disk: string;
  readonly suite: CryptoSuite;
  readonly say: Say;
}

async function heightOf(node: NodeProcess): Promise<number> {
  return Number(await request(node.url, "getBlockNumber", [1]));
}

/**
 * Fills the disk under load until the group of its node stands still, and checks what is reported.
 */
async function runFull({ nodes, full, disk, suite, say }: Scene): Promise<string> {
  const [first] = nodes;
  assert.ok(first);
  const filler = fill(disk);
  const stop = keepSending(first.url, suite);
  await until("a full disk", async () => (await statusOf(full)).message !== "");
  const { code, message, status } = await statusOf(full);
  say(`the node reports: ${code} ${status}: ${message}`);
  assert.match(message, /its disk is full/);
  assert.equal((await ask(full.url, "getBlockNumber", [1])).error?.code, -32_603);
  assert.ok(await request(full.url, "getClientVersion", []));
  const before = await heightOf(first);
  await until("blocks of the others", async () => (await heightOf(first)) > before + 3);
  await stop();
  return filler;
}

/** The node has the chain of the others, and makes blocks with them. */
async function requireCaughtUp({ nodes, full, suite, say }: Scene): Promise<void> {
  const [first] = nodes;
  assert.ok(first);
  const stop = keepSending(first.url, suite);
  const goal = (await heightOf(first)) + 5;
  await until("catching up", async () => {
    const answers = await Promise.all(nodes.map(({ url }) => ask(url, "getBlockNumber", [1])));
    return answers.every(({ result }) => Number(result ?? 0) >= goal);
  });
  await stop();
  const hashes = await Promise.all(
    nodes.map(({ url }) => request(url, "getBlockHashByNumber", [1, `${goal}`])),
  );
  assert.equal(new Set(hashes).size, 1);
  assert.deepEqual(await statusOf(full), { code: "0x0", message: "", status: "RUNNING" });
  say(`caught up at ${goal}, the same block on all four`);
}

async function round(scene: Scene, index: number): Promise<void> {
  const { full, say } = scene;
  const filler = await runFull(scene);
  if (index % 2 === 0) {
    const early = await operate(full, "startGroup");
    say(`startGroup on the full disk: ${early.code} ${early.message}`);
    rmSync(filler);
    const { code } = await operate(full, "startGroup");
    assert.ok(code === "0x0" || (code === "0x3" && early.code === "0x0"));
    say("space was made: startGroup");
  } else {
    await full.end("SIGTERM");
    await full.start();
    const { message } = await statusOf(full);
    assert.match(message, /its disk is full/);
    const block = (await request(full.url, "getBlockByNumber", [1, "1", false])) as object;
    assert.deepEqual(
      block,
      await request(scene.nodes[0]?.url ?? "", "getBlockByNumber", [1, "1", false]),
    );
    say(`started on the full disk: it gives blocks, and says: ${message}`);
    await full.end("SIGTERM");
    rmSync(filler);
    await full.start();
    say("space was made: the node was started again");
  }
  await requireCaughtUp(scene);
}

async function run(args: readonly string[], say: Say): Promise<void> {
  const rounds = numberOption(args, "rounds", ROUNDS);
  const suite = await createNodeSuite();
  const chain = await initProcessChain({ nodes: 4, pauseMs: 50 });
  const full = chain.nodes[3];
  assert.ok(full);
  const disk = join(full.folder, "data");
  mkdirSync(disk);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MIB}m`, "tmpfs", disk]);
  try {
    assert.equal(mounted.status, 0, "a small disk must be mounted, which needs root");
    await Promise.all(chain.nodes.map((node) => node.start()));
    const scene = { nodes: chain.nodes, full, disk, suite, say };
    for (let index = 0; index < rounds; index++) await round(scene, index);
  } finally {
    await Promise.all(chain.nodes.map((node) => node.end("SIGKILL")));
    spawnSync("umount", ["-l", disk]);
    await chain.close();
  }
}

/** `npm run soak -- disk-full [--rounds N]`. */
export const diskFullSoak: Soak = {
  about: `a disk of ${DISK_MIB} MiB runs full under a node (needs root): [--rounds ${ROUNDS}]`,
  run,
};
