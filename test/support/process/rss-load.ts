/**
 * Drives a chain with many transactions, then with many small blocks, and watches the memory of its
 * process.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hexBytes } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { helloWorldBytecode, setCall, textOf } from "../../bench/hello-world.ts";
import { ask, type DevProcess, freePort, request, sleep, startDevProcess } from "./dev-process.ts";
import { slopeOfLowest } from "../runner/lowest-line.ts";
import { createSender } from "../sender.ts";

/** What a run is made with. */
export interface RssOptions {
  readonly suite: CryptoSuite;
  readonly transactions: number;
  /** Blocks of a few transactions each, after the others. */
  readonly blocks: number;
  readonly say: (line: string) => void;
}

/** What a run has seen. */
export interface RssSights {
  readonly transactions: number;
  readonly blocks: number;
  readonly mostMiB: number;
  readonly afterLoadMiB: number;
  readonly atEndMiB: number;
  /** Growth over the small blocks beyond the first ones, per 10,000 transactions. */
  readonly growthMiB: number;
}

const MOST_MIB = 600;
const MOST_GROWTH_MIB = 1;
/**
 * Caches with a bound per block are full after this many blocks.
 * Source: txpool 3.2
 */
const SETTLED_BLOCKS = 1_100;
const LANES = 16;
const BATCH_PENDING = 5_000;
const KIB = 1_024;
const REPORT_EVERY = 5_000;
const SAMPLES = 20;
/** Transactions between two samples of the memory. */
const SAMPLE_EVERY = 200;
/** Transactions of a small block. */
const SMALL_BLOCK = 10;
const LOOK_MS = 5;

/** Memory of a process, in MiB: its own pages, and pages of files that are mapped. */
interface Memory {
  readonly mib: number;
  readonly ownMiB: number;
  readonly fileMiB: number;
}

async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const of = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / KIB;
  return { mib: of("VmRSS"), ownMiB: of("RssAnon"), fileMiB: of("RssFile") };
}

const figures = ({ mib, ownMiB, fileMiB }: Memory) =>
  `${mib.toFixed(1)} MiB, own ${ownMiB.toFixed(1)}, files ${fileMiB.toFixed(1)}`;

async function numberOf(url: string, method: string): Promise<number> {
  return Number(await request(url, method, [1]));
}

type Sign = (head: number) => string;

/** Deploys HelloWorld; what comes back signs one `set()` after the other. */
async function createSigner(chain: DevProcess, suite: CryptoSuite): Promise<Sign> {
  const sign = createSender(suite);
  const [url = ""] = chain.urls;
  const head = await numberOf(url, "getBlockNumber");
  const creation = sign({ input: hexBytes(helloWorldBytecode()), head });
  await request(url, "sendRawTransaction", [1, creation.raw]);
  for (;;) {
    const receipt = await request(url, "getTransactionReceipt", [1, creation.hash]);
    const made = receipt as { readonly contractAddress: string } | null;
    let sent = 0;
    if (made === null) await sleep(LOOK_MS);
    else {
      const to = made.contractAddress;
      return (at) => sign({ to, input: hexBytes(setCall(textOf(sent++))), head: at }).raw;
    }
  }
}

/** Sends as fast as the pool takes it. */
async function flood(chain: DevProcess, options: RssOptions, note: () => Promise<Memory>) {
  const { suite, transactions, say } = options;
  const sign = await createSigner(chain, suite);
  const [url = ""] = chain.urls;
  let head = await numberOf(url, "getBlockNumber");
  let sent = 0;
  const lane = async (): Promise<void> => {
    while (sent < transactions) {
      const at = sent++;
      if (at % REPORT_EVERY === 0) say(`${at} transactions: ${figures(await note())}`);
      if (at % 100 === 0) {
        head = await numberOf(url, "getBlockNumber");
        while ((await numberOf(url, "getPendingTxSize")) > BATCH_PENDING) await sleep(50);
      }
      const { error } = await ask(chain.urls[at % chain.urls.length] ?? "", "sendRawTransaction", [
        1,
        sign(head),
      ]);
      assert.equal(error, undefined);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  while ((await numberOf(url, "getPendingTxSize")) > 0) await sleep(100);
}

/** A few transactions after each block, so that blocks are many and small. */
async function trickle(chain: DevProcess, options: RssOptions, note: () => Promise<Memory>) {
  const { suite, blocks, say } = options;
  const sign = await createSigner(chain, suite);
  const [url = ""] = chain.urls;
  const first = await numberOf(url, "getBlockNumber");
  let head = first;
  const samples: Sample[] = [];
  let sent = 0;
  while (head < first + blocks) {
    const few = Array.from({ length: SMALL_BLOCK }, (_, i) => {
      const to = chain.urls[i % chain.urls.length] ?? "";
      return request(to, "sendRawTransaction", [1, sign(head)]);
    });
    await Promise.all(few);
    sent += few.length;
    const before = head;
    for (; head === before; await sleep(LOOK_MS)) head = await numberOf(url, "getBlockNumber");
    if (head >= first + SETTLED_BLOCKS && sent % SAMPLE_EVERY === 0)
      samples.push({ sent, ...(await note()) });
    if (sent % REPORT_EVERY === 0) say(`${head - first} small blocks: ${figures(await note())}`);
  }
  const mib = await steady(note);
  assert.ok(sent > 4 * WINDOW + SETTLED_BLOCKS * SMALL_BLOCK, "more blocks are needed");
  const slope = (of: (sample: Sample) => number) => {
    const points = samples.map((at) => ({ x: at.sent, y: of(at) }));
    return slopeOfLowest(points, WINDOW) * 10_000;
  };
  const growthMiB = slope((sample) => sample.mib);
  say(`own ${slope((at) => at.ownMiB).toFixed(2)}, files ${slope((at) => at.fileMiB).toFixed(2)}`);
  return { mib, growthMiB };
}

/** Memory at a number of transactions sent. */
interface Sample extends Memory {
  readonly sent: number;
}

/** Transactions of a window: long enough for each collector and for LevelDB to have cleaned up. */
const WINDOW = 5_000;

/** The lowest of some samples: what is in use when garbage has just been collected. */
async function steady(note: () => Promise<Memory>): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < SAMPLES; i++) {
    lowest = Math.min(lowest, (await note()).mib);
    await sleep(250);
  }
  return lowest;
}

/** Runs it; throws when a bound is passed. */
export async function runRss(options: RssOptions): Promise<RssSights> {
  const data = await mkdtemp(join(tmpdir(), "chain-rss-"));
  const args = ["--block-time", "20"];
  const chain = await startDevProcess({ data, port: await freePort(), args });
  let mostMiB = 0;
  const note = async () => {
    const memory = await memoryOf(chain.pid);
    mostMiB = Math.max(mostMiB, memory.mib);
    return memory;
  };
  try {
    await flood(chain, options, note);
    const afterLoadMiB = await steady(note);
    options.say(`after the load: ${afterLoadMiB.toFixed(0)} MiB`);
    const { mib: atEndMiB, growthMiB } = await trickle(chain, options, note);
    const { transactions, blocks } = options;
    const sights = { transactions, blocks, mostMiB, afterLoadMiB, atEndMiB, growthMiB };
    options.say(JSON.stringify(sights));
    assert.ok(mostMiB < MOST_MIB, `${mostMiB.toFixed(0)} MiB resident`);
    assert.ok(growthMiB < MOST_GROWTH_MIB, `${growthMiB.toFixed(2)} MiB per 10,000 transactions`);
    return sights;
  } finally {
    await chain.end("SIGKILL");
    await rm(data, { recursive: true, force: true });
  }
}
