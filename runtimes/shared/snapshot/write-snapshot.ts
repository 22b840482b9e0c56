/** A group's ledger as a snapshot: a stream of bytes, the same whatever the store. */
import { ByteWriter } from "../../../core/bytes/cursor.ts";
import { bodyKey, headerKey, receiptsKey } from "../../../core/ledger/keys.ts";
import type { Ledger } from "../../../core/ledger/ledger-view.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import {
  decodeBody,
  decodeHeaderRecord,
  decodeReceiptTable,
} from "../../../core/ledger/records.ts";
import type { Seal } from "../../../core/model/header.ts";
import { encodeHeader } from "../../../core/model/header.ts";
import { formatVersion, type Version } from "../../../core/model/version.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { Store } from "../../../core/ports/store.ts";
import { openRows } from "../../../core/storage/row-codec.ts";
import { rowPlace } from "../ledger-check/row-check.ts";
import { entriesOf } from "../store-pages.ts";
import { CHUNK, CHUNK_BYTES, type ChunkKind, fileHead, packChunk, SnapshotFault } from "./chunk.ts";
import {
  ContentHash,
  encodeText,
  type SnapshotBlock,
  type SnapshotFacts,
  type SnapshotSums,
  writeBlock,
  writeRows,
  writeSeals,
} from "./content.ts";

interface WriteSnapshotOptions {
  /** Nobody writes to it meanwhile. */
  readonly store: Store;
  readonly suite: CryptoSuite;
  readonly version: Version;
  readonly chainId: number;
  readonly groupId: number;
  readonly consensusType: "pbft" | "raft";
  readonly progress: (place: string) => void;
}

/** Writes; a class because the chunks share a hash and sums. */
class SnapshotWriter {
  readonly #options: WriteSnapshotOptions;
  readonly #ledger: Ledger;
  readonly #hash = new ContentHash();
  readonly #sums = { blocks: 0, transactions: 0, keys: 0 };

  constructor(options: WriteSnapshotOptions) {
    this.#options = options;
    this.#ledger = openLedger(options);
  }

  async *run(): AsyncGenerator<Uint8Array, SnapshotSums> {
    yield fileHead();
    yield await this.#pack(CHUNK.facts, encodeText(this.#facts()));
    yield* this.#blocks();
    yield* this.#rows();
    const sums = { ...this.#sums, contentHash: await this.#hash.digest() };
    yield await this.#pack(CHUNK.end, encodeText(sums));
    return sums;
  }

  #facts(): SnapshotFacts {
    const { chainId, groupId, version, suite, consensusType } = this.#options;
    const { number, hash } = this.#ledger.head();
    const genesisHash = this.#ledger.genesisHash();
    const supportedVersion = formatVersion(version);
    const rules = { supportedVersion, suite: suite.name, consensusType };
    return { chainId, groupId, genesisHash, number, hash, ...rules };
  }

  async #pack(kind: ChunkKind, content: Uint8Array): Promise<Uint8Array> {
    const { bytes, hash } = await packChunk(kind, content);
    this.#hash.add({ kind, hash });
    return bytes;
  }

  async *#blocks(): AsyncGenerator<Uint8Array> {
    const { progress } = this.#options;
    const { number: last } = this.#ledger.head();
    let [blocks, seals] = [new ByteWriter(CHUNK_BYTES), new ByteWriter()];
    for (let number = 0; number <= last; number++) {
      progress(`block ${number} of ${last}`);
      const { block, sealed } = await this.#block(number);
      writeBlock(blocks, block);
      writeSeals(seals, sealed);
      this.#sums.blocks += 1;
      this.#sums.transactions += block.transactions.length;
      // Where a chunk ends depends on what members have alike.
      if (blocks.length < CHUNK_BYTES && number < last) continue;
      yield await this.#pack(CHUNK.blocks, blocks.finish());
      yield await this.#pack(CHUNK.seals, seals.finish());
      [blocks, seals] = [new ByteWriter(CHUNK_BYTES), new ByteWriter()];
    }
  }

  async #block(
    number: number,
  ): Promise<{ readonly block: SnapshotBlock; readonly sealed: readonly Seal[] }> {
    const { store } = this.#options;
    const missing = (what: string) =>
      new SnapshotFault(`block ${number} has no ${what}: chain-node check says what is damaged`);
    const hash = await this.#ledger.hashOf(number);
    const bytes = hash && (await store.load(headerKey(hash)));
    if (!hash || !bytes) throw missing("header");
    const { header, seals: sealed, unexecuted, transactionCount } = decodeHeaderRecord(bytes);
    const headerRlp = encodeHeader(header);
    const none = { transactions: [], senders: [], receipts: [] };
    if (transactionCount === 0) return { block: { headerRlp, ...none }, sealed };
    const body = await store.load(bodyKey(unexecuted));
    const receipts = await store.load(receiptsKey(hash));
    if (!body || !receipts) throw missing(body ? "receipts" : "body");
    const block = { headerRlp, ...decodeBody(body), receipts: decodeReceiptTable(receipts) };
    return { block, sealed };
  }

  async *#rows(): AsyncGenerator<Uint8Array> {
    let writer = new ByteWriter(CHUNK_BYTES);
    for await (const { key, value } of entriesOf(this.#options.store, ["r", "s"])) {
      this.#options.progress(`${this.#sums.keys} keys with rows`);
      const { table, row } = rowPlace(key);
      writeRows(writer, { table, key: row, rows: openRows(row, value) });
      this.#sums.keys += 1;
      if (writer.length < CHUNK_BYTES) continue;
      yield await this.#pack(CHUNK.rows, writer.finish());
      writer = new ByteWriter(CHUNK_BYTES);
    }
    if (writer.length > 0) yield await this.#pack(CHUNK.rows, writer.finish());
  }
}

/**
 * The bytes of a snapshot, in pieces of about a MiB; returns its sums.
 * @throws StoreFault, SnapshotFault when the ledger is damaged
 */
export function writeSnapshot(
  options: WriteSnapshotOptions,
): AsyncGenerator<Uint8Array, SnapshotSums> {
  return new SnapshotWriter(options).run();
}
