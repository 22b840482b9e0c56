/**
 * Turns raw transactions into signed ones in batches: decode, recover all senders at once. What arrives while a batch
 * is being recovered makes the next one. Source: txpool 3.1, rpc-semantics 8
 */
import type { CryptoSuite } from "../crypto/suite.ts";
import { invariant } from "../fault/invariant.ts";
import {
  decodeTransaction,
  type SignedTransaction,
  signingDigest,
  type Transaction,
  type UndecodableReason,
} from "../model/transaction.ts";
import type { Compute } from "../ports/compute.ts";

/** A transaction with its sender, or why there is none. */
export type Taken =
  | { readonly ok: true; readonly transaction: SignedTransaction }
  /** `unwanted`: the caller did not want its sender recovered. */
  | { readonly ok: false; readonly reason: UndecodableReason | "unwanted" };

/** Transactions recovered in one call at most. */
const BATCH_LIMIT = 512;
/** Batches under way at once: one on the cores, one ready to follow. */
const BATCHES_IN_FLIGHT = 2;

/** What the intake works with. */
export interface IntakeOptions {
  readonly suite: CryptoSuite;
  readonly compute: Compute;
}

interface Waiting {
  readonly transaction: Transaction;
  readonly settle: (taken: Taken) => void;
  readonly fail: (cause: unknown) => void;
}

/** Recovers senders in batches that grow with the load. */
export class Intake {
  readonly #options: IntakeOptions;
  #waiting: Waiting[] = [];
  #inFlight = 0;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Transactions decoded but not recovered yet. */
  get backlog(): number {
    return this.#waiting.length;
  }

  /** Decodes at once; resolves when the sender is known. `unwanted` may stop it between the two. */
  take(raw: Uint8Array, unwanted?: (transaction: Transaction) => boolean): Promise<Taken> {
    const decoded = decodeTransaction(raw, this.#options.suite);
    if (!decoded.ok) return Promise.resolve(decoded);
    if (unwanted?.(decoded.transaction)) return Promise.resolve({ ok: false, reason: "unwanted" });
    return new Promise((settle, fail) => {
      this.#waiting.push({ transaction: decoded.transaction, settle, fail });
      this.#pump();
    });
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
    const { suite, compute } = this.#options;
    const keys = await compute.recover(
      batch.map(({ transaction }) => ({
        digest: signingDigest(transaction.raw, suite),
        signature: transaction.signature,
      })),
    );
    invariant(keys.length === batch.length, "one key per signature");
    for (const [i, { transaction, settle }] of batch.entries()) {
      const key = keys[i];
      settle(
        key
          ? { ok: true, transaction: { ...transaction, from: suite.address(key) } }
          : { ok: false, reason: "InvalidSignature" },
      );
    }
  }
}
