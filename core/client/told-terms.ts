/** Forms of what nodes report that no method has by itself: types only. */
import type { CryptoSuite } from "../crypto/suite.ts";
import type { Version } from "../model/version.ts";
import type { Hex, Proof, ProvedReceipt } from "./rpc-objects.ts";
import type { RpcSchema } from "./rpc-schema.ts";

/** A header that is trusted. */
export interface TrailStep {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Node IDs. */
  readonly sealers: readonly string[];
}

/** What a chain's hashes depend on. */
export interface ProofRules {
  readonly suite: CryptoSuite;
  /** The compatibility version: receipts have another form from 2.9.0 on. */
  readonly version: Version;
}

/** What getTransactionByHashWithProof answers. */
export type TransactionWithProof = NonNullable<
  RpcSchema["getTransactionByHashWithProof"]["result"]
>;

/**
 * What getTransactionReceiptByHashWithProof answers. From 2.9.0 on the hash of a receipt covers its
 * `remainGas`, which only getTransactionReceipt tells: give it too, or it counts as 0, as it is
 * where nobody is charged for gas.
 */
export interface ReceiptWithProof {
  readonly transactionReceipt: ProvedReceipt & { readonly remainGas?: Hex };
  readonly receiptProof: Proof;
}
