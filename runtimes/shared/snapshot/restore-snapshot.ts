/**
 * A snapshot into an empty store: the chain of hashes, roots and certificates is checked on the
 * way, indexes are made anew, and the group begins as a silent observer. Source: decision 25
 */
import { hashOf } from "../../../core/bytes/hex.ts";
import { type Hash, type NodeId, ZERO_HASH } from "../../../core/bytes/ids.ts";
import { encodeRlp } from "../../../core/bytes/rlp.ts";
import { FORMAT_RECORD, type GenesisOptions } from "../../../core/ledger/genesis-block.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import { blockRecords } from "../../../core/ledger/writer.ts";
import {
  decodeHeader,
  type Header,
  headerHash,
  type Seal,
  unexecuted,
} from "../../../core/model/header.ts";
import { decodeReceipt } from "../../../core/model/receipt.ts";
import { receiptsRoot, transactionsRoot } from "../../../core/model/roots.ts";
import { decodeTransaction, type Transaction } from "../../../core/model/transaction.ts";
import { writeAbstention } from "../../../core/node/voting/abstention-store.ts";
import type { Store, StoreKey, StoreWrite } from "../../../core/ports/store.ts";
import { encodeRows } from "../../../core/storage/row-codec.ts";
import { rowsKey } from "../../../core/storage/system-tables.ts";
import { sealVerdict } from "../ledger-check/block-check.ts";
import type { Defect } from "../ledger-check/defect.ts";
import { firstSealers } from "../ledger-check/ledger-check.ts";
import { checkStateRows } from "../ledger-check/row-check.ts";
import { CHUNK, type Chunk, readChunks, SnapshotFault } from "./chunk.ts";
import {
  ContentHash,
  decodeFacts,
  decodeSums,
  readBlocks,
  readRows,
  readSeals,
  type SnapshotBlock,
  type SnapshotFacts,
  type SnapshotSums,
} from "./content.ts";

/** Where a snapshot goes; the group's own file says who seals, and whether blocks are sealed. */
export interface RestoreOptions extends GenesisOptions {
  /** Empty; useless when the restoring fails. */
  readonly store: Store;
  /** Called with the facts before anything is written; throws to refuse them. */
  readonly admit: (facts: SnapshotFacts) => void;
  readonly progress: (place: string) => void;
}

/** What came out of a snapshot. */
export interface Restored {
  readonly facts: SnapshotFacts;
  readonly sums: SnapshotSums;
}

/** Writes that are handed to the store at once. */
const BATCH_WRITES = 2_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Restores; a class because each chunk goes on where the one before ended. */
class SnapshotReader {
  readonly #options: RestoreOptions;
  readonly #hash = new ContentHash();
  readonly #sums = { blocks: 0, transactions: 0, keys: 0 };
  /** For the counters: receipts with a status other than 0. */
  #failed: number | undefined = 0;
  #facts: SnapshotFacts | undefined;
  #ended: SnapshotSums | undefined;
  /** A chunk of blocks that wait for their seals. */
  #waiting: Uint8Array | undefined;
  #parent: Hash = ZERO_HASH;
  /** Who seals the next block; undefined behind transactions, which may have changed it. */
  #sealers: readonly NodeId[] | undefined;
  #lastKey: StoreKey = "";
  #writes: StoreWrite[] = [];
  #bytes = 0;

  constructor(options: RestoreOptions) {
    this.#options = options;
  }

