/**
 * Frames of the channel port: layout, an incremental reader, message types, topic prefixes.
 * Source: channel-protocol 3, 4
 */
import { EMPTY_BYTES, joinBytes } from "../bytes/bytes.ts";
import { utf8Bytes, utf8Text } from "../bytes/byte-string.ts";
import { invariant } from "../fault/invariant.ts";

/** One message in either direction. Source: channel-protocol 3 */
export interface Frame {
  /** Unsigned 16 bits; see {@link MESSAGE_TYPE}. */
  readonly type: number;
  /** 32 opaque bytes, chosen by who asks and repeated in the answer. */
  readonly seq: Uint8Array;
  /** Signed 32 bits: 0 in requests, a status in answers. Source: channel-protocol 9 */
  readonly result: number;
  readonly data: Uint8Array;
  /** All its bytes, when they are made already: see {@link shareFrame}. */
  readonly encoded?: Uint8Array;
  /** In place of data: the pieces in which long requests are kept. */
  readonly parts?: readonly Uint8Array[];
  /** In place of data: this many bytes that are made while they are sent. */
  readonly long?: LongData;
}

/** Data that is made in pieces. */
export interface LongData {
  readonly bytes: number;
  pieces(): AsyncIterable<string>;
}

/** Message types of the protocol. Source: channel-protocol 4 */
export const MESSAGE_TYPE = {
  rpc: 0x0012,
  heartbeat: 0x0013,
  handshake: 0x0014,
  eventRegister: 0x0015,
  eventUnregister: 0x0016,
  amopRequest: 0x0030,
  amopResponse: 0x0031,
  topics: 0x0032,
  amopMulticast: 0x0035,
  topicVerify: 0x0037,
  topicStatus: 0x0038,
  receiptPush: 0x1000,
  blockPush: 0x1001,
  eventPush: 0x1002,
} as const satisfies Readonly<Record<string, number>>;

/** Length, type, seq and result. */
export const HEADER_BYTES = 42;
/** Bytes of `seq`. */
export const SEQ_BYTES = 32;
/** Longest frame, header included; a longer one ends the session. Source: channel-protocol 3.1 */
export const MAX_FRAME_BYTES = 104_857_600;
/** Most data of a frame. */
export const MAX_DATA_BYTES: number = MAX_FRAME_BYTES - HEADER_BYTES;
/** Longest topic. Source: channel-protocol 3 */
export const MAX_TOPIC_BYTES = 254;

/** `seq` of the pushes 0x1001 and 0x1002: 32 ASCII zeros. Source: channel-protocol 4 */
export const PUSH_SEQ: Uint8Array = new Uint8Array(SEQ_BYTES).fill(0x30);

/**
 * The bytes of a frame.
 *
 * @throws InvariantFault for a seq of another size and for more data than a frame holds
 * Source: channel-protocol 3
 */
export function encodeFrame(frame: Frame): Uint8Array {
  if (frame.encoded) return frame.encoded;
  const { data } = frame;
  const bytes = headerOf(frame, data.length, new Uint8Array(HEADER_BYTES + data.length));
  bytes.set(data, HEADER_BYTES);
  return bytes;
}

/** The bytes in front of data of that length. Source: channel-protocol 3 */
export function encodeHeader(frame: Frame, dataBytes: number): Uint8Array {
  return headerOf(frame, dataBytes, new Uint8Array(HEADER_BYTES));
}

function headerOf(frame: Frame, dataBytes: number, bytes: Uint8Array): Uint8Array {
  const length = HEADER_BYTES + dataBytes;
  invariant(frame.seq.length === SEQ_BYTES, "a seq has 32 bytes");
  invariant(length <= MAX_FRAME_BYTES, "a frame has at most 100 MiB");
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  view.setUint16(4, frame.type);
  bytes.set(frame.seq, 6);
  view.setInt32(38, frame.result);
  return bytes;
}

/** The same frame for many sessions: its bytes are made once. */
export function shareFrame(frame: Frame): Frame {
  return { ...frame, encoded: encodeFrame(frame) };
}

