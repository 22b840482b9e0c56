/** What must hold of the chain of one group in every schedule, watched from outside the nodes. */
import { idBytes, nodeIdOf } from "../../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import { verifySeals } from "../../../core/consensus/certificate.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { headerHash } from "../../../core/model/header.ts";
import type { SignedTransaction } from "../../../core/model/transaction.ts";
import type { LedgerApi } from "../../../core/ports/ledger.ts";
import { BLOCK_LIMIT_WINDOW } from "../../../core/txpool/limits.ts";
import { Violation } from "../checkers.ts";

/** Where a transaction stands. */
interface Placed {
  readonly number: number;
  readonly blockHash: Hash;
}

/** What a group is made with. */
export interface ChainOptions {
  readonly groupId: number;
  /** An honest one, whatever the nodes use. */
  readonly suite: CryptoSuite;
  readonly consensus: "pbft" | "raft";
  readonly sealers: readonly NodeId[];
  /** The highest time that a block may have now, its parent's plus one aside: decision 27. */
  readonly latest: (() => number) | undefined;
}

/** Watches all nodes of one group. */
export class ChainChecker {
  readonly groupId: number;
  /** Transactions on the chain. */
  readonly placed = new Map<Hash, Placed>();
  readonly nonces = new Map<bigint, Hash>();
  readonly #suite: CryptoSuite;
  readonly #consensus: "pbft" | "raft";
  /** The block that every node must have at a height. */
  readonly #agreed = new Map<number, Hash>();
  readonly #unread = new Map<number, Hash>();
  /** In force at a height. */
  readonly #sealers = new Map<number, readonly NodeId[]>();
  #members: { readonly height: number; readonly nodeIds: readonly NodeId[] };
  /** Receipts that some node served. */
  readonly #served = new Map<Hash, Hash>();
  readonly #highest = new Map<number, number>();

  readonly #latest: (() => number) | undefined;
  /** Timestamps of blocks. */
  readonly #times = new Map<number, bigint>();

  constructor({ groupId, suite, consensus, sealers, latest }: ChainOptions) {
    this.#latest = latest;
    this.groupId = groupId;
    this.#suite = suite;
    this.#consensus = consensus;
    this.#sealers.set(1, sealers.toSorted());
    this.#members = { height: 1, nodeIds: sealers };
  }

  /** Sealers and observers after the highest block. */
  get members(): readonly NodeId[] {
    return this.#members.nodeIds;
  }

  /** Height of the highest block that anybody has. */
  get height(): number {
    return this.#agreed.size;
  }

  /** The sealers in force at a height; undefined when no node has got there. */
  sealersAt(height: number): readonly NodeId[] | undefined {
    return this.#sealers.get(height);
  }

  /** The block at a height; undefined when no node has one. */
  hashAt(number: number): Hash | undefined {
    return this.#agreed.get(number) ?? this.#unread.get(number);
  }

