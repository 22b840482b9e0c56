/**
 * Bounds what the muxer of libp2p holds and does: it collects the whole body of a frame before it
 * asks whether the window of the stream allows it, so one header that claims 4 GiB would have it
 * keep whatever a stranger sends, and it takes and answers frames without a body as many as come.
 * Headers are read here before the muxer gets the bytes.
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
/** Frames of the exchange, either way: it takes some ten, and the first messages may follow. */
export const STRANGER_FRAMES = 1_000;
/**
 * What may wait behind a connection that takes no more, in bytes and in frames, each of which costs
 * many times its bytes: streams wait by themselves, so that these are answers to what a peer sends
 * that does not read, and the last message of each stream.
 */
export const UNSENT_BYTES = 2 * MEMBER_FRAME_BYTES;
export const UNSENT_FRAMES = 16 * 1024;

const HEADER_BYTES = 12;
const TYPE_AT = 1;
const LENGTH_AT = 8;
/** The only type of frame with a body. */
const DATA = 0;

/** Reads along with one muxer. A class because it is in the midst of a frame. */
export class FrameWatch {
  #longestFrame = STRANGER_BYTES;
  #bytesLeft = STRANGER_BYTES;
  #framesLeft = STRANGER_FRAMES;
  #answersLeft = STRANGER_FRAMES;
  #unsentFrames = 0;
  /** Bytes of a body that are still to come. */
  #body = 0;
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #view = new DataView(this.#header.buffer);
  #headerBytes = 0;

  /** The other end has proved its certificate. */
  admit(): void {
    this.#longestFrame = MEMBER_FRAME_BYTES;
    this.#bytesLeft = Infinity;
    this.#framesLeft = Infinity;
    this.#answersLeft = Infinity;
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

  /**
   * Whether a frame may have been sent, a short question having a thousand answers; with the bytes
   * that wait behind the connection now.
   */
  sent(unsentBytes: number): boolean {
    this.#answersLeft -= 1;
    this.#unsentFrames = unsentBytes === 0 ? 0 : this.#unsentFrames + 1;
    const isRead = unsentBytes <= UNSENT_BYTES && this.#unsentFrames <= UNSENT_FRAMES;
    return isRead && this.#answersLeft >= 0;
  }

  /** What waited is on its way. */
  drained(): void {
    this.#unsentFrames = 0;
  }

  #takeHeader(): boolean {
    this.#headerBytes = 0;
    this.#framesLeft -= 1;
    if (this.#framesLeft < 0) return false;
    if (this.#header[TYPE_AT] !== DATA) return true;
    this.#body = this.#view.getUint32(LENGTH_AT);
    return this.#body <= this.#longestFrame;
  }
}

/** What a muxer of libp2p has besides the interface. */
interface Fed {
  onData(data: Uint8Array | Iterable<Uint8Array>): void;
  send(frame: Uint8Array | Iterable<Uint8Array>): boolean;
}

function isFed(muxer: object): muxer is Fed {
  const names = ["onData", "send"];
  return names.every((name) => typeof Reflect.get(muxer, name) === "function");
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
        this.#watch(factory.createStreamMuxer(below), below);
      return { protocol, createStreamMuxer };
    };
  }

  /** The other end of a connection has proved its certificate. */
  admit({ streams }: Connection): void {
    this.#watches.get(streams)?.admit();
  }

  #watch(muxer: StreamMuxer, below: MessageStream): StreamMuxer {
    invariant(isFed(muxer), "the muxer takes its bytes where they can be watched");
    const watch = new FrameWatch();
    this.#watches.set(muxer.streams, watch);
    const refuse = this.#refusal();
    const feed = muxer.onData.bind(muxer);
    muxer.onData = (data) => {
      // What is thrown here has the muxer end the connection.
      if (!allowsAll(watch, data)) throw refuse();
      feed(data);
    };
    const send = muxer.send.bind(muxer);
    muxer.send = (frame) => {
      const takesMore = send(frame);
      // Nothing is thrown here: some of what sends is a task of its own, and its fault the end.
      if (!watch.sent(below.writeBufferLength)) below.abort(refuse());
      return takesMore;
    };
    below.addEventListener("drain", () => watch.drained());
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

  /** Why a connection is cut; counted once, although both ways may be at their bounds. */
  #refusal(): () => DOMException {
    let isFirst = true;
    return () => {
      if (isFirst) this.#onOversize();
      isFirst = false;
      return new DOMException("more than a peer may send at once", "QuotaExceededError");
    };
  }
}

function allowsAll(watch: FrameWatch, data: Uint8Array | Iterable<Uint8Array>): boolean {
  const chunks = data instanceof Uint8Array ? [data] : data;
  for (const chunk of chunks) if (!watch.allows(chunk)) return false;
  return true;
}
