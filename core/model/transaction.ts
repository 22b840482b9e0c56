/** Transactions: fields, strict decoding, encoding, hashes. Source: tx-block-codec 2 */
import type { Address, Hash } from "../bytes/ids.ts";

/** The decoded fields of a transaction. Integers are 256-bit unsigned. Source: tx-block-codec 2.1 */
export interface Transaction {
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  readonly gas: bigint;
  readonly blockLimit: bigint;
  /** Receiver; null for a contract creation. */
  readonly to: Address | null;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly chainId: bigint;
  readonly groupId: bigint;
  readonly extraData: Uint8Array;
  /** Serialised signature: r(32) s(32) v(1) on secp256k1, r(32) s(32) public key(64) on SM2. Source: tx-block-codec 1 */
  readonly signature: Uint8Array;
  /** The canonical RLP of all items: what is stored, forwarded and hashed. */
  readonly raw: Uint8Array;
  /** H(raw). */
  readonly hash: Hash;
}

/** A transaction whose sender is known: recovered once per process, kept beside it from pool to ledger. */
export interface SignedTransaction extends Transaction {
  readonly from: Address;
}