/** Why a stream cannot be read on: its length field is below 42 or above 100 MiB. */
export type FrameFailure = "tooShort" | "tooLong";

/** First size of the buffer of an unfinished frame; it doubles as bytes arrive, up to a size. */
const FIRST_BUFFER_BYTES = 1_024;
/** What is longer is kept in pieces of this size: a larger buffer would be copied over and over. */
const PIECE_BYTES = 1024 * 1024;

/**
 * Cuts a stream of bytes into frames. What is held back of one unfinished frame is at most twice
 * what has arrived, above 1 MiB at most 1 MiB more: a length field alone reserves nothing. After a
 * failure nothing more is read.
 */
export class FrameReader {
  readonly #inParts: boolean;
  #held: Uint8Array = EMPTY_BYTES;
  /** Bytes in it. */
  #count = 0;
  /** What came before it of the same frame. */
  #pieces: Uint8Array[] = [];
  #failure: FrameFailure | undefined;

  /** @param inParts long requests are given out in the pieces in which they were kept */
  constructor(inParts = false) {
    this.#inParts = inParts;
  }

  /** Why the stream cannot be read on; undefined while it can. */
  get failure(): FrameFailure | undefined {
    return this.#failure;
  }

  /** Bytes of an unfinished frame. */
  get heldBytes(): number {
    return this.#pieces.length * PIECE_BYTES + this.#count;
  }

  /** Bytes of the buffers that they lie in. */
  get reservedBytes(): number {
    return this.#pieces.length * PIECE_BYTES + this.#held.length;
  }

  /** Drops an unfinished frame; nothing is to be pushed any more. */
  clear(): void {
    this.#held = EMPTY_BYTES;
    this.#count = 0;
    this.#pieces = [];
  }

  /**
   * Takes the next bytes of the stream.
   *
   * @returns the frames that are complete now; `seq` and `data` may be views into `bytes`
   */
  push(bytes: Uint8Array): readonly Frame[] {
    return [...this.frames(bytes)];
  }

  /** As {@link push}, one frame at a time; other bytes are to come after the last. */
  *frames(bytes: Uint8Array): Generator<Frame, void> {
    let position = 0;
    while (position < bytes.length) {
      const length = this.heldBytes === 0 ? this.#wholeAt(bytes, position) : 0;
      if (length > 0) yield frameOf(bytes.subarray(position, position + length));
      position = length > 0 ? position + length : this.#fill(bytes, position);
      if (this.#failure !== undefined) return;
      if (!this.#isWhole()) continue;
      const frame = this.#whole();
      this.clear();
      yield frame;
    }
  }

  /** The length of a frame that lies completely in the bytes; 0 when none does. */
  #wholeAt(bytes: Uint8Array, position: number): number {
    const rest = bytes.length - position;
    const length = rest < HEADER_BYTES ? undefined : this.#lengthAt(bytes, position);
    return length !== undefined && length <= rest ? length : 0;
  }

  /** Whether what is held is a frame. */
  #isWhole(): boolean {
    const { heldBytes } = this;
    return heldBytes >= HEADER_BYTES && heldBytes === this.#heldLength();
  }

