/** The Compute port on Node: contract, crashes, back-pressure, the shared memo. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { afterAll, beforeAll, test } from "vitest";
import type { Compute, RecoverItem } from "../../../../core/ports/compute.ts";
import type { Log } from "../../../../core/ports/log.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { createWorkerCompute } from "../../../../runtimes/node/threads/compute.ts";
import { createInlineCompute } from "../../../../runtimes/shared/inline-compute.ts";
import { sharedCompute } from "../../../../runtimes/shared/shared-compute.ts";
import { computeContract, signedItems } from "../../../contract/compute.ts";
import { useBuiltWorkers } from "./built-workers.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const suite = await createNodeSuite();
let folder = "";

beforeAll(async () => {
  useBuiltWorkers();
  folder = await mkdtemp(join(tmpdir(), "compute-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

computeContract("the in-place compute", async () => createInlineCompute(STANDARD_SUITE));
computeContract("one compute worker", async () => createWorkerCompute({ suite, workers: 1 }));
computeContract(
  "the shared memo over two workers",
  async () => sharedCompute(createWorkerCompute({ suite, workers: 2 })),
  { remembers: true },
);
// Two workers are behind the memo above.
if (TAKES_ALL_CASES) {
  computeContract("two compute workers", async () => createWorkerCompute({ suite, workers: 2 }));
  computeContract(
    "a shared memo of one entry",
    async () => sharedCompute(createInlineCompute(suite), { limit: 1 }),
    { remembers: true },
  );
}

/** A worker file that ends its thread instead of answering. */
async function dyingWorker(): Promise<URL> {
  const file = join(folder, "dying.mjs");
  const source = 'import { parentPort } from "node:worker_threads";';
  await writeFile(file, `${source}\nparentPort.on("message", () => process.exit(9));\n`);
  return pathToFileURL(file);
}

// Work is done in place also in the two tests below.
inFull("signatures are recovered in place when every worker dies", async () => {
  const compute = createWorkerCompute({ suite, workers: 2, url: await dyingWorker() });
  const { items, keys } = signedItems(50);
  const answers = await compute.recover(items);
  assert.deepEqual(answers.map(hex), keys.map(hex));
  await compute.close();
});

test("a worker that never starts is given up and its work is done in place", async () => {
  const url = pathToFileURL(join(folder, "absent.mjs"));
  const compute = createWorkerCompute({ suite, workers: 1, url });
  const { items, keys } = signedItems(5);
  assert.deepEqual((await compute.recover(items)).map(hex), keys.map(hex));
  for (let rounds = 0; rounds < 3; rounds++) await compute.recover(items);
  assert.equal(compute.aliveWorkers(), 0);
  await compute.close();
});

test("work is done in place where no thread can be made", async () => {
  let attempts = 0;
  const makeWorker = () => {
    attempts += 1;
    throw new RangeError("no thread");
  };
  const told: string[] = [];
  const log: Log = { write: (level, message) => void told.push(`${level} ${message}`) };
  const compute = createWorkerCompute({ suite, workers: 1, makeWorker, log });
  const { items, keys } = signedItems(5);
  for (let rounds = 0; rounds < 3; rounds++)
    assert.deepEqual((await compute.recover(items)).map(hex), keys.map(hex));
  const failed = "error compute worker failed";
  assert.deepEqual(told, [failed, failed, failed, "warning compute worker given up"]);
  assert.deepEqual([attempts, compute.aliveWorkers()], [3, 0]);
  await compute.close();
});

test("a pool that is closed with work in it rejects that work", async () => {
  const compute = createWorkerCompute({ suite, workers: 1 });
  const refused = assert.rejects(compute.recover(signedItems(20).items), /closed/);
  await compute.close();
  await refused;
  await assert.rejects(compute.recover(signedItems(1).items), /closed/);
});

// The native addon aborts the process when its thread is stopped inside it.
test("a thread that recovers signatures is not stopped: it ends after its batch", async () => {
  let stopped = 0;
  class Thread extends Worker {
    override terminate(): Promise<number> {
      stopped += 1;
      return super.terminate();
    }
  }
  const ends: Promise<unknown>[] = [];
  const makeWorker = (url: URL, how: WorkerOptions) => {
    const thread = new Thread(url, how);
    ends.push(once(thread, "exit"));
    return thread;
  };
  const compute = createWorkerCompute({ suite, workers: 1, makeWorker });
  const { items } = signedItems(5);
  await compute.recover(items);
  const refused = assert.rejects(compute.recover(Array(100).fill(items).flat()), /closed/);
  await compute.close();
  await refused;
  await Promise.all(ends);
  assert.deepEqual([ends.length, stopped], [1, 0]);
});

// The same queue with fewer items: the contract of compute workers above.
inFull("the queue stays bounded while callers push more than it holds", async () => {
  const compute = createWorkerCompute({ suite, workers: 2 });
  const { items } = signedItems(1);
  const [item] = items;
  assert.ok(item);
  // Invalid at the first look, so that the queue and not the curve is measured.
  const cheap: RecoverItem = { digest: item.digest, signature: new Uint8Array(65) };
  const batch = Array.from({ length: 8_192 }, () => cheap);
  const jobs = Array.from({ length: 12 }, () => compute.recover(batch));
  await new Promise((resume) => setImmediate(resume));
  // A caller may add one whole batch when there is still room for one item.
  assert.ok(compute.queuedItems() <= 32_768 + 8_192, `${compute.queuedItems()} queued`);
  const answers = await Promise.all(jobs);
  assert.equal(answers.flat().filter(Boolean).length, 0);
  assert.equal(compute.queuedItems(), 0);
  await compute.close();
});

test("callers that share a memo recover each signature once", async () => {
  const memo = sharedCompute(createInlineCompute(suite));
  const { items, keys } = signedItems(30);
  const early = [memo.recover(items), memo.recover(items)];
  const answers = await Promise.all(early);
  assert.deepEqual(memo.counts(), { hits: 0, joined: 30, misses: 30 });
  answers.push(await memo.recover(items));
  assert.deepEqual(memo.counts(), { hits: 30, joined: 30, misses: 30 });
  for (const answer of answers) assert.deepEqual(answer.map(hex), keys.map(hex));
});

test("the memo forgets the least recently used answer at its bound", async () => {
  const memo = sharedCompute(createInlineCompute(suite), { limit: 2 });
  const [a, b, c] = signedItems(3).items;
  assert.ok(a && b && c);
  await memo.recover([a]);
  await memo.recover([b]);
  await memo.recover([a]);
  await memo.recover([c]);
  await memo.recover([a]);
  assert.deepEqual(memo.counts(), { hits: 2, joined: 0, misses: 3 });
  await memo.recover([b]);
  assert.deepEqual(memo.counts(), { hits: 2, joined: 0, misses: 4 });
});

test("a failed batch reaches all who joined it and is not remembered", async () => {
  let failures = 1;
  const failing: Compute = {
    async recover(items) {
      if (failures-- > 0) throw new Error("no engine");
      return items.map(({ digest, signature }) => suite.recover(digest, signature));
    },
    close: async () => {},
  };
  const memo = sharedCompute(failing);
  const { items, keys } = signedItems(2);
  const both = await Promise.allSettled([memo.recover(items), memo.recover(items)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.deepEqual((await memo.recover(items)).map(hex), keys.map(hex));
});

function hex(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString("hex");
}
