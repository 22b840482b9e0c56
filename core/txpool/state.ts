/** The state of a pool and the moves that keep its indexes in step. Source: txpool 2 */
import type { Address, Hash, NodeId } from "../bytes/ids.ts";
import { dataBytesOf, type SignedTransaction } from "../model/transaction.ts";
import type { PoolLimits } from "./limits.ts";
import { addNonce, createNonceIndex, type NonceIndex, removeNonce } from "./nonce-index.ts";
import type { NonceWindow } from "./nonce-window.ts";

/** A pending transaction. Only this folder changes the fields that are not readonly. */
export interface PoolEntry {
  readonly transaction: SignedTransaction;
  /** Block limit as a number: admission bounds it by head + 1000. */
  readonly blockLimit: number;
  /** Time of a steady clock. */
  readonly importedMs: number;
  /** What counts against the memory limit. */
  readonly sizeBytes: number;
  /** Came through this node's RPC: this node pushes it. */
  readonly fromRpc: boolean;
  /** Its nonce in `pendingNonces`. */
  readonly nonceId: number;
  /** Peers that have it as far as this node knows; shared between entries, replaced on change. */
  knownBy: readonly NodeId[];
  /** Waits to be pushed to peers: listed in the outbox. */
  isUnsynced: boolean;
  /** Another transaction with this nonce is on the chain: never packable again. */
  spent: boolean;
  previous: PoolEntry | undefined;
  next: PoolEntry | undefined;
  /** Neighbours among the entries of the same sender, in order of arrival. */
  previousOfSender: PoolEntry | undefined;
  nextOfSender: PoolEntry | undefined;
}

/** The pending entries of one sender, in order of arrival; never empty. */
interface SenderQueue {
  first: PoolEntry;
  last: PoolEntry;
}

/** What is known of a transaction that is packed alone. */
interface HeavyMark {
  readonly attempts: number;
  /** Its turn comes when this many lone attempts were made at any of them. */
  readonly due: number;
}

/** One pool per group. All functions of this folder change it in place. */
export interface TxPool {
  limits: PoolLimits;
  /** `chainNonces`. */
  readonly window: NonceWindow;
  /** `queue`: a list in order of arrival, which is the order of import time; index by hash. */
  readonly byHash: Map<Hash, PoolEntry>;
  first: PoolEntry | undefined;
  last: PoolEntry | undefined;
  /** Senders with pending entries, in the order of their turns: who was served goes last. */
  readonly senders: Map<Address, SenderQueue>;
  /** `pendingNonces`, and the entry of each id. */
  readonly pendingNonces: NonceIndex;
  readonly byNonceId: (PoolEntry | undefined)[];
  memoryBytes: number;
  spentCount: number;
  /**
   * Transactions to push to peers, in queue order; those that are done with stay until they are
   * passed over or make up more than half.
   */
  outbox: PoolEntry[];
  /** How many of the outbox still wait. */
  unsyncedCount: number;
  /** Dropped hashes and their block limits, oldest first; the same by block limit. */
  readonly dropped: Map<Hash, number>;
  readonly droppedByLimit: Map<number, Set<Hash>>;
  /** Hashes imported since it was last cleared: spares recovering a sender twice. */
  readonly hashFilter: Set<Hash>;
  /** Hashes to pack alone; oldest mark first. */
  readonly heavy: Map<Hash, HeavyMark>;
  /** Lone attempts so far. */
  loneAttempts: number;
  /** Marks made so far. */
  heavyFound: number;
  /** Ordinary proposals due before the next lone one. */
  restsDue: number;
  /** Ordinary proposals before the next lone one, until there is an ordinary block. */
  lightTries: number;
  /** Import time of the last one that was announced; before all time when they begin anew. */
  announcedMs: number;
  /** Where the next clean-up pass goes on. */
  sweep: PoolEntry | undefined;
}

/** An empty pool over a nonce window that stands at the group's head. */
export function createPool(limits: PoolLimits, window: NonceWindow): TxPool {
  return {
    limits,
    window,
    byHash: new Map(),
    first: undefined,
    last: undefined,
    senders: new Map(),
    pendingNonces: createNonceIndex(window.index.seed),
    byNonceId: [],
    memoryBytes: 0,
    spentCount: 0,
    outbox: [],
    unsyncedCount: 0,
    dropped: new Map(),
    droppedByLimit: new Map(),
    hashFilter: new Set(),
    heavy: new Map(),
    loneAttempts: 0,
    heavyFound: 0,
    restsDue: 0,
    lightTries: 0,
    announcedMs: Number.NEGATIVE_INFINITY,
    sweep: undefined,
  };
}

/** The memory that counts for a transaction. Source: txpool 1 */
export function sizeOf(
  transaction: Pick<SignedTransaction, "input" | "raw" | "extraData">,
): number {
  return transaction.raw.length + dataBytesOf(transaction);
}

/** Done-with entries that the outbox may hold besides as many as still wait. */
const OUTBOX_SLACK = 1_000;

/** Puts an entry at the end of the outbox, unless it waits there. */
export function markUnsynced(pool: TxPool, entry: PoolEntry): void {
  if (entry.isUnsynced) return;
  entry.isUnsynced = true;
  pool.outbox.push(entry);
  pool.unsyncedCount++;
  if (pool.outbox.length > 2 * pool.unsyncedCount + OUTBOX_SLACK) {
    pool.outbox = pool.outbox.filter((waiting) => waiting.isUnsynced);
  }
}

