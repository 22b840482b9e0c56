/** Which pending transactions still have to be pushed, and who has which. Source: txpool 7 */
import type { Hash, NodeId } from "../bytes/ids.ts";
import {
  KNOWN_BY_LIMIT,
  LEAST_BYTES_PER_MS,
  STALE_AFTER_MS,
  TRAVELLING_FROM_BYTES,
} from "./limits.ts";
import { markSynced, markUnsynced, type PoolEntry, type TxPool } from "./state.ts";

function union(known: readonly NodeId[], peers: readonly NodeId[]): readonly NodeId[] {
  const added = peers.filter((peer) => !known.includes(peer));
  if (added.length === 0) return known;
  if (known.length === 0) return peers.slice(-KNOWN_BY_LIMIT);
  return [...known, ...added].slice(-KNOWN_BY_LIMIT);
}

/** Replaces the lists of entries, each distinct list once: entries of a batch share theirs. */
function replaceLists(
  entries: Iterable<PoolEntry>,
  change: (known: readonly NodeId[]) => readonly NodeId[],
): void {
  const changed = new Map<readonly NodeId[], readonly NodeId[]>();
  for (const entry of entries) {
    let list = changed.get(entry.knownBy);
    if (list === undefined) {
      list = change(entry.knownBy);
      changed.set(entry.knownBy, list);
    }
    entry.knownBy = list;
  }
}

function* queueOf(pool: TxPool): Generator<PoolEntry> {
  for (let entry = pool.first; entry !== undefined; entry = entry.next) yield entry;
}

/** Makes the outbox anew, in queue order. */
function relist(pool: TxPool, isWanted: (entry: PoolEntry) => boolean): void {
  for (const entry of pool.outbox) markSynced(pool, entry);
  for (const entry of queueOf(pool)) if (isWanted(entry)) markUnsynced(pool, entry);
}

/** Notes that peers have transactions; hashes that are not pending are passed over. */
export function addKnown(pool: TxPool, hashes: Iterable<Hash>, peers: readonly NodeId[]): void {
  const entries: PoolEntry[] = [];
  for (const hash of hashes) {
    const entry = pool.byHash.get(hash);
    if (entry !== undefined) entries.push(entry);
  }
  replaceLists(entries, (known) => union(known, peers));
}

/**
 * Takes local transactions that were never pushed, in queue order, and marks them pushed. Call it
 * only while there is somebody to push to; they wait in the pool until then.
 *
 * @param limit transactions and raw bytes to take; at least one transaction is taken
 * Source: txpool 7.1
 */
export function takeUnsynced(
  pool: TxPool,
  limit: { readonly count: number; readonly bytes: number },
): PoolEntry[] {
  const taken: PoolEntry[] = [];
  let bytes = 0;
  let passed = 0;
  for (const entry of pool.outbox) {
    if (entry.isUnsynced) {
      bytes += entry.transaction.raw.length;
      if (taken.length >= limit.count || (taken.length > 0 && bytes > limit.bytes)) break;
      taken.push(entry);
    }
    passed++;
  }
  pool.outbox = pool.outbox.slice(passed);
  for (const entry of taken) markSynced(pool, entry);
  return taken;
}

/**
 * Transactions that have been pending for long, from whomever they came: a push may have been lost.
 * They are taken in queue order, each call going on where the one before it ended.
 *
 * @param now those of before {@link STALE_AFTER_MS} are taken, and long ones once they travelled
 * @param count how many are enough; those imported in one moment stay together
 * Source: sync 5 (hash announcements)
 */
export function takeStale(
  pool: TxPool,
  { now, count }: { readonly now: number; readonly count: number },
): Hash[] {
  const imported = now - STALE_AFTER_MS;
  const taken: PoolEntry[] = [];
  for (const entry of queueOf(pool)) {
    const { importedMs } = entry;
    const isFull = taken.length >= count && importedMs !== taken.at(-1)?.importedMs;
    if (importedMs > imported || isFull) break;
    if (importedMs > pool.announcedMs && !entry.spent && !mayTravel(entry, now)) taken.push(entry);
  }
  pool.announcedMs = taken.at(-1)?.importedMs ?? Number.NEGATIVE_INFINITY;
  return taken.map(({ transaction }) => transaction.hash);
}

/** Whether a pending transaction is so long that its push may still be under way. */
export function isTravelling(pool: TxPool, hash: Hash, now: number): boolean {
  const entry = pool.byHash.get(hash);
  return entry !== undefined && mayTravel(entry, now);
}

function mayTravel({ transaction, importedMs }: PoolEntry, now: number): boolean {
  const { length } = transaction.raw;
  return length >= TRAVELLING_FROM_BYTES && now < importedMs + length / LEAST_BYTES_PER_MS;
}

/** Local transactions that wait to be pushed. */
export function unsyncedCount(pool: TxPool): number {
  return pool.unsyncedCount;
}

/**
 * A sealer connected, perhaps restarted with an empty pool: what it was known to have is forgotten,
 * and the local transactions wait to be pushed again, to those not known to have them.
 */
export function onSealerConnected(pool: TxPool, sealer: NodeId): void {
  replaceLists(queueOf(pool), (known) =>
    known.includes(sealer) ? known.filter((peer) => peer !== sealer) : known,
  );
  relist(pool, (entry) => entry.fromRpc);
}

/**
 * The node left the group: nothing counts as pushed or known any more, so that all that is still
 * pending is sent when it joins again. While outside it neither sends nor imports. Source: txpool 7
 */
export function onLeftGroup(pool: TxPool): void {
  const nobody: readonly NodeId[] = [];
  replaceLists(queueOf(pool), () => nobody);
  relist(pool, () => true);
}
