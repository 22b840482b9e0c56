/**
 * Bounds what the muxer of libp2p holds and does: it collects the whole body of a frame before it
 * asks whether the window of the stream allows it, so one header that claims 4 GiB would have it
 * keep whatever an unauthenticated peer sends, and it takes and answers frames without a body as
 * many as come. Headers are read here before the muxer gets the bytes.
 */
import type { MessageStream } from "@libp2p/interface";

/** The largest window of a stream, which no frame of an honest member exceeds. */
export const MEMBER_FRAME_BYTES = 16 * 1024 * 1024;
/**
 * What may come before the certificate exchange is over: the exchange takes some KiB, and who is
 * done first may fill the window of its stream, 256 KiB, before the other end has read that.
 */
export const UNAUTHENTICATED_BYTES = 512 * 1024;
/** Frames of the exchange, either way: it takes some ten, and the first messages may follow. */
export const UNAUTHENTICATED_FRAMES = 1_000;
/**
 * What may wait behind a connection that takes no more, in bytes and in frames, each of which costs
 * many times its bytes: streams wait by themselves, so that these are answers to what a peer sends
 * that does not read, and the last message of each stream.
 */
export const UNSENT_BYTES = 2 * MEMBER_FRAME_BYTES;
/** The same bound as a number of frames: small ones cost more than their bytes. */
export const UNSENT_FRAMES = 16 * 1024;

/**
 * What a peer may use of its window before it is announced anew. Half of the least window is early
 * enough for a sender never to wait.
 */
export const SPARED_BYTES = 128 * 1024;
/** Streams of a connection whose windows wait to be announced. */
const MOST_SPARED = 64;

const HEADER_BYTES = 12;
const TYPE_AT = 1;
const FLAGS_AT = 2;
const STREAM_AT = 4;
const LENGTH_AT = 8;
/** The only type of frame with a body. */
const DATA = 0;
const WINDOW_UPDATE = 1;

/** What a muxer takes and gives at once. */
export type Bytes = Parameters<MessageStream["send"]>[0];

/** Reads along with one muxer. A class because it is in the midst of a frame. */
export class FrameWatch {
  #longestFrame = UNAUTHENTICATED_BYTES;
  #bytesLeft = UNAUTHENTICATED_BYTES;
  #framesLeft = UNAUTHENTICATED_FRAMES;
  #answersLeft = UNAUTHENTICATED_FRAMES;
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
  allows(bytes: Bytes): boolean {
    const chunks = bytes instanceof Uint8Array ? [bytes] : bytes;
    for (const chunk of chunks) if (!this.#allows(chunk)) return false;
    return true;
  }

  #allows(chunk: Uint8Array): boolean {
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

/**
 * Fewer window updates: the muxer answers every frame of data with one, which costs both ends as
 * much as the message itself when messages are votes. A class because it adds them up.
 */
export class WindowUpdates {
  /** Bytes that a stream may get besides those that were announced. */
  readonly #held = new Map<number, number>();

  /** What is to be sent of a frame: with what was held back before, or nothing yet. */
  spare(frame: Bytes): Bytes | undefined {
    if (!(frame instanceof Uint8Array) || frame[TYPE_AT] !== WINDOW_UPDATE) return frame;
    const whole = frame.slice();
    const view = new DataView(whole.buffer);
    const stream = view.getUint32(STREAM_AT);
    const held = this.#held.get(stream);
    const bytes = (held ?? 0) + view.getUint32(LENGTH_AT);
    // Flags open and close streams.
    const isPlain = view.getUint16(FLAGS_AT) === 0;
    const hasPlace = held !== undefined || this.#held.size < MOST_SPARED;
    if (isPlain && hasPlace && bytes < SPARED_BYTES) {
      this.#held.set(stream, bytes);
      return undefined;
    }
    this.#held.delete(stream);
    view.setUint32(LENGTH_AT, bytes);
    return whole;
  }
}
