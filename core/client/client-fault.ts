/** What can go wrong for a client: one class for each thing that a caller decides about. */
import type { TransactionStatusName } from "../fault/transaction-status.ts";
import type { Hex, Receipt } from "./rpc-objects.ts";

/** A value that the caller gave does not fit: nothing was sent. */
export class UsageFault extends Error {
  override readonly name = "UsageFault";
}

/** The node was not reached, or what came was no answer: whether it acted is not known. */
export class TransportFault extends Error {
  override readonly name = "TransportFault";
}

/** The node answered with an error. Source: interface 7.1, 7.2 */
export class NodeFault extends Error {
  override readonly name = "NodeFault";
  /** As in the tables of the interface: -40001 for an unknown group. */
  readonly code: number;
  /** The operation that was asked. */
  readonly method: string;
  /** The text as the node told it. */
  readonly told: string;
  readonly data: unknown;

  /** The error of an answer. */
  constructor(
    message: string,
    { code, method, data }: { code: number; method: string; data?: unknown },
  ) {
    super(`${method}: ${message} (${code})`);
    this.code = code;
    this.method = method;
    this.told = message;
    this.data = data;
  }
}

/** The pool refused a transaction: it is in no block. Source: interface 7.3; rpc-semantics 8 */
export class RefusalFault extends Error {
  override readonly name = "RefusalFault";
  /** Why, by the name of the interface: `BlockLimitCheckFail`. */
  readonly status: TransactionStatusName;
  /** Of the transaction. */
  readonly hash: Hex;

  /** The refusal of a transaction; `options.cause` is the node's answer. */
  constructor(status: TransactionStatusName, hash: Hex, options?: { readonly cause?: unknown }) {
    super(`transaction ${hash} was refused: ${status}`, options);
    this.status = status;
    this.hash = hash;
  }
}

interface FailureReason {
  readonly status: TransactionStatusName;
  /** The text of a revert, or of the error of the contract's own; undefined without any. */
  readonly reason: string | undefined;
}

/** A transaction is in a block and failed there: it had no effect. Source: interface 7.3 */
export class ReceiptFault extends Error {
  override readonly name = "ReceiptFault";
  readonly status: TransactionStatusName;
  readonly reason: string | undefined;
  readonly receipt: Receipt;

  /** The failure that a receipt reports. */
  constructor({ status, reason }: FailureReason, receipt: Receipt) {
    super(`transaction ${receipt.transactionHash} failed: ${describe(status, reason)}`);
    this.status = status;
    this.reason = reason;
    this.receipt = receipt;
  }
}

/** A call of a contract failed. Source: interface 2.6 */
export class CallFault extends Error {
  override readonly name = "CallFault";
  readonly status: TransactionStatusName;
  readonly reason: string | undefined;
  /** What the contract left behind, such as an encoded error. */
  readonly output: Hex;

  /** The failure that the answer of a call tells. */
  constructor({ status, reason }: FailureReason, output: Hex) {
    super(`the call failed: ${describe(status, reason)}`);
    this.status = status;
    this.reason = reason;
    this.output = output;
  }
}

function describe(status: string, reason: string | undefined): string {
  return reason === undefined ? status : `${status}, ${reason}`;
}

/** No receipt came in time: the transaction may still be executed, unless it is `expired`. */
export class ReceiptTimeoutFault extends Error {
  override readonly name = "ReceiptTimeoutFault";
  readonly hash: Hex;
  /** True when the height is above the block limit: it is in no block and never will be. */
  readonly expired: boolean;

  /** The end of the wait for a receipt. */
  constructor(hash: Hex, expired: boolean) {
    const why = expired ? "its block limit has passed" : "no receipt in time";
    super(`transaction ${hash}: ${why}`);
    this.hash = hash;
    this.expired = expired;
  }
}

/** Why something that a node answered is not proved. */
export type ProofReason =
  /** The fields of the header do not give its hash. */
  | "headerHash"
  /** The header names other sealers than those that are trusted. */
  | "sealers"
  /** Too few of the trusted sealers signed the header. */
  | "seals"
  /** Nothing shows how the group came from the trusted sealers to those of the header. */
  | "change"
  /** The header contradicts one that is trusted: it is of another chain. */
  | "fork"
  /** The fields of the transaction do not give its hash, or are signed by nobody. */
  | "transaction"
  /** The proof does not lead to the root in the header. */
  | "proof"
  /** Answers belong to different blocks, transactions or positions. */
  | "mismatch"
  /** A field does not have the form of its type. */
  | "malformed";

/** An answer is not what its proof shows: the node is wrong, or lies. */
export class ProofFault extends Error {
  override readonly name = "ProofFault";
  readonly reason: ProofReason;

  /** What was examined, and what is wrong with it. */
  constructor(reason: ProofReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The caller ended the wait through its signal; `cause` is the signal's reason. */
export class AbortedFault extends Error {
  override readonly name = "AbortedFault";
  /** Of a transaction that was, or may have been, handed in: it may still be executed. */
  readonly hash: Hex | undefined;

  /** The end of a wait by the caller. */
  constructor(message: string, options: { readonly cause?: unknown; readonly hash?: Hex } = {}) {
    super(message, { cause: options.cause });
    this.hash = options.hash;
  }
}
