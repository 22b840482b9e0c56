/**
 * Receipts that sessions await, by group: watched, read from the ledger once for a whole block, and
 * handed out. Source: channel-protocol 6.1
 */
import type { Hash } from "../../bytes/ids.ts";
import { describe } from "../../actors/supervise.ts";
import { receiptText, refusedReceiptText, type ReceiptProofs } from "../../channel/receipt-push.ts";
import { TRANSACTION_STATUS } from "../../fault/transaction-status.ts";
import { version, type Version } from "../../model/version.ts";
import { sleep } from "../../limits/yield-timer.ts";
import type { Pace } from "../../limits/pace.ts";
import type { Answer } from "../../rpc/long-answer.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { GroupApi, TransactionWatch, WatchedBlock } from "../../api/node-api.ts";
import type { LedgerApi, LocatedReceipt } from "../../ports/ledger.ts";

/** A receipt that somebody awaits. */
export interface AwaitedReceipt {
  readonly hash: Hash;
  readonly withProof: boolean;
  /** Called once; undefined when nobody will ever know. */
  readonly settle: (text: Answer | undefined) => void;
}

/** From this version on there are proofs. Source: channel-protocol 6.1 */
const PROOFS_FROM = version(2, 2, 0);
/** Fewer receipts of a block are read one by one. */
const WHOLE_BLOCK_FROM = 8;
/** Receipts, or their worth in proofs, between which other work has its turn. */
const WORK_OF_A_TURN = 128;
/** Both proofs of a transaction of a full block cost as much as this many receipts. */
const WORK_OF_PROOFS = 16;

/** A receipt that could not be read is looked for again, this many times in all. */
const MOST_READINGS = 5;

/** What receipts are read with. */
export interface ReceiptOptions {
  readonly version: Version;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
  /** Asked while long receipts are made. */
  readonly pace: Pace;
}

/** The awaited receipts of one group. */
class GroupReceipts {
  readonly #ledger: LedgerApi;
  readonly #watch: TransactionWatch | undefined;
  readonly #awaited = new Map<Hash, AwaitedReceipt>();
  /** How often the receipt could not be read, for those that are awaited still. */
  readonly #failures = new Map<Hash, number>();
  readonly #options: ReceiptOptions;
  /** Blocks are read one after the other. */
  #reading: Promise<void> = Promise.resolve();

  constructor(group: GroupApi, options: ReceiptOptions) {
    this.#ledger = group.ledger;
    this.#options = options;
    this.#watch = group.watchTransactions?.({
      committed: (block) => this.#onBlock(block),
      dropped: (hashes) => {
        for (const awaited of this.#take(hashes))
          awaited.settle(refusedReceiptText(TRANSACTION_STATUS.TransactionRefused));
      },
      ended: (hashes) => {
        for (const awaited of this.#take(hashes)) awaited.settle(undefined);
      },
    });
  }

