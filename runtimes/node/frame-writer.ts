/**
 * Writes frames to a socket one at a time: the next leaves when the one before was handed over, so
 * that no two share a TLS record. Source: channel-protocol 2.3
 */

/** What is written to. */
export interface FrameSink {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
  readonly destroyed: boolean;
}

interface Waiting {
  readonly bytes: Uint8Array;
  readonly written: () => void;
}

/** So many frames that have left are kept in the list before it is cut. */
const CUT_AT = 1_024;

/** The frames that wait for one socket. */
export class FrameWriter {
  readonly #sink: FrameSink;
  #waiting: (Waiting | undefined)[] = [];
  /** Index of the frame that is being written. */
  #head = 0;
  #writing = false;
  #onEmpty: (() => void) | undefined;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** @param written called when the frame has been handed over; never after a failure */
  write(bytes: Uint8Array, written: () => void): void {
    if (this.#sink.destroyed) return;
    this.#waiting.push({ bytes, written });
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
    this.#sink.write(frame.bytes, (error) => {
      this.#writing = false;
      if (error) return;
      // What has left is not kept until the list is cut.
      this.#waiting[this.#head++] = undefined;
      if (this.#head >= CUT_AT) {
        this.#waiting = this.#waiting.slice(this.#head);
        this.#head = 0;
      }
      frame.written();
      if (!this.#writing) this.#next();
    });
  }
}
