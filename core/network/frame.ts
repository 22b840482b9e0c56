/**
 * Frames on the stream of two nodes: length, type, payload. Long messages go as several frames, so
 * that an urgent one waits for 64 KiB at most. Source: node-network 3, 8
 */
import { EMPTY_BYTES } from "../bytes/bytes.ts";
import { ByteReader, type ByteWriter } from "../bytes/cursor.ts";

/** Types of frames. */
export const FRAME = {
  hello: 1,
  proof: 2,
  welcome: 3,
  refuse: 4,
  ping: 5,
  pong: 6,
  part: 7,
  close: 8,
} as const;

/** Bytes of a message that one frame carries at most. */
export const PART_BYTES = 64 * 1024;
/** A longer frame ends the session: nothing behind it can be trusted. */
export const FRAME_LIMIT = PART_BYTES + 1_024;
/** Length and type. */
export const FRAME_HEADER_BYTES = 5;
const LENGTH_BYTES = 4;

/** Appends a frame. */
export function writeFrame(writer: ByteWriter, type: number, payload: Uint8Array): void {
  writer
    .u32(payload.length + 1)
    .u8(type)
    .bytes(payload);
}

/** Takes a frame; false ends the reading. */
export type FrameTaker = (type: number, payload: Uint8Array) => boolean;

/** Where a frame ends whose length is there; undefined for a length that no frame has. */
function endOf(bytes: Uint8Array): number | undefined {
  const length = new ByteReader(bytes).u32();
  return length === 0 || length > FRAME_LIMIT ? undefined : LENGTH_BYTES + length;
}

function give(frame: Uint8Array, take: FrameTaker): boolean {
  return take(frame[LENGTH_BYTES] ?? 0, frame.subarray(FRAME_HEADER_BYTES));
}

/** Cuts a stream of bytes into frames; holds at most one frame that is not complete. */
export class FrameReader {
  /** The frame that has begun, with room for more of it. */
  #held = EMPTY_BYTES;
  #heldBytes = 0;

  /**
   * Takes the next bytes of the stream and hands out the frames that are complete; false when the
   * stream is malformed or the taker had enough. Payloads are views of the chunk, or of bytes that
   * nothing else refers to. However small the chunks are, a byte is copied three times at most.
   */
  push(chunk: Uint8Array, take: FrameTaker): boolean {
    let bytes = this.#heldBytes > 0 ? this.#complete(chunk, take) : chunk;
    while (bytes && bytes.length >= LENGTH_BYTES) {
      const end = endOf(bytes);
      if (end === undefined) return false;
      if (bytes.length < end) break;
      if (!give(bytes.subarray(0, end), take)) return false;
      bytes = bytes.subarray(end);
    }
    if (bytes) this.#hold(bytes, bytes.length);
    return bytes !== undefined;
  }

  /** Goes on with the frame that has begun; the rest of the chunk, or undefined at the end. */
  #complete(chunk: Uint8Array, take: FrameTaker): Uint8Array | undefined {
    const afterLength = this.#hold(chunk, LENGTH_BYTES);
    if (this.#heldBytes < LENGTH_BYTES) return afterLength;
    const end = endOf(this.#held);
    if (end === undefined) return undefined;
    const rest = this.#hold(afterLength, end);
    if (this.#heldBytes < end) return rest;
    const frame = this.#held.subarray(0, end);
    this.#held = EMPTY_BYTES;
    this.#heldBytes = 0;
    return give(frame, take) ? rest : undefined;
  }

  /** Holds as much as is missing up to an end of the frame; what is left of the bytes. */
  #hold(bytes: Uint8Array, end: number): Uint8Array {
    const missing = Math.min(Math.max(end - this.#heldBytes, 0), bytes.length);
    const heldBytes = this.#heldBytes + missing;
    if (heldBytes > this.#held.length) {
      // Room for as much again: what is only claimed reserves nothing.
      const larger = new Uint8Array(Math.max(heldBytes, 2 * this.#held.length));
      larger.set(this.#held.subarray(0, this.#heldBytes));
      this.#held = larger;
    }
    this.#held.set(bytes.subarray(0, missing), this.#heldBytes);
    this.#heldBytes = heldBytes;
    return bytes.subarray(missing);
  }
}