  add(awaited: AwaitedReceipt): boolean {
    const { hash } = awaited;
    if (!this.#watch?.add(hash)) return false;
    // It was taken again, so the pool had lost the first: a node that awaits that is told so.
    const earlier = this.#awaited.get(hash);
    this.#awaited.set(hash, awaited);
    earlier?.settle(refusedReceiptText(TRANSACTION_STATUS.TransactionRefused));
    return true;
  }

  remove(awaited: AwaitedReceipt): void {
    if (this.#awaited.get(awaited.hash) !== awaited) return;
    this.#forget(awaited.hash);
    this.#watch?.remove(awaited.hash);
  }

  close(): void {
    this.#watch?.close();
    this.#awaited.clear();
    this.#failures.clear();
  }

  #forget(hash: Hash): void {
    this.#awaited.delete(hash);
    this.#failures.delete(hash);
  }

  #take(hashes: readonly Hash[]): AwaitedReceipt[] {
    const taken = hashes.flatMap((hash) => this.#awaited.get(hash) ?? []);
    for (const { hash } of taken) this.#forget(hash);
    return taken;
  }

  #onBlock(block: WatchedBlock): void {
    this.#reading = this.#reading
      .then(() => this.#push(block))
      .catch((cause: unknown) => {
        this.#options.log.write("error", "receipts could not be read for a push", {
          block: block.number,
          cause: describe(cause),
        });
        for (const { hash } of block.found) this.#readLater(hash);
      });
  }

  /** The watch finds what is in the ledger by itself; who waits is given up after a while. */
  #readLater(hash: Hash): void {
    if (!this.#awaited.has(hash)) return;
    const failures = (this.#failures.get(hash) ?? 0) + 1;
    this.#failures.set(hash, failures);
    if (failures < MOST_READINGS && this.#watch?.add(hash)) return;
    for (const { settle } of this.#take([hash])) settle(undefined);
  }

  async #push(block: WatchedBlock): Promise<void> {
    const whole = block.found.length < WHOLE_BLOCK_FROM ? undefined : await this.#whole(block);
    let work = 0;
    for (const { hash, index } of block.found) {
      work += this.#awaited.get(hash)?.withProof ? WORK_OF_PROOFS : 1;
      if (work >= WORK_OF_A_TURN) {
        work = 0;
        // Consensus does not wait for a whole block of receipts.
        await sleep(this.#options.clock, 0);
      }
      const located = whole?.(index) ?? (await this.#ledger.receipt(hash));
      const proofs = this.#awaited.get(hash)?.withProof ? await this.#proofs(block, index) : {};
      if (!located) {
        this.#readLater(hash);
        continue;
      }
      if (!this.#awaited.has(hash)) continue;
      const text = await receiptText(located, proofs, this.#options.pace);
      // A session may have ended while the ledger was read.
      const [awaited] = this.#take([hash]);
      awaited?.settle(text);
    }
  }

  /** All receipts of a block at one reading. */
  async #whole({ hash }: WatchedBlock) {
    const block = await this.#ledger.block(hash);
    if (!block) return undefined;
    const { number } = block.header;
    return (index: number): LocatedReceipt | undefined => {
      const transaction = block.transactions[index];
      const receipt = block.receipts[index];
      if (!transaction || !receipt) return undefined;
      return { transaction, receipt, blockHash: hash, blockNumber: number, index };
    };
  }

  async #proofs({ hash }: WatchedBlock, index: number): Promise<ReceiptProofs> {
    if (this.#options.version < PROOFS_FROM) return {};
    const [transaction, receipt] = await Promise.all([
      this.#ledger.transactionProof(hash, index),
      this.#ledger.receiptProof(hash, index),
    ]);
    // A proof that cannot be built is left out.
    return {
      ...(transaction.length > 0 && { transaction }),
      ...(receipt.length > 0 && { receipt }),
    };
  }
}

/** The awaited receipts of a node. */
export class ChannelReceipts {
  readonly #groups = new Map<
    number,
    { readonly api: GroupApi; readonly receipts: GroupReceipts }
  >();
  readonly #options: ReceiptOptions;

  constructor(options: ReceiptOptions) {
    this.#options = options;
  }

  /**
   * Awaits the receipt of a transaction that the pool has just taken.
   * @returns what ends the waiting; undefined when there are too many already
   */
  await(group: GroupApi, awaited: AwaitedReceipt): (() => void) | undefined {
    const receipts = this.#of(group);
    return receipts.add(awaited) ? () => receipts.remove(awaited) : undefined;
  }

  close(): void {
    for (const { receipts } of this.#groups.values()) receipts.close();
    this.#groups.clear();
  }

  /** A group that was stopped and started is another object with the same number. */
  #of(api: GroupApi): GroupReceipts {
    const known = this.#groups.get(api.groupId);
    if (known?.api === api) return known.receipts;
    known?.receipts.close();
    const receipts = new GroupReceipts(api, this.#options);
    this.#groups.set(api.groupId, { api, receipts });
    return receipts;
  }
}