  #heldLength(): number | undefined {
    return this.#lengthAt(this.#pieces[0] ?? this.#held, 0);
  }

  /** Adds to the unfinished frame. @returns the new position */
  #fill(bytes: Uint8Array, start: number): number {
    let position = start;
    if (this.heldBytes < HEADER_BYTES) position = this.#hold(bytes, position, HEADER_BYTES);
    if (this.heldBytes < HEADER_BYTES) return position;
    const length = this.#heldLength();
    return length === undefined ? position : this.#hold(bytes, position, length);
  }

  /** Copies until `goal` bytes are held or the bytes end. @returns the new position */
  #hold(bytes: Uint8Array, start: number, goal: number): number {
    const end = Math.min(bytes.length, start + goal - this.heldBytes);
    for (let at = start; at < end; ) {
      if (this.#count === PIECE_BYTES) {
        this.#pieces.push(this.#held);
        this.#count = 0;
        this.#held = new Uint8Array(Math.min(PIECE_BYTES, goal - this.heldBytes));
      }
      const part = bytes.subarray(at, Math.min(end, at + PIECE_BYTES - this.#count));
      this.#reserve(this.#count + part.length, goal);
      this.#held.set(part, this.#count);
      this.#count += part.length;
      at += part.length;
    }
    return end;
  }

  #reserve(needed: number, goal: number): void {
    if (needed <= this.#held.length) return;
    const grown = Math.max(needed, 2 * this.#held.length, FIRST_BUFFER_BYTES);
    const most = goal > HEADER_BYTES ? Math.min(grown, goal) : grown;
    const larger = new Uint8Array(Math.min(most, PIECE_BYTES));
    larger.set(this.#held.subarray(0, this.#count));
    this.#held = larger;
  }

  /** The frame that is held. */
  #whole(): Frame {
    const last = this.#held.subarray(0, this.#count);
    const [first = last] = this.#pieces;
    if (first === last) return frameOf(last);
    const head = frameOf(first);
    if (!this.#inParts || head.type !== MESSAGE_TYPE.rpc)
      return frameOf(joinBytes([...this.#pieces, last]));
    const parts = [head.data, ...this.#pieces.slice(1), last];
    return { ...head, data: EMPTY_BYTES, parts };
  }

  #lengthAt(bytes: Uint8Array, position: number): number | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset + position, 4);
    const length = view.getUint32(0);
    if (length < HEADER_BYTES) this.#failure = "tooShort";
    if (length > MAX_FRAME_BYTES) this.#failure = "tooLong";
    return this.#failure === undefined ? length : undefined;
  }
}

/** Bytes of the data of a frame that was read. */
export function dataBytesOf({ data, parts }: Pick<Frame, "data" | "parts">): number {
  if (!parts) return data.length;
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** The parts of a frame's data as one. */
export function joinedParts(parts: readonly Uint8Array[]): Uint8Array {
  const [only = EMPTY_BYTES] = parts;
  return parts.length > 1 ? joinBytes(parts) : only;
}

/** The frame in exactly these bytes. */
function frameOf(bytes: Uint8Array): Frame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return {
    type: view.getUint16(4),
    seq: bytes.subarray(6, 6 + SEQ_BYTES),
    result: view.getInt32(38),
    data: bytes.subarray(HEADER_BYTES),
  };
}

/** Whether a text can be the topic of a message. Source: channel-protocol 3 */
export function fitsTopic(topic: string): boolean {
  return topic.length <= MAX_TOPIC_BYTES && utf8Bytes(topic).length <= MAX_TOPIC_BYTES;
}

/** Data with its topic in front. Source: channel-protocol 3 (topic-prefixed payloads) */
export function withTopic(topic: string, content: Uint8Array): Uint8Array {
  const name = utf8Bytes(topic);
  invariant(name.length <= MAX_TOPIC_BYTES, "a topic has at most 254 bytes");
  const data = new Uint8Array(1 + name.length + content.length);
  data[0] = name.length + 1;
  data.set(name, 1);
  data.set(content, 1 + name.length);
  return data;
}

/** Topic and content of topic-prefixed data, or why there are none. */
export type TopicRead =
  | { readonly ok: true; readonly topic: string; readonly content: Uint8Array }
  | { readonly ok: false; readonly reason: "empty" | "zeroPrefix" | "pastEnd" };

/** Splits topic-prefixed data; the content is a view. Source: channel-protocol 3, 3.1 */
export function readTopic(data: Uint8Array): TopicRead {
  const [prefix] = data;
  if (prefix === undefined) return { ok: false, reason: "empty" };
  if (prefix === 0) return { ok: false, reason: "zeroPrefix" };
  if (prefix > data.length) return { ok: false, reason: "pastEnd" };
  return { ok: true, topic: utf8Text(data.subarray(1, prefix)), content: data.subarray(prefix) };
}
