/** Walks a group from its head down: nodes have no list of transactions, blocks have. */
import type { Transaction } from "../../../core/client/rpc-objects.ts";
import type { ChainReads } from "./reads.ts";

/** A transaction that was met. */
export interface Met {
  readonly transaction: Transaction;
  readonly blockNumber: number;
  readonly status: string | undefined;
  /** The contract that it made. */
  readonly created: string | undefined;
}

/** How a walk goes. */
export interface Walk {
  /** The next block that it examines; below 0 it is through. */
  readonly next: number;
  readonly met: readonly Met[];
}

/** What a walk looks for. */
interface WalkOptions {
  readonly wants: (met: Met) => boolean;
  /** Told after each block. */
  readonly onStep?: (walk: Walk) => void;
  readonly signal: AbortSignal;
}

/** It ends with at least this many, or after so many blocks. */
const WANTED = 50;
const MOST_BLOCKS = 1_000;
/** Blocks that are asked for at once. */
const AHEAD = 4;

async function meet(reads: ChainReads, number: number): Promise<Met[]> {
  const block = await reads.block(String(number));
  const { transactions } = block;
  const lines =
    transactions.length > 0 ? await reads.receiptLines(number, 0, transactions.length) : [];
  return transactions
    .map((transaction, index) => {
      const line = lines[index];
      const made = line !== undefined && !/^0x0*$/.test(line.contractAddress);
      return {
        transaction,
        blockNumber: number,
        status: line?.status,
        created: made ? line.contractAddress : undefined,
      };
    })
    .reverse();
}

/** Goes on with a walk; the latest transactions come first. */
export async function walkOn(reads: ChainReads, from: Walk, options: WalkOptions): Promise<Walk> {
  const { wants, onStep, signal } = options;
  const end = Math.max(-1, from.next - MOST_BLOCKS);
  const ahead: Promise<Met[]>[] = [];
  let asked = from.next;
  let walk = from;
  const goal = from.met.length + WANTED;
  while (walk.next > end && walk.met.length < goal && !signal.aborted) {
    while (ahead.length < AHEAD && asked > end) {
      const asking = meet(reads, asked--);
      // A user who stops the walk receives nothing of what was asked ahead.
      asking.catch(() => undefined);
      ahead.push(asking);
    }
    const found = await (ahead.shift() ?? Promise.resolve([]));
    walk = { next: walk.next - 1, met: [...walk.met, ...found.filter(wants)] };
    onStep?.(walk);
  }
  return walk;
}
