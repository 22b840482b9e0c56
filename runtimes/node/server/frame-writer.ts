/**
 * Writes frames to a socket one at a time: the next leaves when the one before was handed over, so
 * that no two share a TLS record. Source: channel-protocol 2.3
 */

import type { LongData } from "../../../core/channel/frame.ts";
import type { Pace } from "../../../core/limits/pace.ts";
import type { LongTold } from "../../../core/node/channel/channel-session.ts";

interface FrameSink {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
  readonly destroyed: boolean;
}

interface Waiting {
  readonly bytes: Uint8Array;
  readonly written: () => void;
  readonly moved: (() => void) | undefined;
  /** What follows the bytes, made while it is sent. */
  readonly long?: { readonly data: LongData; readonly failed: () => void };
}

/** This many frames that have left are kept in the list before it is cut. */
const CUT_AT = 1_024;
/** Longer frames are handed over in parts of this many bytes, whole TLS records. */
const PART_BYTES = 64 * 16_384;

/** The frames that wait for one socket. */
export class FrameWriter {
  readonly #sink: FrameSink;
  readonly #pace: Pace;
  #waiting: (Waiting | undefined)[] = [];
  /** Index of the frame that is being written. */
  #head = 0;
  #writing = false;
  #onEmpty: (() => void) | undefined;

  /** @param pace asked after each piece that is made while it is sent */
  constructor(sink: FrameSink, pace: Pace) {
    this.#sink = sink;
    this.#pace = pace;
  }

  /**
   * @param written called when the frame has been handed over; never after a failure
   * @param moved called after each part of a long frame
   */
  write(bytes: Uint8Array, written: () => void, moved?: () => void): void {
    if (this.#sink.destroyed) return;
    this.#waiting.push({ bytes, written, moved });
    if (!this.#writing) this.#next();
  }

  /** As {@link write} for a frame whose data is made while it is sent: a piece is held of it. */
  writeLong(bytes: Uint8Array, data: LongData, { written, moved, failed }: LongTold): void {
    if (this.#sink.destroyed) return;
    this.#waiting.push({ bytes, written, moved, long: { data, failed } });
    if (!this.#writing) this.#next();
  }

  /** Calls back when everything has been handed over; at once when there is nothing. */
  whenEmpty(callback: () => void): void {
    this.#onEmpty = callback;
    if (!this.#writing) callback();
  }

  #next(): void {
    const frame = this.#waiting[this.#head];
    if (!frame) {
      this.#waiting = [];
      this.#head = 0;
      this.#onEmpty?.();
      return;
    }
    this.#writing = true;
    const whole = (): void => {
      this.#writing = false;
      // What has left is not kept until the list is cut.
      this.#waiting[this.#head++] = undefined;
      if (this.#head >= CUT_AT) {
        this.#waiting = this.#waiting.slice(this.#head);
        this.#head = 0;
      }
      frame.written();
      if (!this.#writing) this.#next();
    };
    const { long } = frame;
    if (!long) return this.#writeFrom(frame, 0, whole);
    void this.#writePieces(frame, long.data).then((isWhole) => isWhole && whole(), long.failed);
  }

  /** @returns false when the connection has failed meanwhile */
  async #writePieces({ bytes, moved }: Waiting, data: LongData): Promise<boolean> {
    if (!(await this.#isWritten(bytes))) return false;
    for await (const piece of data.pieces()) {
      if (!(await this.#isWritten(Buffer.from(piece, "utf8")))) return false;
      moved?.();
      // A system that takes all at once would have all sessions' pieces made in one turn.
      await this.#pace();
    }
    return true;
  }

  #isWritten(bytes: Uint8Array): Promise<boolean> {
    if (this.#sink.destroyed) return Promise.resolve(false);
    return new Promise((resolve) => this.#sink.write(bytes, (error) => resolve(!error)));
  }

  #writeFrom(frame: Waiting, start: number, whole: () => void): void {
    const end = start + PART_BYTES;
    this.#sink.write(frame.bytes.subarray(start, end), (error) => {
      // After a failure nothing is written any more.
      if (error) return;
      if (end >= frame.bytes.length) return whole();
      frame.moved?.();
      this.#writeFrom(frame, end, whole);
    });
  }
}
