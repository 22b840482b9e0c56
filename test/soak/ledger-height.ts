/**
 * What a block costs when the ledger is long: one process produces small blocks at full speed, is
 * started again at that height, and another node downloads them all.
 */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { hexBytes } from "../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { setCall, textOf } from "../bench/hello-world.ts";
import { ask, type Program, request, sleep, startProgram } from "../support/process/dev-process.ts";
import { createSender } from "../support/sender.ts";
import {
  type LongChain,
  openLongChain,
  processFigures,
  registerObserver,
  seedContract,
} from "./long-chain.ts";
import { numberOption, type Soak, textOption } from "./soak.ts";

const HEIGHT = 100_000;
/** Blocks of a window over which a cost is given. */
const WINDOW = 1_000;
/** How much dearer the last blocks may be than the first ones, noise of the machine included. */
const MOST_GROWTH = 1.25;
const LANES = 4;
/** Transactions that wait at most: far fewer than a block limit allows for. */
const MOST_PENDING = 200;
/** Transactions of a lane between two examines the chain. */
const LOOK_EVERY = 20;
const SAMPLE_MS = 200;
const MIB = 1_048_576;
/** Without another block for this long the chain or the download stands still. */
const STALL_MS = 60_000;

/** What the process had used at a height. */
interface Sample {
  readonly height: number;
  readonly cpuSeconds: number;
  readonly atMs: number;
}

/** A run of blocks and its cost. */
export interface WindowCost {
  readonly from: number;
  readonly blocks: number;
  readonly cpuMsPerBlock: number;
  readonly blocksPerSecond: number;
}

/** The cost of the blocks between two heights, from the samples next to them. */
export function windowCost(
  samples: readonly Sample[],
  from: number,
  to: number,
): WindowCost | undefined {
  const first = samples.find(({ height }) => height >= from);
  const last = samples.findLast(({ height }) => height <= to);
  if (!first || !last || last.height <= first.height) return undefined;
  const blocks = last.height - first.height;
  return {
    from: first.height,
    blocks,
    cpuMsPerBlock: ((last.cpuSeconds - first.cpuSeconds) * 1_000) / blocks,
    blocksPerSecond: (blocks * 1_000) / (last.atMs - first.atMs),
  };
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  let total = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    // A table may be merged away while it is examined.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    total += found?.size ?? 0;
  }
  return total;
}

async function heightOf(url: string): Promise<number> {
  return Number(await request(url, "getBlockNumber", [1]));
}

/** Watches a node until it stands at a height; fails when nothing moves. */
async function watch(
  look: () => Promise<number>,
  to: number,
  note: (height: number) => Promise<void>,
): Promise<void> {
  let seen = await look();
  let lastMs = performance.now();
  await note(seen);
  while (seen < to) {
    await sleep(SAMPLE_MS);
    const height = await look();
    if (height > seen) lastMs = performance.now();
    assert.ok(performance.now() - lastMs < STALL_MS, `it stands at ${height} of ${to}`);
    seen = height;
    await note(height);
  }
}

