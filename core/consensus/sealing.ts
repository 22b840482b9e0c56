/**
 * When a leader seals, how much, and what is too heavy to share a block. Pure: time and chain facts
 * are arguments. Source: pbft 4, 5, 16.3.8
 */
import type { Hash } from "../bytes/ids.ts";

/**
 * A leader with nothing to propose lets this pass since the last block or view.
 * Source: pbft 4 (c_intervalBlockTime); raft 3 (block interval)
 */
export const EMPTY_INTERVAL_MS = 1_000;

/** Default of `consensus.block_size_increase_ratio`. Source: groups 7 */
const DEFAULT_INCREASE_RATIO = 0.5;

/** What the decision to seal depends on; only who may propose asks for one. */
export interface SealingInput {
  /** Transactions that a block may take now. */
  readonly packable: number;
  /** Time of the last commit or view change, on the clock of `now`. */
  readonly lastConsensusMs: number;
  /** `consensus.min_block_generation_time` in milliseconds. */
  readonly minBlockMs: number;
  /** From {@link sealLimit}. */
  readonly sealLimit: number;
  readonly now: number;
  /** Raft: no block is empty, and one that is not full comes a second after the last. */
  readonly neverEmpty?: boolean | undefined;
}

/** What to do now. A wait also ends with any change of the input. */
export type SealingDecision =
  | { readonly kind: "wait"; readonly untilMs: number | undefined }
  | { readonly kind: "seal"; readonly limit: number }
  | { readonly kind: "empty" };

/** The pause before a block that is not full: below the empty interval, never negative. */
export function minBlockPause(minBlockMs: number): number {
  return Math.min(Math.max(minBlockMs, 0), EMPTY_INTERVAL_MS - 1);
}

/**
 * Decides whether to seal. Full: at once. Something to seal: after the pause between blocks.
 * Nothing: an empty proposal after one second, which rotates the leader. A seal that finds nothing
 * packable is asked for again with `packable` 0. Source: pbft 4.2-4; txpool 4; raft 3, 7
 */
export function decideSealing(input: SealingInput): SealingDecision {
  const { packable, now, sealLimit: limit, neverEmpty = false } = input;
  if (packable > 0 && packable >= limit) return { kind: "seal", limit };
  // A clock that was set back must not stretch the pause.
  const last = Math.min(input.lastConsensusMs, now);
  if (packable === 0 && neverEmpty) return { kind: "wait", untilMs: undefined };
  const isPaced = packable > 0 && !neverEmpty;
  const pause = isPaced ? minBlockPause(input.minBlockMs) : EMPTY_INTERVAL_MS;
  if (now - last < pause) return { kind: "wait", untilMs: last + pause };
  return packable > 0 ? { kind: "seal", limit } : { kind: "empty" };
}

/** What the size of blocks depends on from outside. */
export interface BlockSizeSettings {
  /** `consensus.enable_dynamic_block_size`; off: always tx_count_limit. */
  readonly dynamic: boolean;
  /** `consensus.block_size_increase_ratio`; outside 0 to 2 the default counts. */
  readonly increaseRatio: number;
  /** tx_count_limit in force for the next block. */
  readonly txCountLimit: number;
}

/** How large blocks may be, learnt from time-outs and commits. Source: pbft 5 */
export interface BlockSize {
  /** `maxCanSeal`: transactions that a proposal takes. */
  readonly limit: number;
  /** Smallest count known to have timed out; undefined before the first. */
  readonly lastTimeoutCount: number | undefined;
  /** Largest count known to commit in time. */
  readonly maxInTimeCount: number;
  /** Time-outs not made good by a commit yet. */
  readonly timeoutCount: number;
}

/** Full blocks until experience says otherwise. */
export function initialBlockSize(txCountLimit: number): BlockSize {
  return { limit: txCountLimit, lastTimeoutCount: undefined, maxInTimeCount: 0, timeoutCount: 0 };
}

/** Transactions that a proposal may take now, at least 1. Source: pbft 5 */
export function sealLimit(size: BlockSize, settings: BlockSizeSettings): number {
  const { dynamic, txCountLimit } = settings;
  return Math.max(1, dynamic ? Math.min(size.limit, txCountLimit) : txCountLimit);
}

/**
 * A view ended while a proposal with transactions was executing or executed. (Execution is
 * cancelled when the view ends, so it need not have finished to have been too slow.) Source: pbft 5
 */
