/**
 * Frames on the stream of two nodes: length, type, payload. Long messages go as several frames, so
 * that an urgent one waits for 64 KiB at most. Source: node-network 3, 8
 */
import { concatBytes } from "../bytes/bytes.ts";
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

/** Cuts a stream of bytes into frames; holds at most one frame that is not complete. */
export class FrameReader {
  #rest: Uint8Array | undefined;

  /**
   * Takes the next bytes of the stream and hands out the frames that are complete; false when the
   * stream is malformed or the taker had enough. Payloads are views of the chunk.
   */
  push(chunk: Uint8Array, take: FrameTaker): boolean {
    let bytes = this.#rest ? concatBytes(this.#rest, chunk) : chunk;
    this.#rest = undefined;
    while (bytes.length >= LENGTH_BYTES) {
      const length = new ByteReader(bytes).u32();
      if (length === 0 || length > FRAME_LIMIT) return false;
      const end = LENGTH_BYTES + length;
      if (bytes.length < end) break;
      const type = bytes[LENGTH_BYTES] ?? 0;
      if (!take(type, bytes.subarray(FRAME_HEADER_BYTES, end))) return false;
      bytes = bytes.subarray(end);
    }
    if (bytes.length > 0) this.#rest = bytes.slice();
    return true;
  }
}
