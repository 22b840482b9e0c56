/**
 * A recorded ledger through the executor, from its genesis: each block is executed from what a
 * proposal holds, and everything that the record shows of it is compared.
 * Source: tx-block-codec 3-8; pbft 8
 */
import { type Hash, ZERO_HASH } from "../../../core/bytes/ids.ts";
import { EMPTY_BLOOM } from "../../../core/crypto/bloom.ts";
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import { type GenesisOptions, prepareGenesis } from "../../../core/ledger/genesis-block.ts";
import type { Ledger } from "../../../core/ledger/ledger-view.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import type { Block } from "../../../core/model/block.ts";
import { type Header, headerHash, type Seal } from "../../../core/model/header.ts";
import { recoverSender } from "../../../core/model/transaction.ts";
import type { Executor } from "../../../core/ports/executor.ts";
import type { Store } from "../../../core/ports/store.ts";
import { presentBlock, presentHeader } from "../../../core/rpc/present.ts";
import { sealVerdict } from "../ledger-check/block-check.ts";
import { type Deviation, deviations, type Difference } from "./differences.ts";
import { LedgerFileFault } from "./ledger-file-fault.ts";
import {
  headerOf,
  presentReceipts,
  recordedHashOf,
  type RecordedBlock,
  type RecordedTransaction,
  sealsOf,
  transactionsOf,
} from "./recorded-block.ts";

/** What a replay works on. */
export interface ReplayOptions extends GenesisOptions {
  /** Empty: the chain is written into it. */
  readonly store: Store;
}

/** What became of a block. */
export interface ReplayedBlock {
  readonly number: number;
  readonly transactions: number;
  readonly differences: readonly Difference[];
  /** The chain cannot go on behind this block. */
  readonly stuck: boolean;
}

/** What a proposal holds of a header. */
function proposed(header: Header, parentHash: Hash): Header {
  return {
    ...header,
    parentHash,
    stateRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    logsBloom: EMPTY_BLOOM,
    gasUsed: 0n,
  };
}

/** A replay under way; a class because it owns a ledger. */
export class LedgerReplay {
  readonly #options: ReplayOptions;
  readonly #ledger: Ledger;
  readonly #executor: Executor;
  readonly #genesisHash: Hash;
  /** Hash of the block before, as recorded; undefined before block 0. */
  #recordedHead: Hash | undefined;

  private constructor(options: ReplayOptions, genesisHash: Hash) {
    const { store, suite, version } = options;
    this.#options = options;
    this.#genesisHash = genesisHash;
    this.#ledger = openLedger({ store, suite, version });
    this.#executor = createBlockProcessor(options);
  }

  /** Writes block 0. @throws StoreFault */
  static async open(options: ReplayOptions): Promise<LedgerReplay> {
    const { hash } = await prepareGenesis(options.store, options);
    return new LedgerReplay(options, hash);
  }

  /** The ledger that was computed. */
  get ledger(): Ledger {
    return this.#ledger;
  }

  /**
   * Executes the next block of the record and compares.
   *
   * @throws LedgerFileFault when the record is not in order
   */
  async next(recorded: RecordedBlock): Promise<ReplayedBlock> {
    const { number } = recorded;
    if (number === 0) return this.#first(recorded);
    const head = this.#ledger.head();
    if (number !== head.number + 1)
      throw new LedgerFileFault(`block ${number} stands where block ${head.number + 1} is wanted`);
    const transactions = transactionsOf(recorded, this.#options.suite);
    const found = this.#looksOf(recorded, transactions);
    const block = await this.#execute(recorded, transactions);
    if ("refusal" in block) {
      const executed = { field: "block", recorded: "executed", computed: block.refusal };
      return this.#outcome(recorded, [...found, executed], true);
    }
    return this.#outcome(recorded, [...found, ...this.#compare(recorded, block)], false);
  }

  async #first(recorded: RecordedBlock): Promise<ReplayedBlock> {
    if (this.#recordedHead) throw new LedgerFileFault("block 0 stands there twice");
    const block = await this.#block(this.#genesisHash);
    return this.#outcome(recorded, this.#compare(recorded, block), false);
  }

  #outcome(recorded: RecordedBlock, found: readonly Deviation[], stuck: boolean): ReplayedBlock {
    const { number, transactions } = recorded;
    const byField = new Map(found.map((deviation) => [deviation.field, deviation]));
    const differences = [...byField.values()].map((deviation) => ({ block: number, ...deviation }));
    return { number, transactions: transactions.length, differences, stuck };
  }

