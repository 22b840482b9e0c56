/** What the explorer reads of a group, with a memory of what never changes. */
import { type BlockOf, type TypedRequest, typedRequest } from "../../../core/client/rpc-methods.ts";
import type { BatchReceipts, Hex, Receipt, Transaction } from "../../../core/client/rpc-objects.ts";
import { Recent } from "../../data/recent.ts";
import type { ChainSource } from "../../data/source.ts";
import { text } from "../../texts.ts";

/** A block as a line of a list shows it. */
export interface BlockSummary {
  readonly number: number;
  readonly hash: Hex;
  /** Milliseconds. */
  readonly time: number;
  readonly transactions: number;
  /** Node ID; undefined for the genesis block. */
  readonly sealer: string | undefined;
}

/** What a receipt reports in a list. */
export type ReceiptLine = NonNullable<BatchReceipts["transactionReceipts"]>[number];

/** Blocks with all their transactions. */
export type WholeBlock = BlockOf<true>;

/** A transaction and its receipt; without one it waits for its block. */
export interface Executed {
  readonly transaction: Transaction;
  readonly receipt: Receipt | null;
}

/** The node answered something else than it was asked for. */
export class OtherAnswerError extends Error {
  override readonly name = "OtherAnswerError";
}

const MOST_SUMMARIES = 4_000;
const MOST_BLOCKS = 24;
const MOST_TRANSACTIONS = 200;
const MOST_LINES = 64;

function summaryOf(block: Omit<BlockOf<false>, "transactions">, count: number): BlockSummary {
  const number = Number(block.number);
  return {
    number,
    hash: block.hash,
    time: Number(block.timestamp),
    transactions: count,
    sealer: number === 0 ? undefined : block.sealerList[Number(block.sealer)],
  };
}

let made = 0;

/** Reads of one group of one source. */
export class ChainReads {
  /** Tells these reads from those of a source that was opened anew at the same address. */
  readonly id = ++made;
  readonly source: ChainSource;
  readonly groupId: number;
  /** An operation by its name, with all parameters. */
  readonly request: TypedRequest;
  readonly #summaries = new Recent<number, BlockSummary>(MOST_SUMMARIES);
  readonly #blocks = new Recent<string, WholeBlock>(MOST_BLOCKS);
  readonly #executed = new Recent<string, Executed>(MOST_TRANSACTIONS);
  readonly #lines = new Recent<string, readonly ReceiptLine[]>(MOST_LINES);
  readonly #proofs = new WeakMap<object, string>();
  #chainKey: Promise<Hex> | undefined;

  constructor(source: ChainSource, groupId: number) {
    this.source = source;
    this.groupId = groupId;
    this.request = typedRequest({
      request: async (call, signal) => {
        const answer = await source.request(call, signal);
        const proof = source.proofOf?.(call);
        if (proof !== undefined && typeof answer === "object" && answer !== null) {
          this.#proofs.set(answer, proof);
        }
        return answer;
      },
    });
  }

  /** What an answer of the group rests on, where a gateway gave it: the text of its header. */
  proofOf(answer: object | null | undefined): string | undefined {
    return answer ? this.#proofs.get(answer) : undefined;
  }

  /** The code at an address, and what that rests on. */
  async code(address: string): Promise<{ readonly code: Hex; readonly proof: string | undefined }> {
    const call = { method: "getCode", params: [this.groupId, address] };
    const code = (await this.source.request(call)) as Hex;
    return { code, proof: this.source.proofOf?.(call) };
  }

  /** Hash of block 0: what distinguishes chains and groups. */
  chainKey(): Promise<Hex> {
    this.#chainKey ??= this.request("getBlockHashByNumber", [this.groupId, 0]).catch((cause) => {
      this.#chainKey = undefined;
      throw cause;
    });
    return this.#chainKey;
  }

  /** The line of a block, when it is known already. */
  known(number: number): BlockSummary | undefined {
    return this.#summaries.get(number);
  }

  /** The line of a block. */
  summary(number: number): Promise<BlockSummary> {
    return this.#summaries.load(number, async () => {
      const block = await this.request("getBlockByNumber", [this.groupId, number, false]);
      return summaryOf(block, block.transactions.length);
    });
  }

  /** A block of a number, or of a hash. */
  block(id: string): Promise<WholeBlock> {
    return this.#blocks.load(id, async () => {
      const { groupId } = this;
      const found = /^0x[0-9a-f]{64}$/i.test(id)
        ? await this.request("getBlockByHash", [groupId, id, true])
        : await this.request("getBlockByNumber", [groupId, id, true]);
      const block = found as WholeBlock;
      const isAsked = /^0x[0-9a-f]{64}$/i.test(id)
        ? block.hash === id.toLowerCase()
        : Number(block.number) === Number(id);
      if (!isAsked) throw new OtherAnswerError(text("explorer.other.block"));
      this.#summaries.set(Number(block.number), summaryOf(block, block.transactions.length));
      return block;
    });
  }

  /** A transaction of a block with its receipt, or one of the pool; undefined for neither. */
  async executed(hash: string): Promise<Executed | undefined> {
    const known = this.#executed.get(hash);
    if (known) return known;
    const [transaction, receipt] = await Promise.all([
      this.request("getTransactionByHash", [this.groupId, hash]),
      this.request("getTransactionReceipt", [this.groupId, hash]),
    ]);
    if (transaction === null) return undefined;
    const isAsked = [transaction.hash, receipt?.transactionHash ?? transaction.hash].every(
      (it) => it === hash.toLowerCase(),
    );
    if (!isAsked) throw new OtherAnswerError(text("explorer.other.transaction"));
    const executed = { transaction, receipt };
    if (receipt !== null) this.#executed.set(hash, executed);
    return executed;
  }

  /** Receipts of a block from a position on, in short form. */
  receiptLines(number: number, from: number, count: number): Promise<readonly ReceiptLine[]> {
    return this.#lines.load(`${number}:${from}:${count}`, async () => {
      const params = [this.groupId, number, from, count, false] as const;
      const batch = await this.request("getBatchReceiptsByBlockNumberAndRange", params);
      return typeof batch === "string" ? [] : (batch.transactionReceipts ?? []);
    });
  }
}

const kept = new WeakMap<ChainSource, Map<number, ChainReads>>();

/** The reads of a group; one memory for all pages that show it. */
export function readsOf(source: ChainSource, groupId: number): ChainReads {
  const groups = kept.get(source) ?? new Map<number, ChainReads>();
  kept.set(source, groups);
  const reads = groups.get(groupId) ?? new ChainReads(source, groupId);
  groups.set(groupId, reads);
  return reads;
}
