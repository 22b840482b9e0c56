/**
 * What a ledger answers: types only. They have the shape of `LedgerApi` in core/api/node-api.ts,
 * which this folder may not import; a test holds both to the same shape.
 */
import type { Address, Hash, NodeId } from "../bytes/ids.ts";
import type { ProofLevel } from "../crypto/merkle.ts";
import type { Block } from "../model/block.ts";
import type { GroupConfig } from "../model/config.ts";
import type { Header, Seal } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import type { SignedTransaction } from "../model/transaction.ts";

/** A block's number and hash. */
export interface Head {
  readonly number: number;
  readonly hash: Hash;
}

/** A block's header and seals without its body. */
export interface StoredHeader {
  readonly header: Header;
  readonly hash: Hash;
  readonly seals: readonly Seal[];
}

/** A transaction and where it stands. */
export interface PlacedTransaction {
  readonly transaction: SignedTransaction;
  readonly blockHash: Hash;
  readonly blockNumber: number;
  readonly index: number;
}

/** A receipt with its transaction. */
export interface PlacedReceipt extends PlacedTransaction {
  readonly receipt: Receipt;
}

/** Counters of a ledger. Source: interface 2.6 */
export interface Totals {
  readonly number: number;
  readonly transactions: bigint;
  readonly failed: bigint;
}

/** Raw transactions of a block with their senders and hashes. */
export interface RawBody {
  readonly transactions: readonly Uint8Array[];
  readonly senders: readonly Address[];
  readonly hashes: readonly Hash[];
}

/** Nonces of a block, in block order. */
export interface BlockNonces {
  readonly number: number;
  readonly nonces: readonly bigint[];
}

/** Committed data of a group. Unknown numbers and hashes give undefined. */
export interface Ledger {
  head(): Head;
  genesisHash(): Hash;
  hashOf(number: number): Promise<Hash | undefined>;
  header(hash: Hash): Promise<StoredHeader | undefined>;
  block(hash: Hash): Promise<Block | undefined>;
  transactionAt(blockHash: Hash, index: number): Promise<PlacedTransaction | undefined>;
  transaction(hash: Hash): Promise<PlacedTransaction | undefined>;
  receipt(hash: Hash): Promise<PlacedReceipt | undefined>;
  transactionProof(blockHash: Hash, index: number): Promise<readonly ProofLevel[]>;
  receiptProof(blockHash: Hash, index: number): Promise<readonly ProofLevel[]>;
  totals(): Promise<Totals>;
  systemConfig(key: string): Promise<string | undefined>;
  code(address: Address): Promise<Uint8Array>;
  sealers(): Promise<readonly NodeId[]>;
  observers(): Promise<readonly NodeId[]>;
  /** The configuration in force for the block after the head. */
  groupConfig(): GroupConfig;
  /**
   * Nonces of the blocks from `from` to `to`, both included, in block order.
   * Source: storage 13.5
   */
  nonces(from: number, to: number): Promise<readonly BlockNonces[]>;
  /** The body without decoding: for sync. */
  rawBody(hash: Hash): Promise<RawBody | undefined>;
  /** Encoded receipts, in order: for sync. */
  rawReceipts(hash: Hash): Promise<readonly Uint8Array[] | undefined>;
  /** Takes over the head that somebody has just written. */
  setHead(head: Head): void;
  /** Reads the head anew, after a write by another thread. */
  refresh(): Head;
}