/** Takes an entry off the outbox, if it waits there. */
export function markSynced(pool: TxPool, entry: PoolEntry): void {
  if (!entry.isUnsynced) return;
  entry.isUnsynced = false;
  pool.unsyncedCount--;
  if (pool.unsyncedCount === 0) pool.outbox = [];
}

function joinSender(pool: TxPool, entry: PoolEntry): void {
  const queue = pool.senders.get(entry.transaction.from);
  if (queue === undefined) {
    pool.senders.set(entry.transaction.from, { first: entry, last: entry });
    return;
  }
  entry.previousOfSender = queue.last;
  queue.last.nextOfSender = entry;
  queue.last = entry;
}

function leaveSender(pool: TxPool, entry: PoolEntry): void {
  const { from } = entry.transaction;
  const { previousOfSender: previous, nextOfSender: next } = entry;
  const queue = pool.senders.get(from);
  if (previous !== undefined) previous.nextOfSender = next;
  if (next !== undefined) next.previousOfSender = previous;
  entry.previousOfSender = undefined;
  entry.nextOfSender = undefined;
  if (queue === undefined) return;
  if (queue.first === entry && next !== undefined) queue.first = next;
  if (queue.last === entry && previous !== undefined) queue.last = previous;
  const isEmpty = previous === undefined && next === undefined;
  if (!isEmpty && pool.senders.size === 1) return;
  pool.senders.delete(from);
  if (!isEmpty) pool.senders.set(from, queue);
}

/** Appends an admitted transaction to the queue. Source: txpool 3.2.11 */
export function insert(
  pool: TxPool,
  transaction: SignedTransaction,
  arrival: Pick<PoolEntry, "importedMs" | "fromRpc" | "knownBy">,
): PoolEntry {
  const { hash, nonce } = transaction;
  const entry: PoolEntry = {
    transaction,
    blockLimit: Number(transaction.blockLimit),
    importedMs: arrival.importedMs,
    sizeBytes: sizeOf(transaction),
    fromRpc: arrival.fromRpc,
    nonceId: addNonce(pool.pendingNonces, nonce),
    knownBy: arrival.knownBy,
    isUnsynced: false,
    spent: false,
    previous: pool.last,
    next: undefined,
    previousOfSender: undefined,
    nextOfSender: undefined,
  };
  if (pool.last === undefined) pool.first = entry;
  else pool.last.next = entry;
  pool.last = entry;
  joinSender(pool, entry);
  pool.byHash.set(hash, entry);
  pool.byNonceId[entry.nonceId] = entry;
  pool.memoryBytes += entry.sizeBytes;
  if (entry.fromRpc) markUnsynced(pool, entry);
  if (pool.hashFilter.size >= pool.limits.count) pool.hashFilter.clear();
  pool.hashFilter.add(hash);
  return entry;
}

/** Takes an entry out of the queue and every index that holds it; its nonce is free again. */
export function unlink(pool: TxPool, entry: PoolEntry): void {
  const { previous, next } = entry;
  if (previous === undefined) pool.first = next;
  else previous.next = next;
  if (next === undefined) pool.last = previous;
  else next.previous = previous;
  if (pool.sweep === entry) pool.sweep = next;
  entry.previous = undefined;
  entry.next = undefined;
  leaveSender(pool, entry);
  pool.byHash.delete(entry.transaction.hash);
  removeNonce(pool.pendingNonces, entry.nonceId);
  pool.byNonceId[entry.nonceId] = undefined;
  if (pool.byHash.size === 0) pool.byNonceId.length = 0;
  pool.memoryBytes -= entry.sizeBytes;
  if (entry.spent) pool.spentCount--;
  markSynced(pool, entry);
}

function forgetOldestDropped(pool: TxPool): void {
  // An eighth at a time: taking the first key of a large Map one by one is slow.
  let excess = Math.max(1, pool.limits.count >> 3);
  for (const [hash, blockLimit] of pool.dropped) {
    if (excess-- <= 0) return;
    pool.dropped.delete(hash);
    const sameLimit = pool.droppedByLimit.get(blockLimit);
    sameLimit?.delete(hash);
    if (sameLimit?.size === 0) pool.droppedByLimit.delete(blockLimit);
  }
}

/** Drops an entry: its hash is remembered until its block limit has passed. Source: txpool 6 */
export function drop(pool: TxPool, entry: PoolEntry, head: number): void {
  const { hash } = entry.transaction;
  unlink(pool, entry);
  pool.heavy.delete(hash);
  if (entry.blockLimit <= head || pool.limits.count === 0) return;
  if (pool.dropped.size >= pool.limits.count) forgetOldestDropped(pool);
  pool.dropped.set(hash, entry.blockLimit);
  const sameLimit = pool.droppedByLimit.get(entry.blockLimit);
  if (sameLimit === undefined) pool.droppedByLimit.set(entry.blockLimit, new Set([hash]));
  else sameLimit.add(hash);
}

/** Forgets the dropped hashes whose block limit the head has reached. Source: txpool 2 */
export function forgetDropped(pool: TxPool, head: number): void {
  for (const [blockLimit, hashes] of pool.droppedByLimit) {
    if (blockLimit > head) continue;
    for (const hash of hashes) pool.dropped.delete(hash);
    pool.droppedByLimit.delete(blockLimit);
  }
}

/** Whether an entry can no longer be packed. Source: txpool 4.3, 4.4 */
export function isOver(
  pool: TxPool,
  entry: PoolEntry,
  at: { readonly head: number; readonly now: number },
): boolean {
  return entry.blockLimit <= at.head || at.now > entry.importedMs + pool.limits.expiryMs;
}
