/** Blocks as the ledger holds them. Source: tx-block-codec 9 */
import type { Hash } from "../bytes/ids.ts";
import type { Header, Seal } from "./header.ts";
import type { Receipt } from "./receipt.ts";
import type { SignedTransaction } from "./transaction.ts";

/** A whole block as the ledger holds it. */
export interface Block {
  readonly header: Header;
  readonly hash: Hash;
  readonly seals: readonly Seal[];
  readonly transactions: readonly SignedTransaction[];
  readonly receipts: readonly Receipt[];
}
