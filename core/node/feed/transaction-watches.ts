/**
 * What becomes of single transactions, for those who push receipts. Nothing is done per block while
 * nobody watches. Source: channel-protocol 6.1
 */
import type { Hash } from "../../bytes/ids.ts";
import type { Ledger } from "../../ledger/ledger-view.ts";
import type { Head } from "../../ports/ledger.ts";
import { pendingTransaction } from "../../txpool/pool.ts";
import type { TxPool } from "../../txpool/state.ts";
import type { TransactionWatch, TransactionWatcher, WatchedBlock } from "../../api/node-api.ts";

/** Transactions that one watcher may watch; more than the usual pool holds. */
export const MAX_WATCHED = 200_000;

/** What it is seen in whether a transaction is in a block. */
type WatchedLedger = Pick<Ledger, "transaction" | "totals" | "head">;

interface Watching {
  readonly watcher: TransactionWatcher;
  readonly hashes: Set<Hash>;
}

/** The watched transactions of a group. */
export class TransactionWatches {
  readonly #pool: TxPool;
  readonly #ledger: WatchedLedger;
  readonly #all = new Set<Watching>();
  #sweeping = false;

  constructor(pool: TxPool, ledger: WatchedLedger) {
    this.#pool = pool;
    this.#ledger = ledger;
  }

  /** Nothing is watched until hashes are added. */
  watch(watcher: TransactionWatcher): TransactionWatch {
    const watching: Watching = { watcher, hashes: new Set() };
    const { hashes } = watching;
    this.#all.add(watching);
    return {
      add(hash) {
        if (hashes.size >= MAX_WATCHED) return false;
        hashes.add(hash);
        return true;
      },
      remove: (hash) => void hashes.delete(hash),
      close: () => void this.#all.delete(watching),
    };
  }

  /** A block was written; its transactions have left the pool. */
  onBlock({ number, hash }: Head, transactions: readonly Hash[]): void {
    for (const { watcher, hashes } of this.#all) {
      if (hashes.size === 0) continue;
      const found: WatchedBlock["found"][number][] = [];
      for (const [index, transaction] of transactions.entries()) {
        if (hashes.delete(transaction)) found.push({ hash: transaction, index });
      }
      if (found.length > 0) watcher.committed({ number, hash, found });
    }
  }

  /**
   * Reports those that are neither pending nor in a block, whichever way they left the pool.
   * Source: channel-protocol 6.1 (dropped from the pool later)
   */
  async sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      for (const watching of [...this.#all]) await this.#sweepOne(watching);
    } finally {
      this.#sweeping = false;
    }
  }

  async #sweepOne({ watcher, hashes }: Watching): Promise<void> {
    const gone = [...hashes].filter((hash) => pendingTransaction(this.#pool, hash) === undefined);
    const dropped: Hash[] = [];
    for (const hash of gone) {
      const placed = await this.#ledger.transaction(hash);
      // While the ledger was read a block may have told of it, or it may have come again.
      if (!hashes.has(hash) || pendingTransaction(this.#pool, hash) !== undefined) continue;
      // A block that is stored and not yet the head may hold it: onBlock reports it next.
      if (!placed && (await this.#ledger.totals()).number > this.#ledger.head().number) continue;
      if (!hashes.has(hash)) continue;
      hashes.delete(hash);
      if (!placed) dropped.push(hash);
      else {
        const { blockNumber: number, blockHash, index } = placed;
        watcher.committed({ number, hash: blockHash, found: [{ hash, index }] });
      }
    }
    if (dropped.length > 0) watcher.dropped(dropped);
  }

  /** The group stops. */
  close(): void {
    for (const { watcher, hashes } of this.#all) {
      const left = [...hashes];
      hashes.clear();
      if (left.length > 0) watcher.ended(left);
    }
    this.#all.clear();
  }
}
