/**
 * What a leader takes from the pool for its next block. Source: txpool 4; pbft 16.3.8
 *
 * Senders take turns, each with its transactions in order of arrival; a sender of whom a
 * transaction was written takes its next turn last. A transaction that is marked heavy is left out
 * of ordinary blocks and packed alone. So that neither kind starves the other, lone blocks and
 * ordinary blocks take turns while both kinds are pending: after the n-th lone attempt at a
 * transaction, 2^(n-1) ordinary proposals of this node come first, at most 64; and one block after
 * every lone one, no matter who packed it, unless it fails too often. A heavy transaction that
 * commits alone thus costs the others one block; one that keeps failing costs them ever less. Heavy
 * ones take their turns in the order in which they were marked; one that was tried n times comes
 * behind those of 2^(n-1) further lone attempts, at most 64: neither does one that fails keep out
 * the others, nor do ever new ones keep out one that was tried.
 */
import { type Hash, ZERO_HASH } from "../bytes/ids.ts";
import type { SignedTransaction } from "../model/transaction.ts";
import {
  BLOCK_BYTES_LIMIT,
  CLEANUP_LIMIT,
  HEAVY_LIMIT,
  HEAVY_REST_LIMIT,
  LIGHT_TRIES,
  TRAVELLED_BYTES_PER_MS,
  TRAVELLING_FROM_BYTES,
} from "./limits.ts";
import { isNonceUsed } from "./nonce-window.ts";
import { drop, isOver, type PoolEntry, type TxPool } from "./state.ts";

interface PackRequest {
  /** Most transactions wanted, from the sealing decision. */
  readonly limit: number;
  readonly head: number;
  /** Time of a steady clock, as of the import. */
  readonly now: number;
  /** Raw bytes; {@link BLOCK_BYTES_LIMIT} when absent. */
  readonly bytes?: number | undefined;
}

/** The content of a proposal. */
export interface Packed {
  /** Order of the turns; empty when nothing is packable. */
  readonly transactions: readonly SignedTransaction[];
  /** When the first of those that still travel may be packed. */
  readonly arrivesAt?: number | undefined;
}

interface Walk {
  readonly ordinary: SignedTransaction[];
  heavy: PoolEntry | undefined;
  readonly stale: PoolEntry[];
  /** Raw bytes of `ordinary`. */
  bytes: number;
  arrivesAt: number;
}

/** When the others can have it. */
function arrivalOf({ transaction, importedMs }: PoolEntry): number {
  const { length } = transaction.raw;
  return length < TRAVELLING_FROM_BYTES ? 0 : importedMs + length / TRAVELLED_BYTES_PER_MS;
}

/** Whose turn it is of two heavy entries; that of the older one when they are equal. */
function preferred(pool: TxPool, best: PoolEntry | undefined, entry: PoolEntry): PoolEntry {
  if (best === undefined) return entry;
  const dueOf = ({ transaction }: PoolEntry) => pool.heavy.get(transaction.hash)?.due ?? 0;
  return dueOf(entry) < dueOf(best) ? entry : best;
}

/**
 * Whether the nonce of an entry is in the chain's window. When it leaves, the entry has passed its
 * block limit and is dropped for that. Source: txpool 4
 */
function isStillSpent(pool: TxPool, entry: PoolEntry, head: number): boolean {
  if (!entry.spent) return false;
  return entry.blockLimit > head || isNonceUsed(pool.window, entry.transaction.nonce);
}

/** Examines one entry; false when the block is full. */
function visit(pool: TxPool, request: PackRequest, walk: Walk, entry: PoolEntry): boolean {
  const { limit, bytes = BLOCK_BYTES_LIMIT } = request;
  if (walk.ordinary.length >= limit) return false;
  if (isStillSpent(pool, entry, request.head)) return true;
  if (isOver(pool, entry, request)) {
    if (walk.stale.length < CLEANUP_LIMIT) walk.stale.push(entry);
    return true;
  }
  const { transaction } = entry;
  const arrival = arrivalOf(entry);
  if (arrival > request.now) {
    walk.arrivesAt = Math.min(walk.arrivesAt, arrival);
    return true;
  }
  if (pool.heavy.size > 0 && pool.heavy.has(transaction.hash)) {
    walk.heavy = preferred(pool, walk.heavy, entry);
    return true;
  }
  walk.bytes += transaction.raw.length;
  if (walk.bytes > bytes && walk.ordinary.length > 0) return false;
  walk.ordinary.push(transaction);
  return true;
}

