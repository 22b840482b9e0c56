/** What a ledger answers next to what others read of it: types only. */
import type { Address, Hash } from "../bytes/ids.ts";
import type { GroupConfig } from "../model/config.ts";
import type { Head, LedgerApi } from "../ports/ledger.ts";

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

/** Committed data of a group, for the node itself. */
export interface Ledger extends LedgerApi {
  /** The configuration in force for the block after the head. */
  groupConfig(): GroupConfig;
  /**
   * Nonces of the blocks from `from` to `to`, both included, in block order. Source: storage 13.5
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