  /** The highest block that anybody has written. */
  get highestWritten(): number {
    return Math.max(this.height, ...this.#unread.keys());
  }

  /** A block was written whose group stops or has failed: it is examined when it begins again. */
  unread(number: number, hash: Hash): void {
    this.#unread.set(number, hash);
  }

  /** A node has written a block. @throws Violation */
  async written(node: number, number: number, ledger: LedgerApi): Promise<void> {
    const hash = await ledger.hashOf(number);
    const stored = hash && (await ledger.header(hash));
    if (!hash || !stored) throw new Violation(`node ${node} has no block ${number} it wrote`);
    this.#highest.set(node, Math.max(number, this.#highest.get(node) ?? 0));
    const { header, seals } = stored;
    if (headerHash(header, this.#suite) !== hash)
      throw new Violation(`node ${node} stores block ${number} under a wrong hash`);
    this.#checkTime(number, header.timestamp);
    this.#checkSeals(node, number, { hash, seals, sealerList: header.sealerList });
    const known = this.#agreed.get(number);
    if (known && known !== hash)
      throw new Violation(`FORK at ${number}: node ${node} has ${hash}, another ${known}`);
    this.#agreed.set(number, hash);
    await this.#noteSealers(node, number, ledger);
    if (!known) await this.#checkBody(number, hash, ledger);
  }

  #checkTime(number: number, timestamp: bigint): void {
    this.#times.set(number, timestamp);
    const latest = this.#latest?.();
    const parent = this.#times.get(number - 1);
    if (latest === undefined || timestamp <= latest || timestamp === (parent ?? 0n) + 1n) return;
    const seconds = (Number(timestamp) - latest) / 1_000;
    throw new Violation(`block ${number} is ahead of the time by ${seconds} s more than allowed`);
  }

  #checkSeals(
    node: number,
    number: number,
    block: {
      hash: Hash;
      seals: readonly { index: number; signature: Uint8Array }[];
      sealerList: readonly NodeId[];
    },
  ): void {
    const { hash, seals, sealerList } = block;
    const sealers = this.#sealers.get(number) ?? [];
    if (sealerList.join() !== sealers.join())
      throw new Violation(`node ${node} has block ${number} with a wrong list of sealers`);
    // Blocks of Raft are not sealed. Source: raft 0
    if (this.#consensus === "raft") {
      if (seals.length === 0) return;
      throw new Violation(`node ${node} has a seal on block ${number} of Raft`);
    }
    const digest = idBytes(hash);
    const recovered = seals.map(({ index, signature }) => {
      const key = this.#suite.recover(digest, signature);
      return { index, signer: key && nodeIdOf(key) };
    });
    const verdict = verifySeals(recovered, sealers);
    if (verdict !== "ok") throw new Violation(`node ${node} has block ${number} with ${verdict}`);
  }

  async #noteSealers(node: number, number: number, ledger: LedgerApi): Promise<void> {
    // A node that is further ahead cannot tell what was in force before.
    if (ledger.head().number !== number) return;
    const sealers = (await ledger.sealers()).toSorted();
    // The next block is on disk while the head is about to follow: its rows are not this block's.
    if ((await ledger.totals()).number !== number) return;
    const known = this.#sealers.get(number + 1);
    if (known && known.join() !== sealers.join())
      throw new Violation(`node ${node} has other sealers after block ${number}`);
    this.#sealers.set(number + 1, sealers);
    if (number < this.#members.height) return;
    this.#members = { height: number + 1, nodeIds: [...sealers, ...(await ledger.observers())] };
  }

  async #checkBody(number: number, hash: Hash, ledger: LedgerApi): Promise<void> {
    const block = await ledger.block(hash);
    if (!block) throw new Violation(`block ${number} has no body`);
    for (const transaction of block.transactions) this.#place(transaction, number, hash);
  }

  #place({ hash, nonce, blockLimit }: SignedTransaction, number: number, blockHash: Hash): void {
    if (this.placed.has(hash)) throw new Violation(`transaction ${hash} is on the chain twice`);
    if (this.nonces.has(nonce)) throw new Violation(`nonce ${nonce} is on the chain twice`);
    const limit = Number(blockLimit);
    if (limit < number || limit > number - 1 + BLOCK_LIMIT_WINDOW)
      throw new Violation(`block ${number} has a transaction with the limit ${limit}`);
    this.placed.set(hash, { number, blockHash });
    this.nonces.set(nonce, hash);
  }

  /** A node began on its disk: what it wrote is still there. @throws Violation */
  async began(node: number, ledger: LedgerApi): Promise<void> {
    const { number, hash } = ledger.head();
    const before = this.#highest.get(node) ?? 0;
    if (number < before)
      throw new Violation(`LOST: node ${node} wrote block ${before} and stands at ${number}`);
    for (let missing = before + 1; missing <= number; missing++)
      await this.written(node, missing, ledger);
    const agreed = this.#agreed.get(number) ?? hash;
    if (agreed !== hash) throw new Violation(`FORK at ${number}: node ${node} began with ${hash}`);
  }

  /** A node has an older state of its ledger again. */
  restored(node: number): void {
    this.#highest.delete(node);
  }

  /** A node served a receipt, or none. @throws Violation */
  served(node: number, hash: Hash, blockHash: Hash | undefined): void {
    if (blockHash === undefined) return;
    const before = this.#served.get(hash) ?? blockHash;
    if (before !== blockHash)
      throw new Violation(`node ${node} has ${hash} in ${blockHash}, another in ${before}`);
    this.#served.set(hash, blockHash);
  }

  /** The whole chain of a node, and every receipt that was served. @throws Violation */
  async audit(node: number, ledger: LedgerApi): Promise<void> {
    const head = ledger.head().number;
    for (let number = 1; number <= head; number++) await this.written(node, number, ledger);
    for (const [hash, blockHash] of this.#served) {
      const receipt = await ledger.receipt(hash);
      if (receipt?.blockHash !== blockHash && (this.placed.get(hash)?.number ?? 0) <= head)
        throw new Violation(`node ${node} lost the receipt of ${hash}`);
    }
  }
}