  /** What is wrong with the record by itself: hashes, signatures, seals. */
  #looksOf(
    recorded: RecordedBlock,
    transactions: readonly RecordedTransaction[],
  ): readonly Deviation[] {
    const found = transactions.flatMap(({ recordedHash, transaction: { hash } }, i) =>
      hash === recordedHash
        ? []
        : [{ field: `block.transactions[${i}].hash`, recorded: recordedHash, computed: hash }],
    );
    const hash = recordedHashOf(recorded);
    const header = headerOf(recorded);
    const computed = headerHash(header, this.#options.suite);
    if (hash !== computed) found.push({ field: "header.hash", recorded: hash, computed });
    return [...found, ...this.#sealDefects(recorded, header)];
  }

  /**
   * Seals are over the recorded hash, by the sealers that the chain had chosen; headers have them
   * ascending, whenever each was added. Source: pbft 1
   */
  #sealDefects(recorded: RecordedBlock, { sealerList }: Header): readonly Deviation[] {
    const { suite, genesis } = this.#options;
    const inForce = [...this.#ledger.groupConfig().sealers].sort();
    const found: Deviation[] = [];
    const [told, computed] = [sealerList.join(), inForce.join()];
    if (told !== computed) found.push({ field: "header.sealerList", recorded: told, computed });
    const seals = sealsOf(recorded);
    if (genesis.consensusType === "raft" && seals.length === 0) return found;
    const verdict = sealVerdict({ hash: recordedHashOf(recorded), seals }, inForce, suite);
    if (verdict === "ok") return found;
    const field = "header.signatureList";
    return [...found, { field, recorded: `${seals.length} seals`, computed: verdict }];
  }

  async #execute(
    recorded: RecordedBlock,
    transactions: readonly RecordedTransaction[],
  ): Promise<Block | { readonly refusal: string }> {
    const { suite } = this.#options;
    const senders = transactions.map(({ transaction }) => recoverSender(transaction, suite));
    const known = senders.flatMap((sender) => sender ?? []);
    const unsigned = senders.indexOf(undefined);
    if (unsigned >= 0) return { refusal: `nobody signed transaction ${unsigned}` };
    const outcome = await this.#executor.execute({
      header: proposed(headerOf(recorded), this.#ledger.head().hash),
      transactions: transactions.map(({ transaction }) => transaction.raw),
      hashes: transactions.map(({ transaction }) => transaction.hash),
      senders: known,
    });
    if (!outcome.ok) return { refusal: outcome.reason };
    const { hash } = outcome.block;
    await this.#executor.write(hash, sealsOf(recorded) as Seal[]);
    this.#ledger.refresh();
    return this.#block(hash);
  }

  async #block(hash: Hash): Promise<Block> {
    const block = await this.#ledger.block(hash);
    if (!block) throw new LedgerFileFault(`block ${hash} was written and is not there`);
    return block;
  }

  /**
   * Everything that the record shows against what was computed. What follows from the hash of a
   * block that differs is compared with the record's own hashes, so that a difference counts once.
   */
  #compare(recorded: RecordedBlock, block: Block): readonly Deviation[] {
    const told = recordedHashOf(recorded);
    const { parentHash } = headerOf(recorded);
    const isBehindDifference =
      parentHash !== block.header.parentHash && parentHash === this.#recordedHead;
    this.#recordedHead = told;
    const header = isBehindDifference ? { ...block.header, parentHash } : block.header;
    const chained = { ...block, header, hash: told };
    const own = isBehindDifference ? chained : { ...chained, hash: block.hash };
    const ofHeader = deviations("header", recorded.header, presentHeader(own, true));
    const known = new Map(ofHeader.map(({ field, ...values }) => [field, JSON.stringify(values)]));
    // The block repeats the header.
    const ofBlock = deviations("block", recorded.block, presentBlock(chained, true)).filter(
      ({ field, ...values }) =>
        known.get(field.replace("block", "header")) !== JSON.stringify(values),
    );
    const receipts = presentReceipts(chained);
    return [...deviations("receipts", recorded.receipts, receipts), ...ofHeader, ...ofBlock];
  }
}