/** Keeps the pool from running dry; every block takes one transaction. */
async function flood(url: string, suite: CryptoSuite, contract: string, done: () => boolean) {
  const sign = createSender(suite);
  let sent = 0;
  const lane = async () => {
    let head = await heightOf(url);
    while (!done()) {
      if (sent++ % LOOK_EVERY === 0) {
        head = await heightOf(url);
        while (!done() && Number(await request(url, "getPendingTxSize", [1])) > MOST_PENDING)
          await sleep(10);
      }
      const input = hexBytes(setCall(textOf(sent)));
      const { raw } = sign({ to: contract, input, head });
      await request(url, "sendRawTransaction", [1, raw]);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

interface Growth {
  readonly samples: readonly Sample[];
  readonly bytesPerBlock: number;
}

/** Produces blocks up to a height. */
async function grow(
  chain: LongChain,
  program: Program,
  options: { readonly suite: CryptoSuite; readonly height: number; readonly say: Say },
): Promise<Growth> {
  const { suite, height, say } = options;
  const { url } = chain.producer;
  const contract = await seedContract(url, suite);
  const first = await heightOf(url);
  const bytesBefore = await bytesBelow(chain.producer.data);
  const samples: Sample[] = [];
  let reported = first;
  let isDone = false;
  const note = async (at: number) => {
    const { cpuSeconds, rssMiB } = await processFigures(program.pid);
    samples.push({ height: at, cpuSeconds, atMs: performance.now() });
    if (at - reported < 10 * WINDOW) return;
    reported = at;
    const cost = windowCost(samples, at - WINDOW, at);
    const disk = (await bytesBelow(chain.producer.data)) / MIB;
    say(`${at} blocks: ${figures(cost)}, ${rssMiB.toFixed(0)} MiB, ${disk.toFixed(0)} MiB on disk`);
  };
  const lanes = flood(url, suite, contract, () => isDone);
  try {
    const look = () => heightOf(url);
    await Promise.race([watch(look, height, note), lanes]);
  } finally {
    isDone = true;
  }
  await lanes;
  const last = samples.at(-1)?.height ?? first;
  const bytes = (await bytesBelow(chain.producer.data)) - bytesBefore;
  return { samples, bytesPerBlock: bytes / Math.max(1, last - first) };
}

type Say = (line: string) => void;

function figures(cost: WindowCost | undefined): string {
  if (!cost) return "no figures";
  const { cpuMsPerBlock, blocksPerSecond } = cost;
  return `${cpuMsPerBlock.toFixed(2)} ms CPU a block, ${blocksPerSecond.toFixed(0)} blocks/s`;
}

/** Starts a program and says how long it took until it was ready. */
async function timedStart(config: string, what: string, say: Say): Promise<Program> {
  const began = performance.now();
  const program = await startProgram(["start", "-c", config, "--json", "--log-level", "error"]);
  say(`${what}: ready after ${((performance.now() - began) / 1_000).toFixed(2)} s`);
  return program;
}

/** A node with an empty ledger fetches everything. */
async function download(chain: LongChain, say: Say): Promise<number> {
  await rm(chain.observer.data, { recursive: true, force: true });
  const source = chain.producer.url;
  const height = Number(await request(source, "getBlockNumber", [1]));
  const program = await timedStart(chain.observer.config, "the second node", say);
  const { url } = chain.observer;
  try {
    const began = performance.now();
    let reported = 0;
    // Until it has read that it is an observer, the node answers that it is no member.
    const look = async () => Number((await ask(url, "getBlockNumber", [1])).result ?? 0);
    await watch(look, height, async (at) => {
      if (at - reported < 10 * WINDOW) return;
      reported = at;
      const rate = (at * 1_000) / (performance.now() - began);
      say(`downloaded ${at} blocks: ${rate.toFixed(0)} blocks/s`);
    });
    const rate = (height * 1_000) / (performance.now() - began);
    const hash = await request(url, "getBlockHashByNumber", [1, `${height}`]);
    assert.equal(hash, await request(source, "getBlockHashByNumber", [1, `${height}`]));
    const { cpuSeconds } = await processFigures(program.pid);
    const cost = (cpuSeconds * 1_000) / height;
    say(
      `download: ${height} blocks at ${rate.toFixed(0)} blocks/s, ${cost.toFixed(2)} ms CPU each`,
    );
    return rate;
  } finally {
    await program.end("SIGTERM");
  }
}

function judge({ samples, bytesPerBlock }: Growth, height: number, say: Say): void {
  const early = windowCost(samples, WINDOW, 2 * WINDOW);
  const late = windowCost(samples, height - WINDOW, height);
  say(`blocks ${WINDOW} to ${2 * WINDOW}: ${figures(early)}`);
  say(`blocks ${height - WINDOW} to ${height}: ${figures(late)}`);
  say(`${bytesPerBlock.toFixed(0)} bytes on disk a block`);
  if (!early || !late) return;
  const ratio = late.cpuMsPerBlock / early.cpuMsPerBlock;
  say(`late over early: ${ratio.toFixed(2)}`);
  assert.ok(
    ratio < MOST_GROWTH,
    `a block at ${height} costs ${ratio.toFixed(2)} times an early one`,
  );
}

async function run(args: readonly string[], say: Say): Promise<void> {
  const height = numberOption(args, "height", HEIGHT);
  const kept = textOption(args, "folder");
  const folder =
    kept === undefined ? await mkdtemp(join(tmpdir(), "chain-height-")) : resolve(kept);
  const suite = await createNodeSuite();
  const chain = await openLongChain(folder);
  let program = await timedStart(chain.producer.config, "at the beginning", say);
  try {
    await registerObserver(chain, suite);
    const growth = await grow(chain, program, { suite, height, say });
    await program.end("SIGTERM");
    program = await timedStart(chain.producer.config, `at height ${height}`, say);
    judge(growth, height, say);
    await download(chain, say);
  } finally {
    await program.end("SIGTERM");
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** `npm run soak -- ledger-height [--height N] [--folder DIR]`; a folder is kept and continued. */
export const ledgerHeightSoak: Soak = {
  about: `cost of a block and of a download: [--height ${HEIGHT}] [--folder DIR], kept if given`,
  run,
};