/** The oldest entry of each sender, then the next of each, and so on, until the block is full. */
function walkSenders(pool: TxPool, request: PackRequest, walk: Walk): void {
  let waiting: PoolEntry[] = [];
  for (const { first } of pool.senders.values()) {
    if (!visit(pool, request, walk, first)) return;
    if (first.nextOfSender !== undefined) waiting.push(first.nextOfSender);
  }
  while (waiting.length > 0) {
    const later: PoolEntry[] = [];
    for (const entry of waiting) {
      if (!visit(pool, request, walk, entry)) return;
      if (entry.nextOfSender !== undefined) later.push(entry.nextOfSender);
    }
    waiting = later;
  }
}

function walkQueue(pool: TxPool, request: PackRequest): Walk {
  const arrivesAt = Number.POSITIVE_INFINITY;
  const walk: Walk = { ordinary: [], heavy: undefined, stale: [], bytes: 0, arrivesAt };
  if (pool.senders.size > 1) {
    walkSenders(pool, request, walk);
    return walk;
  }
  let entry = pool.first;
  while (entry !== undefined && visit(pool, request, walk, entry)) entry = entry.next;
  return walk;
}

/** Counts a lone attempt and orders the pause after it. */
function noteAttempt(pool: TxPool, hash: Hash): void {
  const attempts = (pool.heavy.get(hash)?.attempts ?? 0) + 1;
  pool.restsDue = Math.min(HEAVY_REST_LIMIT, 2 ** (attempts - 1));
  pool.heavy.set(hash, { attempts, due: ++pool.loneAttempts + pool.restsDue });
}

/**
 * The transactions of the next proposal. They stay pending until a block with them is written.
 * What can no longer be packed is removed on the way, a bounded number of entries per call.
 *
 * Source: txpool 4, 6
 */
export function pack(pool: TxPool, request: PackRequest): Packed {
  if (request.limit <= 0) return { transactions: [] };
  const { ordinary, heavy, stale, arrivesAt } = walkQueue(pool, request);
  for (const entry of stale) drop(pool, entry, request.head);
  const isHeavyTurn = pool.restsDue === 0 && pool.lightTries === 0;
  if (heavy !== undefined && (isHeavyTurn || ordinary.length === 0)) {
    noteAttempt(pool, heavy.transaction.hash);
    return { transactions: [heavy.transaction] };
  }
  if (ordinary.length > 0) {
    if (pool.lightTries > 0) pool.lightTries--;
    if (pool.restsDue > 0) pool.restsDue--;
  }
  return { transactions: ordinary, arrivesAt };
}

/** The next block is an ordinary one, if that does not fail too often. Source: decision 33 */
export function giveLightTurn(pool: TxPool): void {
  pool.lightTries = LIGHT_TRIES;
}

/** The senders of all but the last of a proposal take their next turns behind all others. */
export function sendBack(pool: TxPool, proposal: readonly Hash[]): void {
  const last = pool.byHash.get(proposal.at(-1) ?? ZERO_HASH)?.transaction.from;
  for (const hash of proposal) {
    const from = pool.byHash.get(hash)?.transaction.from;
    const queue = from === undefined ? undefined : pool.senders.get(from);
    if (from === undefined || from === last || !queue) continue;
    pool.senders.delete(from);
    pool.senders.set(from, queue);
  }
}

/** Marks transactions to be packed alone, pending or not. Source: pbft 16.3.8 */
export function markHeavy(pool: TxPool, hashes: Iterable<Hash>): void {
  for (const hash of hashes) {
    if (pool.heavy.has(hash)) continue;
    for (const oldest of pool.heavy.keys()) {
      if (pool.heavy.size < HEAVY_LIMIT) break;
      pool.heavy.delete(oldest);
    }
    pool.heavy.set(hash, { attempts: 0, due: pool.loneAttempts });
    pool.heavyFound++;
  }
}
