/**
 * Turns raw transactions into signed ones in batches: decode, recover all senders at once. What
 * arrives while a batch is being recovered makes the next one. Source: txpool 3.1; rpc-semantics 8
 */
import type { CryptoSuite } from "../../crypto/suite.ts";
import { invariant } from "../../fault/invariant.ts";
import {
  decodeTransaction,
  LONG_TRANSACTION_BYTES,
  rememberHashes,
  type SignedTransaction,
  signingDigest,
  type Transaction,
  type UndecodableReason,
  withSender,
} from "../../model/transaction.ts";
import type { Compute, RecoverItem } from "../../ports/compute.ts";
import type { ExamineLong } from "../options/node-ports.ts";

/** A transaction with its sender, or why there is none. */
export type Taken =
  | { readonly ok: true; readonly transaction: SignedTransaction }
  | { readonly ok: false; readonly reason: UndecodableReason };

/** Transactions recovered in one call at most. */
const BATCH_LIMIT = 512;
/** Batches under way at once: one on the cores, one ready to follow. */
const BATCHES_IN_FLIGHT = 2;

/** What sender recovery is made with. */
export interface SenderRecoveryOptions {
  readonly suite: CryptoSuite;
  readonly compute: Compute;
  /** Hashes very long ones elsewhere; here when absent. */
  readonly examineLong?: ExamineLong | undefined;
}

interface Waiting {
  readonly transaction: Transaction;
  readonly settle: (taken: Taken) => void;
  readonly fail: (cause: unknown) => void;
}

/** Transactions in order; undefined when one of them is none. */
type Decoded = Transaction[] | undefined;

/** Canonical bytes whose hashes are known. */
async function examined(raw: Uint8Array, examine: ExamineLong): Promise<Uint8Array> {
  const isOwn = raw.byteLength === raw.buffer.byteLength;
  const { raw: canonical, hashes } = await examine(isOwn ? raw : new Uint8Array(raw));
  if (hashes) rememberHashes(canonical, hashes);
  return canonical;
}

/** Recovers senders in batches that grow with the load. */
export class SenderRecovery {
  readonly #options: SenderRecoveryOptions;
  #waiting: Waiting[] = [];
  #inFlight = 0;

  constructor(options: SenderRecoveryOptions) {
    this.#options = options;
  }

  /** Decodes at once; resolves when the sender is known. */
  take(raw: Uint8Array): Promise<Taken> {
    const decoded = decodeTransaction(raw, this.#options.suite);
    if (!decoded.ok) return Promise.resolve(decoded);
    return new Promise((settle, fail) => {
      this.#waiting.push({ transaction: decoded.transaction, settle, fail });
      this.#pump();
    });
  }

  /**
   * Decodes many at once and recovers them in one call, for what peers send. Gives the transactions
   * whose sender is known; those that are unwanted are passed over.
   * @returns undefined when one of them is not a valid transaction: an honest peer sends none
   */
  async takeAll(
    raws: readonly Uint8Array[],
    unwanted?: (transaction: Transaction) => boolean,
  ): Promise<SignedTransaction[] | undefined> {
    const decoding = this.decodeAll(raws);
    const decoded = decoding instanceof Promise ? await decoding : decoding;
    if (!decoded) return undefined;
    return this.recoverAll(unwanted ? decoded.filter((one) => !unwanted(one)) : decoded);
  }

  /**
   * Decodes many; undefined when one of them is no transaction.
   * @param raws a very long one that has a buffer of its own is given away with it
   */
  decodeAll(raws: readonly Uint8Array[]): Decoded | Promise<Decoded> {
    const { examineLong } = this.#options;
    const hasLong = raws.some(({ length }) => length >= LONG_TRANSACTION_BYTES);
    return examineLong && hasLong ? this.#decodeLong(raws, examineLong) : this.#decode(raws);
  }

  async #decodeLong(raws: readonly Uint8Array[], examine: ExamineLong): Promise<Decoded> {
    const known: Uint8Array[] = [];
    for (const raw of raws)
      known.push(raw.length < LONG_TRANSACTION_BYTES ? raw : await examined(raw, examine));
    return this.#decode(known);
  }

  #decode(raws: readonly Uint8Array[]): Decoded {
    const { suite } = this.#options;
    const transactions: Transaction[] = [];
    for (const raw of raws) {
      const decoded = decodeTransaction(raw, suite);
      if (!decoded.ok) return undefined;
      transactions.push(decoded.transaction);
    }
    return transactions;
  }

  /** Recovers the senders of many in one call; undefined when a signature is invalid. */
  async recoverAll(transactions: readonly Transaction[]): Promise<SignedTransaction[] | undefined> {
    const { suite } = this.#options;
    if (transactions.length === 0) return [];
    const keys = await this.#keysOf(transactions);
    const signed: SignedTransaction[] = [];
    for (const [i, transaction] of transactions.entries()) {
      const key = keys[i];
      if (!key) return undefined;
      signed.push(withSender(transaction, suite.address(key)));
    }
    return signed;
  }

  #keysOf(transactions: readonly Transaction[]) {
    const { suite, compute } = this.#options;
    return compute.recover(transactions.map((transaction) => new SenderItem(transaction, suite)));
  }

  #pump(): void {
    while (this.#inFlight < BATCHES_IN_FLIGHT && this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_LIMIT);
      this.#inFlight++;
      this.#recover(batch)
        .catch((cause: unknown) => {
          for (const { fail } of batch) fail(cause);
        })
        .finally(() => {
          this.#inFlight--;
          this.#pump();
        });
    }
  }

  async #recover(batch: readonly Waiting[]): Promise<void> {
    const { suite } = this.#options;
    const keys = await this.#keysOf(batch.map(({ transaction }) => transaction));
    invariant(keys.length === batch.length, "one key per signature");
    for (const [i, { transaction, settle }] of batch.entries()) {
      const key = keys[i];
      settle(
        key
          ? { ok: true, transaction: withSender(transaction, suite.address(key)) }
          : { ok: false, reason: "InvalidSignature" },
      );
    }
  }
}

/** The signature of a transaction; its digest is computed only if no node has recovered it yet. */
class SenderItem implements RecoverItem {
  readonly #transaction: Transaction;
  readonly #suite: CryptoSuite;

  constructor(transaction: Transaction, suite: CryptoSuite) {
    this.#transaction = transaction;
    this.#suite = suite;
  }

  get name(): string {
    return this.#transaction.hash;
  }

  get signature(): Uint8Array {
    return this.#transaction.signature;
  }

  get digest(): Uint8Array {
    return signingDigest(this.#transaction.raw, this.#suite);
  }
}
