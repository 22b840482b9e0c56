/** How fast a node downloads the chain: one of a running chain begins anew and catches up. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { request } from "../support/process/dev-process.ts";
import type { ProcessChain } from "../support/process/node-processes.ts";

/** Figures of a download. */
export interface Download {
  readonly blocks: number;
  readonly transactions: number;
  readonly seconds: number;
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
}

const LOOK_MS = 5;
/** Without another block for this long the download has failed. */
const STALL_MS = 60_000;

interface Totals {
  readonly blocks: number;
  readonly transactions: number;
}

async function totals(url: string): Promise<Totals> {
  const answer = await request(url, "getTotalTransactionCount", [1]);
  const { blockNumber, txSum } = answer as { blockNumber: string; txSum: string };
  return { blocks: Number(blockNumber), transactions: Number(txSum) };
}

/** Waits for a height; gives the time at which it was reached. */
async function watch(url: string, height: number): Promise<number> {
  let seen = 0;
  let last = performance.now();
  while (seen < height) {
    const number = Number(await request(url, "getBlockNumber", [1]));
    const now = performance.now();
    if (number > seen) last = now;
    if (now - last > STALL_MS) throw new Error(`the download stays at ${number} of ${height}`);
    seen = number;
    await new Promise((resume) => setTimeout(resume, LOOK_MS));
  }
  return last;
}

/** Wipes the last node and measures from its start, connecting included, to the head. */
export async function measureDownload({ nodes }: ProcessChain): Promise<Download> {
  const [source] = nodes;
  const late = nodes.at(-1);
  if (!source || !late || source === late) throw new Error("a download takes two nodes");
  await late.end("SIGTERM");
  await rm(join(late.folder, "data"), { recursive: true, force: true });
  const { blocks, transactions } = await totals(source.url);
  await late.start();
  const began = performance.now();
  const seconds = ((await watch(late.url, blocks)) - began) / 1_000;
  return {
    blocks,
    transactions,
    seconds,
    blocksPerSecond: blocks / seconds,
    transactionsPerSecond: transactions / seconds,
  };
}
