/**
 * Finds the receipts of transactions where nothing is pushed: looks at new blocks, and asks for the
 * receipts of those among their transactions that are waited for.
 */
import { TransportFault } from "../../../core/client/client-fault.ts";
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

/** Asks one node. */
type Ask = (call: RpcCall) => Promise<unknown>;

/** What asks. */
export interface WatchParts {
  /** A node: the same for a whole look, because others may be a block behind it. */
  pick(): { request: Ask };
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
    const node = this.#parts.pick();
    this.#next = (await this.#height((call) => node.request(call))) + 1;
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

  async #height(ask: Ask): Promise<number> {
    return Number(await ask({ method: "getBlockNumber", params: [this.#parts.groupId] }));
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#waiting.size > 0 && !this.#isClosed) {
      let pause = LOOK_MS;
      try {
        await this.#lookOnce();
      } catch {
        // The node is away for the moment; whoever waits gives up by its own limit.
        pause = RETRY_MS;
      }
      await this.#parts.clock.sleep(pause);
    }
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const node = this.#parts.pick();
    const ask: Ask = (call) => node.request(call);
    const height = await this.#height(ask);
    for (let next = this.#next ?? height; next <= height; next++) {
      await this.#take(next, ask);
      // Only now: a block that could not be looked at is looked at again.
      this.#next = next + 1;
    }
  }

  async #take(number: number, ask: Ask): Promise<void> {
    const params = [this.#parts.groupId, `${number}`, false];
    const told = await ask({ method: "getBlockByNumber", params });
    const { transactions } = told as { readonly transactions: readonly string[] };
    const wanted = transactions.filter((hash) => this.#waiting.has(hash));
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      await Promise.all(wanted.slice(at, at + AT_ONCE).map((hash) => this.#fetch(hash, ask)));
    }
  }

  async #fetch(hash: string, ask: Ask): Promise<void> {
    const params = [this.#parts.groupId, hash];
    const told = await ask({ method: "getTransactionReceipt", params });
    const receipt = told as { readonly status: string; readonly output: string } | null;
    if (receipt === null) throw new TransportFault(`${hash} has a block and no receipt`);
    const waiting = this.#waiting.get(hash);
    this.#waiting.delete(hash);
    waiting?.settle({ status: Number(receipt.status), output: receipt.output });
  }
}
