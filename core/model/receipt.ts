/** Receipts and log entries: fields, encoding, hash. Source: tx-block-codec 4, 5 */
import type { Address, Hash } from "../bytes/ids.ts";

/** One log entry. Source: tx-block-codec 4 */
export interface LogEntry {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Uint8Array;
}

/** A receipt as it is hashed. Source: tx-block-codec 5 */
export interface Receipt {
  /** State root of the block. */
  readonly root: Hash;
  /** Per transaction from compatibility version 2.9.0 on, cumulative before; unsigned 256-bit arithmetic. */
  readonly gasUsed: bigint;
  /** The zero address for calls and failed creations. */
  readonly contractAddress: Address;
  /** 256 bytes. */
  readonly logsBloom: Uint8Array;
  /** Receipt status, interface 7.3. */
  readonly status: number;
  readonly output: Uint8Array;
  /** Encoded from compatibility version 2.9.0 on. */
  readonly remainGas: bigint;
  readonly logs: readonly LogEntry[];
}
