/**
 * Finds the receipts of transactions where nothing is pushed: examines new blocks, and asks for all
 * receipts of a block at one time; a node that does not know how is asked for each that is waited
 * for. Source: rpc-semantics 13
 */
import { NodeFault, TransportFault } from "../../../core/client/client-fault.ts";
import type { RpcCall } from "../../../core/client/transport.ts";
import { transactionStatusName } from "../../../core/fault/transaction-status.ts";
import type { BenchClock } from "./bench-clock.ts";

/** What a receipt reports, as far as a benchmark looks. */
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

/** Between two examines the height. */
const LOOK_MS = 10;
/** After a look that failed. */
const RETRY_MS = 200;
/** Requests that are sent at one time. */
const AT_ONCE = 64;
const BATCH_METHOD = "getBatchReceiptsByBlockNumberAndRange";
/** Source: rpc-semantics 13 */
const NO_SUCH_RECEIPT = -40099;
const NO_SUCH_METHOD = -32601;

/** A receipt as nodes report it. */
interface Told {
  readonly transactionHash: string;
  readonly status: string;
  readonly output: string;
}

/** Receipts by hash. */
export class ReceiptWatch {
  readonly #parts: WatchParts;
  readonly #waiting = new Map<string, { readonly settle: (receipt: LaneReceipt) => void }>();
  #next: number | undefined;
  #isLooking = false;
  #isClosed = false;
  /** Whether nodes report all receipts of a block at one time. */
  #hasBatch = true;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Looks where the chain is; blocks after that are examined. */
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

  /** No caller waits for it any more. */
  forget(hash: string): void {
    this.#waiting.delete(hash);
  }

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
        // The node is away for the moment; a caller that waits gives up by its own limit.
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
      // Only now: a block that could not be examined is examined again.
      this.#next = next + 1;
    }
  }

  async #take(number: number, ask: Ask): Promise<void> {
    if (!this.#hasBatch) return await this.#takeEach(number, ask);
    const params = [this.#parts.groupId, `${number}`, "0", "-1", false];
    try {
      const told = await ask({ method: BATCH_METHOD, params });
      const { transactionReceipts } = told as { readonly transactionReceipts: readonly Told[] };
      for (const receipt of transactionReceipts) this.#settle(receipt.transactionHash, receipt);
    } catch (cause) {
      if (!(cause instanceof NodeFault)) throw cause;
      // A block without transactions has no first receipt.
      if (cause.code === NO_SUCH_RECEIPT) return;
      if (cause.code !== NO_SUCH_METHOD) throw cause;
      this.#hasBatch = false;
      await this.#takeEach(number, ask);
    }
  }

  async #takeEach(number: number, ask: Ask): Promise<void> {
    const params = [this.#parts.groupId, `${number}`, false];
    const told = await ask({ method: "getBlockByNumber", params });
    const { transactions } = told as { readonly transactions: readonly string[] };
    const wanted = transactions.filter((hash) => this.#waiting.has(hash));
    for (let at = 0; at < wanted.length; at += AT_ONCE)
      await Promise.all(wanted.slice(at, at + AT_ONCE).map((hash) => this.#fetch(hash, ask)));
  }

  async #fetch(hash: string, ask: Ask): Promise<void> {
    const params = [this.#parts.groupId, hash];
    const told = await ask({ method: "getTransactionReceipt", params });
    if (told === null) throw new TransportFault(`${hash} has a block and no receipt`);
    this.#settle(hash, told as Told);
  }

  #settle(hash: string, { status, output }: Told): void {
    const waiting = this.#waiting.get(hash);
    if (waiting === undefined) return;
    this.#waiting.delete(hash);
    waiting.settle({ status: Number(status), output });
  }
}
