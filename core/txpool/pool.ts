/** Import, removal and queries of the transaction pool. Source: txpool 3, 6, 8 */
import type { Hash, NodeId } from "../bytes/ids.ts";
import type { SignedTransaction } from "../model/transaction.ts";
import {
  admissionCheck,
  type Candidate,
  type ImportContext,
  type ImportRefusal,
  importRefusal,
  isSigned,
} from "./admission.ts";
import { CLEANUP_LIMIT, LIGHT_TRIES } from "./limits.ts";
import { clearNonces, findNonce } from "./nonce-index.ts";
import { addBlockNonces } from "./nonce-window.ts";
import { addKnown } from "./spreading.ts";
import {
  drop,
  forgetDropped,
  insert,
  isOver,
  type PoolEntry,
  type TxPool,
  unlink,
} from "./state.ts";

/** One transaction to import and where it came from. */
export interface ImportItem {
  readonly transaction: Candidate;
  /** The peer that sent it; absent when it came through this node's RPC. */
  readonly fromPeer?: NodeId | undefined;
}

/** What came of one import; the same shape as `SubmitOutcome` of core/api/node-api.ts. */
export type ImportOutcome =
  | { readonly ok: true; readonly hash: Hash }
  | {
      readonly ok: false;
      readonly refusal: ImportRefusal;
      readonly hash: Hash;
      readonly blockLimit: bigint;
    };

const NOBODY: readonly NodeId[] = [];

/** Shares one list among neighbours from the same peer: messages bring a thousand at a time. */
function senderList(previous: readonly NodeId[], peer: NodeId | undefined): readonly NodeId[] {
  if (peer === undefined) return NOBODY;
  return previous[0] === peer ? previous : [peer];
}

/** Imports transactions in order; one outcome for each, in order. Source: txpool 3.2 */
export function importBatch(
  pool: TxPool,
  items: readonly ImportItem[],
  context: ImportContext,
): ImportOutcome[] {
  const check = admissionCheck(context);
  const outcomes: ImportOutcome[] = [];
  let knownBy = NOBODY;
  for (const { transaction, fromPeer } of items) {
    const { hash, blockLimit } = transaction;
    const refusal = importRefusal(pool, transaction, check);
    if (refusal === undefined && isSigned(transaction)) {
      knownBy = senderList(knownBy, fromPeer);
      const fromRpc = fromPeer === undefined;
      insert(pool, transaction, { importedMs: context.now, fromRpc, knownBy });
      outcomes.push({ ok: true, hash });
      continue;
    }
    if (fromPeer !== undefined) addKnown(pool, [hash], [fromPeer]);
    outcomes.push({ ok: false, refusal: refusal ?? "malformedTx", hash, blockLimit });
  }
  return outcomes;
}

/** A block that was written, from consensus or from sync. */
interface CommittedBlock {
  readonly number: number;
  /** Hashes and nonces of its transactions, in block order. */
  readonly hashes: readonly Hash[];
  readonly nonces: readonly bigint[];
}

/**
 * Takes note of a block: its nonces enter the window before its transactions leave the pool. What
 * shares a nonce with the block under another hash stays until it expires, but is not packed.
 *
 * @returns the entries that were pending, in block order: their submitters wait for a receipt
 * Source: txpool 5, 6
 */
export function onBlock(pool: TxPool, block: CommittedBlock): PoolEntry[] {
  addBlockNonces(pool.window, block.number, block.nonces);
  const committed: PoolEntry[] = [];
  const [only] = block.hashes;
  // A node that packed it: all nodes take turns alike.
  if (only) pool.lightTries = block.hashes.length === 1 && pool.heavy.has(only) ? LIGHT_TRIES : 0;
  for (const hash of block.hashes) {
    pool.hashFilter.delete(hash);
    pool.heavy.delete(hash);
    const entry = pool.byHash.get(hash);
    if (entry === undefined) continue;
    unlink(pool, entry);
    committed.push(entry);
  }
  for (const nonce of block.nonces) {
    const rival = pool.byNonceId[findNonce(pool.pendingNonces, nonce)];
    if (rival === undefined || rival.spent) continue;
    rival.spent = true;
    pool.spentCount++;
  }
  forgetDropped(pool, block.number);
  return committed;
}

/**
 * One pass of the clean-up timer: examines a bounded number of entries, going on where the last
 * pass ended, and drops what is too old. For nodes that are not packing.
 *
 * Source: txpool 1 (clean-up period), 6
 */
export function cleanUp(
  pool: TxPool,
  at: { readonly head: number; readonly now: number },
  limit: number = CLEANUP_LIMIT,
): PoolEntry[] {
  const dropped: PoolEntry[] = [];
  let entry = pool.sweep ?? pool.first;
  for (let looked = 0; entry !== undefined && looked < limit; looked++) {
    const { next } = entry;
    if (isOver(pool, entry, at)) {
      drop(pool, entry, at.head);
      dropped.push(entry);
    }
    entry = next;
  }
  pool.sweep = entry;
  return dropped;
}

/** Empties the pool when the group stops; nobody is notified. Source: txpool 6 (pool stop) */
export function clearPool(pool: TxPool): void {
  pool.byHash.clear();
  pool.first = undefined;
  pool.last = undefined;
  pool.senders.clear();
  pool.sweep = undefined;
  clearNonces(pool.pendingNonces);
  pool.byNonceId.length = 0;
  pool.memoryBytes = 0;
  pool.spentCount = 0;
  pool.outbox = [];
  pool.unsyncedCount = 0;
  pool.dropped.clear();
  pool.droppedByLimit.clear();
  pool.hashFilter.clear();
  pool.heavy.clear();
  pool.restsDue = 0;
  pool.lightTries = 0;
}

/** Number of pending transactions. Source: txpool 8 */
export function pendingCount(pool: TxPool): number {
  return pool.byHash.size;
}

/** Pending transactions that a block may still take: what sealing waits for. */
export function packableCount(pool: TxPool): number {
  return pool.byHash.size - pool.spentCount;
}

/** All pending transactions in queue order. Source: txpool 8 */
export function pendingTransactions(pool: TxPool): SignedTransaction[] {
  const all: SignedTransaction[] = [];
  for (let entry = pool.first; entry !== undefined; entry = entry.next) {
    all.push(entry.transaction);
  }
  return all;
}

/** A pending transaction; fills proposals that name hashes. */
export function pendingTransaction(pool: TxPool, hash: Hash): SignedTransaction | undefined {
  return pool.byHash.get(hash)?.transaction;
}

/** Whether a hash that a peer names or sends was seen already: pending, imported or dropped. */
export function isSeen(pool: TxPool, hash: Hash): boolean {
  return pool.byHash.has(hash) || pool.hashFilter.has(hash) || pool.dropped.has(hash);
}
