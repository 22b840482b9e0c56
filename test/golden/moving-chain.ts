/**
 * A recorded group that is executed block by block while recorded requests are asked: a real
 * executor, ledger and pool; blocks come when all their transactions were sent, or when a request
 * needs a later height.
 */
import assert from "node:assert/strict";
import { hexBytes, toHex } from "../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { createBlockProcessor } from "../../core/execution/block-processor.ts";
import { prepareGenesis } from "../../core/ledger/genesis-block.ts";
import type { Ledger } from "../../core/ledger/ledger-view.ts";
import { openLedger } from "../../core/ledger/ledger.ts";
import type { GenesisConfig } from "../../core/model/config.ts";
import type { Seal } from "../../core/model/header.ts";
import {
  decodeTransaction,
  recoverSender,
  type SignedTransaction,
  withSender,
} from "../../core/model/transaction.ts";
import type { Version } from "../../core/model/version.ts";
import type { GroupApi, SubmitOutcome } from "../../core/api/node-api.ts";
import type { LedgerApi, SealedHeader } from "../../core/ports/ledger.ts";
import type { ExecuteRequest, Executor } from "../../core/ports/executor.ts";
import { openMemoryStore } from "../../core/storage/memory-store.ts";
import { DEFAULT_POOL_LIMITS } from "../support/world/pool-builders.ts";
import { addBlockNonces, createNonceWindow } from "../../core/txpool/nonce-window.ts";
import { clearPool, importBatch, onBlock, pendingTransactions } from "../../core/txpool/pool.ts";
import { createPool, type TxPool } from "../../core/txpool/state.ts";

/** A block as it was recorded, as far as it was. */
export interface PlannedBlock {
  readonly number: number;
  /** Without a parent when the hash of the block below is not known. */
  readonly request: ExecuteRequest;
  readonly seals: readonly Seal[];
  /** The recorded hash. */
  readonly hash: Hash;
  /** Whether everything that the hash covers was recorded. */
  readonly isWhole: boolean;
}

/** What a chain is made of. */
export interface MovingOptions {
  readonly suite: CryptoSuite;
  readonly version: Version;
  readonly genesis: GenesisConfig;
  /** As recorded, if it was. */
  readonly genesisHash?: Hash;
  /** Blocks from 1 on. */
  readonly blocks: readonly PlannedBlock[];
}

type Undecodable = Extract<SubmitOutcome, { readonly refusal: "undecodable" }>;

/** The chain. One class because it has a head, a pool and what was seen of it. */
export class MovingChain {
  readonly genesis: GenesisConfig;
  readonly #options: MovingOptions;
  readonly #processor: Executor;
  readonly #ledger: Ledger;
  readonly #pool: TxPool;
  readonly #seals = new Map<Hash, readonly Seal[]>();
  readonly #accepted = new Set<Hash>();
  /** Signers of the transactions that the pool was filled with: it is filled with them often. */
  readonly #signed = new Map<Uint8Array, SignedTransaction>();
  /** Our hash of a block to the recorded one, where a time or a sealer was not recorded. */
  readonly #recordedHashes = new Map<string, string>();
  #members: readonly NodeId[] = [];
  #sealers: readonly NodeId[] = [];

  private constructor(options: MovingOptions, processor: Executor, ledger: Ledger) {
    this.#options = options;
    this.genesis = options.genesis;
    this.#processor = processor;
    this.#ledger = ledger;
    const window = createNonceWindow(1);
    addBlockNonces(window, 0, []);
    this.#pool = createPool(DEFAULT_POOL_LIMITS, window);
  }

  static async open(options: MovingOptions): Promise<MovingChain> {
    const rules = { ...options, store: openMemoryStore() };
    const { hash } = await prepareGenesis(rules.store, rules);
    assert.equal(hash, options.genesisHash ?? hash, "hash of the genesis block");
    const chain = new MovingChain(options, createBlockProcessor(rules), openLedger(rules));
    await chain.#readRoles();
    return chain;
  }

  get head(): number {
    return this.#ledger.head().number;
  }

  get sealers(): readonly NodeId[] {
    return this.#sealers;
  }

  isMember(nodeId: NodeId): boolean {
    return this.#members.includes(nodeId);
  }

