/**
 * Bounds what the muxer of libp2p holds: it collects the whole body of a frame before it asks
 * whether the window of the stream allows it, so one header that claims 4 GiB would have it keep
 * whatever a stranger sends. Headers are read here before the muxer gets the bytes.
 */
import type { Connection, MessageStream, Stream } from "@libp2p/interface";
import type { StreamMuxer, StreamMuxerFactory } from "@libp2p/interface";
import { invariant } from "../../../core/fault/invariant.ts";

/** The largest window of a stream, which no frame of an honest member exceeds. */
export const MEMBER_FRAME_BYTES = 16 * 1024 * 1024;
/**
 * What may come before the certificate exchange is over: the exchange takes some KiB, and who is
 * done first may fill the window of its stream, 256 KiB, before the other end has read that.
 */
export const STRANGER_BYTES = 512 * 1024;

const HEADER_BYTES = 12;
const TYPE_AT = 1;
const LENGTH_AT = 8;
/** The only type of frame with a body. */
const DATA = 0;

/** Reads along with one muxer. A class because it is in the midst of a frame. */
export class FrameWatch {
  #longestFrame = STRANGER_BYTES;
  #bytesLeft = STRANGER_BYTES;
  /** Bytes of a body that are still to come. */
  #body = 0;
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #view = new DataView(this.#header.buffer);
  #headerBytes = 0;

  /** The other end has proved its certificate. */
  admit(): void {
    this.#longestFrame = MEMBER_FRAME_BYTES;
    this.#bytesLeft = Infinity;
  }

  /** Whether the next bytes may go on to the muxer. */
  allows(chunk: Uint8Array): boolean {
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft < 0) return false;
    for (let at = 0; ; ) {
      // Bodies are stepped over, not read.
      const inBody = Math.min(this.#body, chunk.length - at);
      this.#body -= inBody;
      at += inBody;
      if (at === chunk.length) return true;
      const end = Math.min(at + HEADER_BYTES - this.#headerBytes, chunk.length);
      this.#header.set(chunk.subarray(at, end), this.#headerBytes);
      this.#headerBytes += end - at;
      at = end;
      if (this.#headerBytes === HEADER_BYTES && !this.#takeHeader()) return false;
    }
  }

  #takeHeader(): boolean {
    this.#headerBytes = 0;
    if (this.#header[TYPE_AT] !== DATA) return true;
    this.#body = this.#view.getUint32(LENGTH_AT);
    return this.#body <= this.#longestFrame;
  }
}

/** What a muxer of libp2p has besides the interface. */
interface Fed {
  onData(data: Uint8Array | Iterable<Uint8Array>): void;
}

function isFed(muxer: object): muxer is Fed {
  return "onData" in muxer && typeof muxer.onData === "function";
}

/** The muxers of one node, all watched. A class because it knows their connections. */
export class WatchedMuxers {
  readonly #onOversize: () => void;
  /** By the list of streams, which is what a connection shows of its muxer. */
  readonly #watches = new WeakMap<readonly Stream[], FrameWatch>();

  constructor(onOversize: () => void = () => {}) {
    this.#onOversize = onOversize;
  }

  /** A factory whose muxers take nothing that no honest peer sends. */
  over(make: () => StreamMuxerFactory): () => StreamMuxerFactory {
    return () => {
      const factory = make();
      const { protocol } = factory;
      const createStreamMuxer = (below: MessageStream) =>
        this.#watch(factory.createStreamMuxer(below));
      return { protocol, createStreamMuxer };
    };
  }

  /** The other end of a connection has proved its certificate. */
  admit({ streams }: Connection): void {
    this.#watches.get(streams)?.admit();
  }

  #watch(muxer: StreamMuxer): StreamMuxer {
    invariant(isFed(muxer), "the muxer takes its bytes where they can be watched");
    const watch = new FrameWatch();
    this.#watches.set(muxer.streams, watch);
    const feed = muxer.onData.bind(muxer);
    // What is thrown here has the muxer end the connection.
    muxer.onData = (data) => {
      this.#check(watch, data);
      feed(data);
    };
    const abort = muxer.abort.bind(muxer);
    muxer.abort = (cause) => {
      // Its streams' owner may cut the connection meanwhile, over which the muxer then sends its
      // last frame: a fault in a listener, which would end the process.
      try {
        abort(cause);
      } catch {
        // All but that frame is done.
      }
    };
    return muxer;
  }

  #check(watch: FrameWatch, data: Uint8Array | Iterable<Uint8Array>): void {
    const chunks = data instanceof Uint8Array ? [data] : data;
    for (const chunk of chunks) {
      if (watch.allows(chunk)) continue;
      this.#onOversize();
      throw new DOMException("more than a peer may send at once", "QuotaExceededError");
    }
  }
}
