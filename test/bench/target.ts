/** What a load is put on: a chain of ours, or a peer's, behind one shape. */
import type { LaneReceipt } from "../../runtimes/shared/benchmark/receipt-watch.ts";
import type { SignedBytes } from "../../runtimes/shared/benchmark/signing.ts";

/** A running chain. */
export interface Target {
  readonly name: string;
  /** Its processes. */
  readonly pids: readonly number[];
  /** Nodes that run in them. */
  readonly nodes: number;
  /** Signs this many HelloWorld set() calls. */
  prepare(count: number): Promise<readonly SignedBytes[]>;
  /** Hands one in; settles with its receipt. */
  submit(transaction: SignedBytes): Promise<LaneReceipt>;
  blockNumber(): Promise<number>;
  stop(): Promise<void>;
}
