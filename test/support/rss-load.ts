/**
 * Drives a chain with many transactions, then with many small blocks, and watches the memory of its
 * process.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { ask, type DevProcess, freePort, request, sleep, startDevProcess } from "./dev-process.ts";
import { createSender } from "./sender.ts";

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
 * Caches with a bound per block are full after so many blocks.
 * Source: txpool 3.2 (block limit window)
 */
const SETTLED_BLOCKS = 1_100;
const LANES = 16;
const BATCH_PENDING = 5_000;
const KIB = 1_024;
const REPORT_EVERY = 10_000;
const SAMPLES = 20;
/** Transactions between two samples of the memory. */
const SAMPLE_EVERY = 200;
/** Transactions of a small block. */
const SMALL_BLOCK = 10;
const LOOK_MS = 5;

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / KIB;
}

async function numberOf(url: string, method: string): Promise<number> {
  return Number(await request(url, method, [1]));
}

/** Sends as fast as the pool takes it. */
async function flood(chain: DevProcess, options: RssOptions, note: () => Promise<number>) {
  const { suite, transactions, say } = options;
  const sign = createSender(suite);
  const [url = ""] = chain.urls;
  let head = await numberOf(url, "getBlockNumber");
  let sent = 0;
  const lane = async (): Promise<void> => {
    while (sent < transactions) {
      const at = sent++;
      if (at % REPORT_EVERY === 0) say(`${at} transactions: ${(await note()).toFixed(0)} MiB`);
      if (at % 100 === 0) {
        head = await numberOf(url, "getBlockNumber");
        while ((await numberOf(url, "getPendingTxSize")) > BATCH_PENDING) await sleep(50);
      }
      const { error } = await ask(chain.urls[at % chain.urls.length] ?? "", "sendRawTransaction", [
        1,
        sign({ head }).raw,
      ]);
      assert.equal(error, undefined);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  while ((await numberOf(url, "getPendingTxSize")) > 0) await sleep(100);
}

/** A few transactions after each block, so that blocks are many and small. */
async function trickle(chain: DevProcess, options: RssOptions, note: () => Promise<number>) {
  const { suite, blocks, say } = options;
  const sign = createSender(suite);
  const [url = ""] = chain.urls;
  const first = await numberOf(url, "getBlockNumber");
  let head = first;
  const samples: Sample[] = [];
  let sent = 0;
  while (head < first + blocks) {
    const few = Array.from({ length: SMALL_BLOCK }, (_, i) => {
      const to = chain.urls[i % chain.urls.length] ?? "";
      return request(to, "sendRawTransaction", [1, sign({ head }).raw]);
    });
    await Promise.all(few);
    sent += few.length;
    const before = head;
    for (; head === before; await sleep(LOOK_MS)) head = await numberOf(url, "getBlockNumber");
    if (head >= first + SETTLED_BLOCKS && sent % SAMPLE_EVERY === 0)
      samples.push({ sent, mib: await note() });
    if (sent % REPORT_EVERY === 0)
      say(`${head - first} small blocks: ${(await note()).toFixed(1)} MiB`);
  }
  const mib = await steady(note);
  assert.ok(samples.length > 10, `more than ${SETTLED_BLOCKS} blocks are needed`);
  return { mib, growthMiB: slopeOf(samples) * 10_000 };
}

/** Memory at a number of transactions sent. */
interface Sample {
  readonly sent: number;
  readonly mib: number;
}

/** The slope of the line through the samples: two single ones would show the collector's mood. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const sentMean = mean(({ sent }) => sent);
  const mibMean = mean(({ mib }) => mib);
  const joint = mean(({ sent, mib }) => (sent - sentMean) * (mib - mibMean));
  return joint / mean(({ sent }) => (sent - sentMean) ** 2);
}

/** The lowest of some samples: what is in use when garbage has just been collected. */
async function steady(note: () => Promise<number>): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < SAMPLES; i++) {
    lowest = Math.min(lowest, await note());
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
    const mib = await residentMiB(chain.pid);
    mostMiB = Math.max(mostMiB, mib);
    return mib;
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
