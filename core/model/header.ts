/** Block headers and seals: fields, encoding, hash. Source: tx-block-codec 6, 7 */
import type { Hash, NodeId, SealerIndex } from "../bytes/ids.ts";

/** A block header. Source: tx-block-codec 6 */
export interface Header {
  readonly parentHash: Hash;
  readonly stateRoot: Hash;
  readonly transactionsRoot: Hash;
  readonly receiptsRoot: Hash;
  readonly dbHash: Hash;
  /** 256 bytes, zero in practice. */
  readonly logsBloom: Uint8Array;
  readonly number: number;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Milliseconds since the epoch; the genesis default is 2^63 - 1, hence bigint. */
  readonly timestamp: bigint;
  readonly extraData: readonly Uint8Array[];
  /** Index into sealerList. */
  readonly sealer: SealerIndex;
  readonly sealerList: readonly NodeId[];
}

/** One entry of a signature list: a sealer's signature of the 32-byte block hash. Source: tx-block-codec 7 */
export interface Seal {
  readonly index: SealerIndex;
  readonly signature: Uint8Array;
}
