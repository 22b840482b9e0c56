/**
 * Finds the receipts of transactions where nothing is pushed: looks at new blocks, and asks for the
 * receipts of those among their transactions that are waited for.
 */
import type { RpcCall } from "../../../core/client/request.ts";
import { transactionStatusName } from "../../../core/fault/transaction-status.ts";
import type { BenchClock } from "./bench-clock.ts";

/** What a receipt says, as far as a benchmark looks. */
export interface LaneReceipt {
  /** 0 for success. */
  readonly status: number;
  readonly output: string;
}

/** Why a transaction with a status failed; undefined when it succeeded. */
export function failureOf({ status }: LaneReceipt): string | undefined {
  return status === 0 ? undefined : transactionStatusName(status);
}

/** What asks. */
export interface WatchParts {
  request(call: RpcCall): Promise<unknown>;
  readonly groupId: number;
  readonly clock: BenchClock;
}

/** Between two looks at the height. */
const LOOK_MS = 20;
/** After a look that failed. */
const RETRY_MS = 200;
/** Receipts that are asked for at one time. */
const AT_ONCE = 64;

interface Waiting {
  readonly settle: (receipt: LaneReceipt) => void;
}

/** Receipts by hash. */
export class ReceiptWatch {
  readonly #parts: WatchParts;
  readonly #waiting = new Map<string, Waiting>();
  #next: number | undefined;
  #isLooking = false;
  #isClosed = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Looks where the chain is; blocks after that are looked at. */
  async begin(): Promise<void> {
    this.#next = (await this.#height()) + 1;
  }

  /** Settles when a block has the transaction; never when none gets it. */
  receiptOf(hash: string): Promise<LaneReceipt> {
    return new Promise((settle) => {
      this.#waiting.set(hash, { settle });
      if (!this.#isLooking) void this.#look();
    });
  }

  /** Nobody waits for it any more. */
  forget(hash: string): void {
    this.#waiting.delete(hash);
  }

  /** Ends all looking. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
  }

  async #height(): Promise<number> {
    const { groupId } = this.#parts;
    return Number(await this.#parts.request({ method: "getBlockNumber", params: [groupId] }));
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#waiting.size > 0 && !this.#isClosed) {
      let pause = LOOK_MS;
      try {
        const height = await this.#height();
        this.#next ??= height;
        while (this.#next <= height) await this.#take(this.#next++);
      } catch {
        // The node is away for the moment; whoever waits gives up by its own limit.
        pause = RETRY_MS;
      }
      await this.#parts.clock.sleep(pause);
    }
    this.#isLooking = false;
  }

  async #take(number: number): Promise<void> {
    const { groupId } = this.#parts;
    const params = [groupId, `${number}`, false];
    const told = await this.#parts
      .request({ method: "getBlockByNumber", params })
      .catch((cause) => {
        this.#next = number;
        throw cause;
      });
    const { transactions } = told as { readonly transactions: readonly string[] };
    const wanted = transactions.filter((hash) => this.#waiting.has(hash));
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      await Promise.all(wanted.slice(at, at + AT_ONCE).map((hash) => this.#fetch(hash)));
    }
  }

  async #fetch(hash: string): Promise<void> {
    const params = [this.#parts.groupId, hash];
    const told = await this.#parts.request({ method: "getTransactionReceipt", params });
    const receipt = told as { readonly status: string; readonly output: string } | null;
    const waiting = this.#waiting.get(hash);
    if (receipt === null || waiting === undefined) return;
    this.#waiting.delete(hash);
    waiting.settle({ status: Number(receipt.status), output: receipt.output });
  }
}