export function blockSizeAfterTimeout(size: BlockSize, transactionCount: number): BlockSize {
  const { limit, lastTimeoutCount: last, maxInTimeCount } = size;
  const isSmallest = last === undefined || transactionCount < last;
  const teaches = transactionCount > maxInTimeCount && isSmallest;
  return {
    limit: limit > 2 ? Math.floor(limit / 2) : limit,
    lastTimeoutCount: teaches ? transactionCount : last,
    maxInTimeCount,
    timeoutCount: size.timeoutCount + 1,
  };
}

/** A time-out count that a commit has disproved: a tenth more, or twice a small one. */
function raisedTimeoutCount(count: number): number {
  return count < 10 ? count * 2 : Math.floor((count * 11) / 10);
}

/** After a commit in the first view while not syncing: others teach nothing. Source: pbft 5 */
export function blockSizeAfterCommit(
  size: BlockSize,
  transactionCount: number,
  settings: BlockSizeSettings,
): BlockSize {
  if (size.timeoutCount > 0) return { ...size, timeoutCount: size.timeoutCount - 1 };
  const { txCountLimit, increaseRatio } = settings;
  const maxInTimeCount = Math.max(size.maxInTimeCount, transactionCount);
  const last = size.lastTimeoutCount;
  const disproved = last !== undefined && last <= maxInTimeCount;
  const lastTimeoutCount = disproved ? raisedTimeoutCount(last) : last;
  const ceiling = Math.min(lastTimeoutCount ?? txCountLimit, txCountLimit);
  let { limit } = size;
  if (limit < ceiling) {
    const ratio = increaseRatio >= 0 && increaseRatio <= 2 ? increaseRatio : DEFAULT_INCREASE_RATIO;
    limit += Math.max(1, Math.floor(limit * ratio));
  }
  limit = Math.max(1, Math.min(Math.max(limit, maxInTimeCount), ceiling));
  return { limit, lastTimeoutCount, maxInTimeCount, timeoutCount: 0 };
}

/** No more than this many times as many transactions are tried at once. */
const MOST_GROWTH = 64;

/**
 * How many transactions a leader takes after an own proposal that would have kept too much, and
 * another of this many that was executed. As many more as would fill half of what a proposal may
 * keep; what leaves room to spare ends the ceiling. One alone says nothing: heavy ones are.
 * @param share what that proposal keeps, as a part of what one may keep
 * @returns undefined for no ceiling any more
 */
export function ceilingAfterExecution(
  ceiling: number | undefined,
  transactions: number,
  share: number,
): number | undefined {
  if (ceiling === undefined) return undefined;
  if (transactions < ceiling) return transactions === 1 ? ceiling : undefined;
  const growth = Math.min(MOST_GROWTH, 0.5 / Math.max(share, Number.MIN_VALUE));
  return Math.max(ceiling, Math.floor(ceiling * growth));
}

/** Transactions remembered as slow; the oldest is forgotten. */
export const SUSPECT_LIMIT = 10_000;

/** Transactions whose last proposal outlived its view, oldest first. Source: pbft 16.3.8 */
export type SlowTransactions = Set<Hash>;

/** A proposal whose execution was still running when its view ended. */
export interface OutlivedProposal {
  readonly hashes: readonly Hash[];
  /** The transaction that was running when execution was cancelled, if the executor said so. */
  readonly running: Hash | undefined;
}

/**
 * Counts a proposal that outlived its view. A transaction is heavy when the last two proposals that
 * held it both did; proposals without it in between change nothing, because leaders whose pools
 * lack it must not reset the count. When the executor names the transaction that was running, only
 * that one is suspected: the others of the block had run or never started. Without a name every
 * transaction of the block is a suspect.
 * @returns the transactions to pack alone from now on
 * Source: pbft 16.3.8
 */
export function noteOutlived(suspects: SlowTransactions, proposal: OutlivedProposal): Hash[] {
  const { hashes, running } = proposal;
  const isNamed = running !== undefined && hashes.includes(running);
  const heavy: Hash[] = [];
  for (const hash of isNamed ? [running] : hashes) {
    if (suspects.has(hash)) heavy.push(hash);
    else suspects.add(hash);
  }
  for (const oldest of suspects) {
    if (suspects.size <= SUSPECT_LIMIT) break;
    suspects.delete(oldest);
  }
  return heavy;
}

/** A proposal was executed within its view, or its block was written: no node in it is slow. */
export function noteExecuted(suspects: SlowTransactions, hashes: Iterable<Hash>): void {
  if (suspects.size === 0) return;
  for (const hash of hashes) suspects.delete(hash);
}
