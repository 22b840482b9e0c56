/** Compression of long messages where both ends want it. Source: node-network 3 */
import { type NetworkClass, perClass } from "../../../core/network/classes.ts";

/** A synchronous compressor of the runtime. */
export interface MessageCodec {
  compress(bytes: Uint8Array): Uint8Array;
  /** The original; undefined when malformed or longer than the limit. */
  expand(bytes: Uint8Array, limitBytes: number): Uint8Array | undefined;
}

/** A codec that compresses a message once when it goes to several peers, one after the other. */
export function compressOnce(codec: MessageCodec): MessageCodec {
  let last: { readonly bytes: Uint8Array; readonly packed: Uint8Array } | undefined;
  return {
    compress(bytes) {
      // Whoever sends a message no longer changes it.
      if (last?.bytes !== bytes) last = { bytes, packed: codec.compress(bytes) };
      return last.packed;
    },
    expand: (bytes, limitBytes) => codec.expand(bytes, limitBytes),
  };
}

/** Shorter messages go as they are. Source: node-network 3 */
export const COMPRESS_FROM_BYTES = 1_024;
/** A message that does not shrink by a tenth goes as it is. */
const WORTHWHILE = 0.9;
/** Then so many of its class are not tried: signatures and hashes do not shrink. */
const REST_AFTER_FAILURE = 31;

/** Compresses for one peer, as long as it pays. */
export class MessagePacker {
  readonly #codec: MessageCodec;
  readonly #rest = perClass(() => 0);

  constructor(codec: MessageCodec) {
    this.#codec = codec;
  }

  /** The compressed message; undefined when it should go as it is. */
  pack(kind: NetworkClass, bytes: Uint8Array): Uint8Array | undefined {
    if (bytes.length <= COMPRESS_FROM_BYTES) return undefined;
    if (this.#rest[kind] > 0) {
      this.#rest[kind] -= 1;
      return undefined;
    }
    const packed = this.#codec.compress(bytes);
    if (packed.length < bytes.length * WORTHWHILE) return packed;
    this.#rest[kind] = REST_AFTER_FAILURE;
    return undefined;
  }

  /** The original of a compressed message; undefined when malformed or too long. */
  unpack(bytes: Uint8Array, limitBytes: number): Uint8Array | undefined {
    return this.#codec.expand(bytes, limitBytes);
  }
}
