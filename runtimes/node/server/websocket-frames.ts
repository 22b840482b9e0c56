/**
 * What a message that is not whole yet holds in memory. The library keeps each of its fragments,
 * and each piece in which it came, as an object of its own, and bounds their bytes only: a fragment
 * of one byte costs a hundred. So the headers of the frames are read here too, in front of it.
 * Source: RFC 6455 5.2
 */

/** Frames of one message: 64 MiB in pieces of 4 KiB. */
export const MAX_FRAGMENTS = 16_384;
/** What a fragment, or a piece in which one came, costs besides its bytes. */
const OBJECT_BYTES = 128;
/** First opcode of control frames, which come between the fragments of a message. */
const FIRST_CONTROL = 8;
/** The two bytes that each header has, and the mask that follows the length. */
export const START_BYTES = 2;
/** The mask that follows the length. */
export const MASK_BYTES = 4;
/** Values of the seven bits of length that announce a longer one, and how long that is. */
export const LENGTH_BYTES: Readonly<Record<number, number>> = { 126: 2, 127: 8 };

/** Follows the frames of a client. A class because bytes come in any pieces. */
export class FrameWatch {
  readonly #header: number[] = [];
  #headerBytes = START_BYTES;
  /** Bytes until the frame ends; 0 while its header is read. */
  #left = 0;
  #isControl = false;
  #isLast = true;
  /** Frames of the message that is not whole yet. */
  fragments = 0;
  /** Of the message that is not whole yet; 0 between messages. */
  heldBytes = 0;

  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0) {
        this.#header.push(bytes[at++] ?? 0);
        this.#readHeader();
        continue;
      }
      const part = Math.min(this.#left, bytes.length - at);
      at += part;
      this.#left -= part;
      if (!this.#isControl) this.heldBytes += part;
      if (this.#left === 0) this.#endFrame();
    }
    if (this.fragments > 0) this.heldBytes += OBJECT_BYTES;
  }

  #readHeader(): void {
    const [first = 0, second = 0] = this.#header;
    const { length } = this.#header;
    if (length === START_BYTES) {
      const lengthBytes = LENGTH_BYTES[second & 0x7f] ?? 0;
      this.#headerBytes = START_BYTES + lengthBytes + MASK_BYTES;
    }
    if (length < this.#headerBytes || length === START_BYTES) return;
    const longer = this.#header.slice(START_BYTES, length - MASK_BYTES);
    const short = longer.length === 0 ? second & 0x7f : 0;
    this.#left = longer.reduce((sum, byte) => sum * 256 + byte, short);
    this.#isControl = (first & 0x0f) >= FIRST_CONTROL;
    this.#isLast = (first & 0x80) !== 0;
    this.#header.length = 0;
    this.#headerBytes = START_BYTES;
    if (!this.#isControl) {
      this.fragments += 1;
      this.heldBytes += OBJECT_BYTES;
    }
    if (this.#left === 0) this.#endFrame();
  }

  #endFrame(): void {
    if (this.#isControl || !this.#isLast) return;
    this.fragments = 0;
    this.heldBytes = 0;
  }
}
