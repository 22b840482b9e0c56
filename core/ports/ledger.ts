/** Committed data as others read it: types only. */
import type { Address, Hash, NodeId } from "../bytes/ids.ts";
import type { ProofLevel } from "../crypto/merkle.ts";
import type { Block } from "../model/block.ts";
import type { Header, Seal } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import type { SignedTransaction } from "../model/transaction.ts";

/** A block's number and hash. */
export interface Head {
  readonly number: number;
  readonly hash: Hash;
}

/** A block's header and seals without its body. */
export interface SealedHeader {
  readonly header: Header;
  readonly hash: Hash;
  readonly seals: readonly Seal[];
}

/** A transaction and where it stands. */
export interface LocatedTransaction {
  readonly transaction: SignedTransaction;
  readonly blockHash: Hash;
  readonly blockNumber: number;
  readonly index: number;
}

/** A receipt with its transaction. */
export interface LocatedReceipt extends LocatedTransaction {
  readonly receipt: Receipt;
}

/** Counters of a ledger. Source: interface 2.6 */
export interface TransactionTotals {
  readonly number: number;
  readonly transactions: bigint;
  readonly failed: bigint;
}

/** Committed data of a group. Numbers above the head and unknown hashes give undefined. */
export interface LedgerApi {
  head(): Head;
  genesisHash(): Hash;
  hashOf(number: number): Promise<Hash | undefined>;
  header(hash: Hash): Promise<SealedHeader | undefined>;
  block(hash: Hash): Promise<Block | undefined>;
  /** Counts the transactions of a block; undefined for an unknown block. */
  transactionAt(blockHash: Hash, index: number): Promise<LocatedTransaction | undefined>;
  transaction(hash: Hash): Promise<LocatedTransaction | undefined>;
  receipt(hash: Hash): Promise<LocatedReceipt | undefined>;
  transactionProof(blockHash: Hash, index: number): Promise<readonly ProofLevel[]>;
  receiptProof(blockHash: Hash, index: number): Promise<readonly ProofLevel[]>;
  totals(): Promise<TransactionTotals>;
  /** Value in force for block head + 1; undefined when there is no row. */
  systemConfig(key: string): Promise<string | undefined>;
  /** Empty for accounts without code and for precompiled contracts. */
  code(address: Address): Promise<Uint8Array>;
  /** Table order. */
  sealers(): Promise<readonly NodeId[]>;
  observers(): Promise<readonly NodeId[]>;
}
