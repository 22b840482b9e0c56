/**
 * Durable key-value storage as a port: point reads, ordered ranges, atomic batches.
 * Source: storage 13
 */

import type { StoreFault } from "../fault/store-fault.ts";

/** A key or value: a string in which each character is one byte, or bytes. Keys order by bytes. */
export type StoreKey = string;

/**
 * One change of a batch; `value` absent deletes the key. Keys are byte strings (each char code
 * 0-255).
 */
export interface StoreWrite {
  readonly key: StoreKey;
  readonly value: Uint8Array | undefined;
}

/** How far a store has been gone through, entry by entry. Source: decision 30 */
export interface StorePassView {
  /** Times that it was gone through as a whole, since it was opened. */
  readonly passes: number;
  /** What the pass that is under way has examined, in bytes of keys and values. */
  readonly bytes: number;
  /** When the last whole pass ended, ms since 1970. */
  readonly endedMs: number | undefined;
}

/** An ordered key-value store. All implementations pass test/contract/store.ts. */
export interface Store {
  /** Where it is, for messages; absent where a platform has no name for it. */
  readonly folder?: string;
  /**
   * Synchronous point read, for state rows and small records. Callers must not change the bytes.
   * Records of blocks (`isBlockRecord` in core/ledger/keys.ts) are loaded: a store may keep them
   * out of memory and refuse to get them.
   */
  get(key: StoreKey): Uint8Array | undefined;
  /** Point read of any value, those of which there are many (records of blocks) among them. */
  load(key: StoreKey): Promise<Uint8Array | undefined>;
  /** Keys in [from, to), ascending, at most `limit` of them. */
  range(
    from: StoreKey,
    to: StoreKey,
    limit: number,
  ): Promise<readonly { key: StoreKey; value: Uint8Array }[]>;
  /**
   * Applies all writes or none. With `durable` the promise resolves only after the data would
   * survive a crash; a durable commit also makes every earlier commit durable.
   *
   * @throws StoreFault when the platform refuses; the store is then unusable until reopened
   */
  commit(writes: readonly StoreWrite[], options: { readonly durable: boolean }): Promise<void>;
  close(): Promise<void>;
  /**
   * Has what is found damaged told, no matter who finds it: a read, or the look through all that
   * goes on in the background. Absent where the platform vouches for what it gives.
   * Source: decision 30
   */
  onDamage?(listener: (fault: StoreFault) => void): void;
  /** How far the look through all is; undefined where none goes on. */
  passView?(): StorePassView | undefined;
}