  async run(source: AsyncIterable<Uint8Array>): Promise<Restored> {
    this.#sealers = await firstSealers(this.#options);
    for await (const chunk of readChunks(source, () => this.#place())) {
      this.#hash.add(chunk);
      await this.#chunk(chunk);
    }
    const facts = this.#facts;
    const sums = this.#ended;
    if (!facts || !sums) throw new SnapshotFault("the snapshot has no beginning or no end");
    await this.#finish(facts, sums);
    return { facts, sums };
  }

  /** What the next chunk is about. */
  #place(): string {
    if (!this.#facts) return "what the snapshot is of";
    if (this.#sums.blocks <= this.#facts.number) return `from block ${this.#sums.blocks} on`;
    return this.#waiting ? "seals" : `rows behind key ${this.#sums.keys}`;
  }

  async #chunk({ kind, content }: Chunk): Promise<void> {
    if (!this.#facts && kind !== CHUNK.facts) throw this.#wrong("another chunk stands first");
    switch (kind) {
      case CHUNK.facts:
        if (this.#facts) throw this.#wrong("a second beginning");
        this.#facts = decodeFacts(content);
        this.#options.admit(this.#facts);
        return;
      case CHUNK.blocks:
        if (this.#waiting) throw this.#wrong("blocks without seals");
        this.#waiting = content;
        return;
      case CHUNK.seals:
        return this.#blocks(content);
      case CHUNK.rows:
        return this.#rows(content);
      case CHUNK.end:
        this.#ended = decodeSums(content);
        return;
    }
  }

  #wrong(what: string): SnapshotFault {
    return new SnapshotFault(`the snapshot is damaged (${this.#place()}): ${what}`);
  }

  /** One block at a time: what a chunk says to hold need not fit into memory. */
  async #blocks(sealed: Uint8Array): Promise<void> {
    const waiting = this.#waiting;
    if (!waiting) throw this.#wrong("seals without blocks");
    const seals = readSeals(sealed);
    for (const block of readBlocks(waiting)) {
      if (!block) throw this.#wrong("blocks that do not decode");
      const { value, done = false } = seals.next();
      if (done || !value) throw this.#wrong("blocks and seals that do not match");
      await this.#block(block, value);
    }
    if (seals.next().done !== true) throw this.#wrong("blocks and seals that do not match");
    this.#waiting = undefined;
  }

  async #block(block: SnapshotBlock, seals: readonly Seal[]): Promise<void> {
    const number = this.#sums.blocks;
    this.#options.progress(`block ${number} of ${this.#facts?.number ?? 0}`);
    const { suite } = this.#options;
    const header = decodeHeader(block.headerRlp);
    if (header?.number !== number) throw this.#wrong(`block ${number} is not there`);
    const hash = headerHash(header, suite);
    if (header.parentHash !== this.#parent) throw this.#wrong(`block ${number} has another parent`);
    if (number === 0 && hash !== this.#facts?.genesisHash)
      throw this.#wrong("block 0 is another one");
    const transactions = block.transactions.map((raw) => this.#transaction(raw, number));
    if (number > 0) this.#requireTrue(block, header, transactions);
    if (number > 0) this.#requireSealed({ header, hash, seals });
    if (number > 0) this.#sealers = transactions.length === 0 ? header.sealerList : undefined;
    this.#parent = hash;
    const records = blockRecords({
      ...block,
      number,
      hash,
      seals,
      unexecuted: number === 0 ? hash : headerHash(unexecuted(header), suite),
      body: block,
      hashes: transactions.map((transaction) => transaction.hash),
      nonces: transactions.map(({ nonce }) => encodeRlp(nonce)),
      bodyIsStored: false,
    });
    for (const record of records) this.#put(record);
    this.#sums.blocks += 1;
    this.#countFailed(block);
    this.#sums.transactions += transactions.length;
    await this.#flushWhenFull();
  }

  #countFailed({ receipts }: SnapshotBlock): void {
    for (const raw of receipts) {
      const receipt = decodeReceipt(raw, this.#options.version);
      if (receipt && this.#failed !== undefined) this.#failed += receipt.status === 0 ? 0 : 1;
      if (!receipt) this.#failed = undefined;
    }
  }

  #transaction(raw: Uint8Array, number: number): Transaction {
    const decoding = decodeTransaction(raw, this.#options.suite);
    if (decoding.ok) return decoding.transaction;
    throw this.#wrong(`a transaction of block ${number} does not decode`);
  }

  #requireTrue(
    { receipts }: SnapshotBlock,
    header: Header,
    transactions: readonly Transaction[],
  ): void {
    const { suite } = this.#options;
    const { number } = header;
    if (transactionsRoot(transactions, this.#options) !== header.transactionsRoot)
      throw this.#wrong(`the transactions of block ${number} do not have its root`);
    const items = receipts.map((raw) => ({ raw, hash: hashOf(suite.hash(raw)) }));
    const isWhole = receipts.length === transactions.length;
    if (!isWhole || receiptsRoot(items, this.#options) !== header.receiptsRoot)
      throw this.#wrong(`the receipts of block ${number} do not have its root`);
  }

  /** By the sealers that follow from the block before. Raft groups have no seals. */
  #requireSealed(block: { header: Header; hash: Hash; seals: readonly Seal[] }): void {
    const { header, seals } = block;
    if (this.#sealers && this.#sealers.join() !== header.sealerList.join())
      throw this.#wrong(`block ${header.number} names other sealers`);
    if (this.#options.genesis.consensusType === "raft" && seals.length === 0) return;
    const verdict = sealVerdict(block, header.sealerList, this.#options.suite);
    if (verdict !== "ok") throw this.#wrong(`the seals of block ${header.number}: ${verdict}`);
  }

  async #rows(content: Uint8Array): Promise<void> {
    for (const found of readRows(content)) {
      if (!found) throw this.#wrong("rows that do not decode");
      const { table, key, rows } = found;
      const place = rowsKey(table, key);
      if (place <= this.#lastKey) throw this.#wrong("rows that are out of order");
      this.#lastKey = place;
      this.#put({ key: place, value: encodeRows(key, rows) });
      this.#sums.keys += 1;
      await this.#flushWhenFull();
    }
    this.#options.progress(`${this.#sums.keys} keys with rows`);
  }

  #put(write: StoreWrite): void {
    this.#writes.push(write);
    this.#bytes += write.value?.length ?? 0;
  }

  async #flushWhenFull(): Promise<void> {
    if (this.#writes.length < BATCH_WRITES && this.#bytes < BATCH_BYTES) return;
    await this.#flush(false);
  }

  async #flush(durable: boolean): Promise<void> {
    const writes = this.#writes;
    this.#writes = [];
    this.#bytes = 0;
    await this.#options.store.commit(writes, { durable });
  }

  async #finish(facts: SnapshotFacts, sums: SnapshotSums): Promise<void> {
    const { store } = this.#options;
    const contentHash = await this.#hash.digest();
    if (contentHash !== sums.contentHash)
      throw new SnapshotFault(`the content has the hash ${contentHash}, not ${sums.contentHash}`);
    const names = ["blocks", "transactions", "keys"] as const;
    const other = names.find((name) => sums[name] !== this.#sums[name]);
    if (other) throw new SnapshotFault(`the snapshot has ${this.#sums[other]} ${other}`);
    this.#put(FORMAT_RECORD);
    await this.#flush(true);
    const head = openLedger(this.#options).head();
    if (head.number !== facts.number || head.hash !== facts.hash || this.#parent !== facts.hash)
      throw new SnapshotFault(`the rows are not those of block ${facts.number}, ${facts.hash}`);
    await this.#requireTrueRows(facts);
    await beginAbstention(store, facts.number);
  }

  /** What blocks say of rows: counters, ids, the sealers that the newest block names. */
  async #requireTrueRows({ number: head }: SnapshotFacts): Promise<void> {
    const { store, progress } = this.#options;
    const { transactions } = this.#sums;
    let first: Defect | undefined;
    const report = (defect: Defect) => {
      first ??= defect;
    };
    await checkStateRows({
      store,
      report,
      head,
      sums: { transactions, failed: this.#failed, filled: undefined },
      progress: (keys) => progress(`comparing rows: ${keys} keys`),
    });
    if (!first) return;
    const { what, stored, expected } = first;
    throw new SnapshotFault(`the rows are not true: ${what} is ${stored}, not ${expected}`);
  }
}

/**
 * Nobody knows here what this key has reported above the head, which may be block 0.
 * Source: decision 25
 */
export async function beginAbstention(store: Store, head: number): Promise<void> {
  await writeAbstention(store, { mode: "silent", cause: "copied", since: head });
}

/**
 * Restores a snapshot.
 * @throws SnapshotFault when it is damaged, of a newer program or not true to itself; StoreFault;
 *   what `admit` throws
 */
export function restoreSnapshot(
  source: AsyncIterable<Uint8Array>,
  options: RestoreOptions,
): Promise<Restored> {
  return new SnapshotReader(options).run(source);
}
