/** Batched cryptography as a port: recovery on every core where the runtime has threads. */

/** One signature to recover: who signed this digest? */
export interface RecoverItem {
  /** 32 bytes. */
  readonly digest: Uint8Array;
  /**
   * Names digest and signature: items with the same name are equal. Lets an implementation that
   * remembers answers find one without looking at `digest`, which may be computed on reading.
   */
  readonly name?: string;
  /** Serialised signature of the suite: 65 bytes r s v on secp256k1, 128 bytes on SM2. */
  readonly signature: Uint8Array;
}

/** How a batch is wanted. */
export interface RecoverOptions {
  /** A few signatures that a protocol step waits for: not held back to make a larger batch. */
  readonly urgent?: boolean;
}

/**
 * Recovers public keys in batches. An implementation packs the batch into one transferable buffer.
 */
export interface Compute {
  /**
   * The 64-byte public key of each item, in order; undefined where the signature is invalid (high s
   * included).
   */
  recover(
    items: readonly RecoverItem[],
    options?: RecoverOptions,
  ): Promise<readonly (Uint8Array | undefined)[]>;
  close(): Promise<void>;
}
