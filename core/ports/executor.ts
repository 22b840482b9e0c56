/**
 * Block execution as a port: the one writer of a group's ledger, off the thread that answers
 * requests. The implementation in core/execution/block-processor.ts runs in place; runtimes host
 * that same code in a worker.
 */
import type { Address, Hash } from "../bytes/ids.ts";
import type { Asker } from "./asker.ts";
import type { Header, Seal } from "../model/header.ts";

/** A block to execute on the current head. */
export interface ExecuteRequest {
  /** Header as proposed: roots of state and receipts still zero. */
  readonly header: Header;
  /** Raw transactions in block order. */
  readonly transactions: readonly Uint8Array[];
  /** Hash of each transaction, in order. */
  readonly hashes: readonly Hash[];
  /** Sender of each transaction, in order. */
  readonly senders: readonly Address[];
  /**
   * A proposal that nobody has decided: one of several transactions that would keep too much memory
   * is refused as `tooHeavy`. What is decided is executed whatever it takes.
   */
  readonly undecided?: boolean | undefined;
}

/** The executed block: its header carries the roots. */
export interface ExecutedBlock {
  /** What it keeps until it is written, as a part of what a proposal may keep. */
  readonly share?: number;
  readonly header: Header;
  /** E, the hash of the executed header. */
  readonly hash: Hash;
}

/** Why a proposal cannot be executed. `cancelled`: a newer request or cancel() replaced it. */
export type ExecuteRefusal =
  | "cancelled"
  | "wrongParent"
  | "wrongNumber"
  | "wrongTransactionsRoot"
  | "tooManyTransactions"
  | "badTransaction"
  | "tooHeavy";

/**
 * What came of an execution. `heavy` names the transaction that was running when a request was
 * cancelled, or that passed what a block may keep: those before it fit.
 */
export type ExecuteOutcome =
  | { readonly ok: true; readonly block: ExecutedBlock }
  | { readonly ok: false; readonly reason: ExecuteRefusal; readonly heavy: Hash | undefined };

/** A transaction that has run for so long, and goes on. Source: decision 33 */
export interface HeavyTransaction {
  readonly hash: Hash;
  readonly ms: number;
}

/** A read-only call. Source: execution 1 (RPC call) */
export interface CallRequest {
  readonly from: Address;
  /** The zero address when the request names none. */
  readonly to: Address;
  readonly value: bigint;
  readonly data: Uint8Array;
}

/** What a call returned, and at which height. */
export interface CallOutcome {
  readonly number: number;
  readonly status: number;
  readonly output: Uint8Array;
}

/**
 * Executes and writes blocks one at a time, in order; answers calls on the committed state
 * meanwhile.
 */
export interface Executor {
  /**
   * Executes on the current head; the result is kept until written or replaced. At most one runs; a
   * new one cancels the old.
   *
   * @param onHeavy told of each transaction that runs too long, while it does; where there is a
   *   clock
   */
  execute(
    request: ExecuteRequest,
    onHeavy?: (heavy: HeavyTransaction) => void,
  ): Promise<ExecuteOutcome>;
  /** Abandons the running execution, if any. */
  cancel(): void;
  /**
   * Writes the executed block of that hash with its seals, in one atomic batch that is durable when
   * this resolves.
   *
   * @throws StoreFault when the store refuses; the node must then stop. Source: storage 7, 13
   */
  write(hash: Hash, seals: readonly Seal[]): Promise<void>;
  /**
   * Runs a call on the latest committed state; nothing is stored.
   *
   * @param asker whose turn it takes, and with whom it is given up when it has gone
   */
  call(request: CallRequest, asker?: Asker): Promise<CallOutcome>;
  close(): Promise<void>;
}
