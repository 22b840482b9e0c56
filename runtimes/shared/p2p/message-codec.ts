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
      // A node that sends a message no longer changes it.
      if (last?.bytes !== bytes) last = { bytes, packed: codec.compress(bytes) };
      return last.packed;
    },
    expand: (bytes, limitBytes) => codec.expand(bytes, limitBytes),
  };
}

/** Shorter messages go as they are. Source: node-network 3 */
export const COMPRESS_FROM_BYTES = 1_024;
/**
 * Longer messages go as they are: the main thread compresses a megabyte in 20 ms, both ends of it.
 * Whatever has more in it than one long transaction is cut to this size where it is made.
 */
export const COMPRESS_TO_BYTES: number = 1_280 * 1_024;
/** A message that does not shrink by a tenth goes as it is. */
const WORTHWHILE = 0.9;
/** Then this many of its class are not tried: signatures and hashes do not shrink. */
const REST_AFTER_FAILURE = 31;

/** What the messages of one peer may grow to in a second: no honest peer comes near. */
export const EXPANDED_BYTES_PER_SECOND = 256 * 1024 * 1024;

/** Compresses for one peer, as long as it pays, and expands what it sends. */
export class MessagePacker {
  readonly #codec: MessageCodec;
  readonly #rest = perClass(() => 0);
  #second = 0;
  #expandedBytes = 0;

  constructor(codec: MessageCodec) {
    this.#codec = codec;
  }

  /** The compressed message; undefined when it should go as it is. */
  pack(kind: NetworkClass, bytes: Uint8Array): Uint8Array | undefined {
    const { length } = bytes;
    if (length <= COMPRESS_FROM_BYTES || length > COMPRESS_TO_BYTES) return undefined;
    if (this.#rest[kind] > 0) {
      this.#rest[kind] -= 1;
      return undefined;
    }
    const packed = this.#codec.compress(bytes);
    if (packed.length < bytes.length * WORTHWHILE) return packed;
    this.#rest[kind] = REST_AFTER_FAILURE;
    return undefined;
  }

  /** The original of a compressed message; undefined when malformed, too long or too much. */
  unpack(bytes: Uint8Array, limitBytes: number, steadyMs: number): Uint8Array | undefined {
    const second = Math.floor(steadyMs / 1_000);
    if (second !== this.#second) this.#expandedBytes = 0;
    this.#second = second;
    if (this.#expandedBytes >= EXPANDED_BYTES_PER_SECOND) return undefined;
    const original = this.#codec.expand(bytes, limitBytes);
    this.#expandedBytes += original?.length ?? 0;
    return original;
  }
}