  /** The ledger with the seals that were recorded in the answer that is compared next. */
  get ledger(): LedgerApi {
    const ledger = this.#ledger;
    const sealed = <T extends SealedHeader>(block: T | undefined): T | undefined =>
      block && { ...block, seals: this.#seals.get(block.hash) ?? block.seals };
    return {
      ...ledger,
      header: async (hash) => sealed(await ledger.header(hash)),
      block: async (hash) => sealed(await ledger.block(hash)),
    };
  }

  get pending(): readonly SignedTransaction[] {
    return pendingTransactions(this.#pool);
  }

  readonly call: GroupApi["call"] = (request) => this.#processor.call(request);

  /** Replaces the seals of a block: every node keeps the quorum that it saw. */
  setSeals(hash: Hash, seals: readonly Seal[]): void {
    this.#seals.set(hash, seals);
  }

  /** Imports a transaction; a block follows when all of its transactions were accepted. */
  async submit(raw: Uint8Array): Promise<SubmitOutcome> {
    const read = this.#read(raw);
    if ("ok" in read) return read;
    const outcome = this.#add(read);
    if (outcome.ok) this.#accepted.add(outcome.hash);
    for (;;) {
      const due = this.#options.blocks[this.head]?.request.hashes ?? [];
      if (due.length === 0 || !due.every((hash) => this.#accepted.has(hash))) return outcome;
      await this.#writeNext();
    }
  }

  /** Lets exactly these transactions of later blocks wait. */
  fillPool(raws: readonly Uint8Array[]): void {
    clearPool(this.#pool);
    for (const raw of raws) {
      const transaction = this.#signed.get(raw) ?? this.#read(raw);
      assert.ok(!("ok" in transaction));
      this.#signed.set(raw, transaction);
      assert.ok(this.#add(transaction).ok);
    }
  }

  /** The bytes of a recorded transaction. */
  rawOf(hash: Hash): Uint8Array {
    for (const { request } of this.#options.blocks) {
      const raw = request.transactions[request.hashes.indexOf(hash)];
      if (raw !== undefined) return raw;
    }
    return assert.fail(`no transaction ${hash}`);
  }

  /** The first transactions above the head. */
  later(count: number): readonly Uint8Array[] {
    const above = this.#options.blocks.slice(this.head);
    return above.flatMap(({ request }) => request.transactions).slice(0, count);
  }

  /** Height below the block of a transaction; 0 when it is in none. */
  heightBefore(hash: string): number {
    const block = this.#options.blocks.find(({ request }) => request.hashes.includes(hash as Hash));
    return block === undefined ? 0 : block.number - 1;
  }

  /** Writes blocks up to a height; never goes back. */
  async advanceTo(height: number): Promise<void> {
    while (this.head < height) await this.#writeNext();
  }

  /** A text of ours with the recorded hashes in the place of ours. */
  asRecorded(text: string): string {
    if (this.#recordedHashes.size === 0) return text;
    return text.replace(/[0-9a-f]{64}/g, (hash) => this.#recordedHashes.get(hash) ?? hash);
  }

  /** The transaction with its sender, or why there is none. */
  #read(raw: Uint8Array): SignedTransaction | Undecodable {
    const { suite } = this.#options;
    const decoded = decodeTransaction(raw, suite);
    if (!decoded.ok) return { ok: false, refusal: "undecodable", reason: decoded.reason };
    const from = recoverSender(decoded.transaction, suite);
    if (from === undefined)
      return { ok: false, refusal: "undecodable", reason: "InvalidSignature" };
    return withSender(decoded.transaction, from);
  }

  #add(transaction: SignedTransaction): SubmitOutcome {
    const { groupId } = this.#options.genesis;
    const context = { head: this.head, chainId: 1, groupId, now: 0 };
    const [outcome] = importBatch(this.#pool, [{ transaction }], context);
    assert.ok(outcome);
    return outcome;
  }

  async #writeNext(): Promise<void> {
    const planned = this.#options.blocks[this.head];
    assert.ok(planned, `block ${this.head + 1} was recorded`);
    const { request, number, seals } = planned;
    const header = { ...request.header, parentHash: this.#ledger.head().hash };
    const outcome = await this.#processor.execute({ ...request, header });
    assert.ok(outcome.ok, `block ${number}: ${outcome.ok ? "" : outcome.reason}`);
    const { hash } = outcome.block;
    if (planned.isWhole) assert.equal(hash, planned.hash, `hash of block ${number}`);
    else this.#recordedHashes.set(hash.slice(2), planned.hash.slice(2));
    await this.#processor.write(hash, seals);
    this.#ledger.refresh();
    onBlock(this.#pool, this.#committed(request.hashes, request.transactions));
    await this.#readRoles();
  }

  #committed(hashes: readonly Hash[], raws: readonly Uint8Array[]) {
    const nonces = raws.map((raw) => {
      const decoded = decodeTransaction(raw, this.#options.suite);
      assert.ok(decoded.ok);
      return decoded.transaction.nonce;
    });
    return { number: this.head, hashes, nonces };
  }

  async #readRoles(): Promise<void> {
    this.#sealers = await this.#ledger.sealers();
    this.#members = [...this.#sealers, ...(await this.#ledger.observers())];
  }

  /** The recorded seals must be seals of the block. */
  assertSeals(hash: Hash, sealers: readonly NodeId[], seals: readonly Seal[]): void {
    const digest = hexBytes(hash);
    for (const { index, signature } of seals) {
      const key = this.#options.suite.recover(digest, signature);
      assert.equal(key && toHex(key), sealers[index]);
    }
  }
}
