/**
 * Durable key-value storage as a port: point reads, ordered ranges, atomic batches.
 * Source: storage 13
 */

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

/** An ordered key-value store. All implementations pass test/contract/store.ts. */
export interface Store {
  /**
   * Synchronous point read, for state rows and small records. Callers must not change the bytes.
   * Records of blocks (`isBlockRecord` in core/ledger/keys.ts) are loaded: a store may keep them
   * out of memory and refuse to get them.
   */
  get(key: StoreKey): Uint8Array | undefined;
  /**
   * Point read of any value, those of which there are many (records of blocks) among them.
   */
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
}
