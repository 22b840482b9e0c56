/**
 * Bounded reading and writing of binary records. A reader that runs out fails for good, it never
 * throws.
 */
import { EMPTY_BYTES, numberOfBytes } from "./bytes.ts";

/**
 * Reads integers and byte runs from front to back. After the first read that does not fit, every
 * read gives zero or no bytes and `failed` stays true: check once, at the end, with `complete`.
 */
export class ByteReader {
  /** Whether some read did not fit. */
  failed = false;
  /** How many bytes have been read. */
  position = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** How many bytes are left. */
  get remaining(): number {
    return this.failed ? 0 : this.#bytes.length - this.position;
  }

  /** Whether all was read and everything fitted. */
  complete(): boolean {
    return !this.failed && this.position === this.#bytes.length;
  }

  /** Marks the record as malformed: for values out of their range. */
  fail(): void {
    this.failed = true;
  }

  #take(count: number): number {
    if (this.failed || count > this.#bytes.length - this.position || count < 0) {
      this.failed = true;
      return -1;
    }
    const start = this.position;
    this.position += count;
    return start;
  }

  #uint(count: number): number {
    const start = this.#take(count);
    return start < 0 ? 0 : numberOfBytes(this.#bytes, start, start + count);
  }

  #little(count: number): number {
    return numberOfBytes(this.bytes(count).slice().reverse());
  }

  // Integers are big-endian, unless their name ends in `le`.
  u8(): number {
    return this.#uint(1);
  }

  u16(): number {
    return this.#uint(2);
  }

  u32(): number {
    return this.#uint(4);
  }

  /** Fails above 2^53 - 1. */
  u64(): number {
    const high = this.#uint(4);
    const low = this.#uint(4);
    const value = high * 0x1_0000_0000 + low;
    if (!Number.isSafeInteger(value)) this.failed = true;
    return this.failed ? 0 : value;
  }

  u16le(): number {
    return this.#little(2);
  }

  u32le(): number {
    return this.#little(4);
  }

  /** The next bytes, a view into the record. */
  bytes(count: number): Uint8Array {
    const start = this.#take(count);
    return start < 0 ? EMPTY_BYTES : this.#bytes.subarray(start, start + count);
  }

  /** A run with its length in front as u32; fails when it is longer than `max`. */
  sized(max: number): Uint8Array {
    const length = this.u32();
    if (length > max) this.failed = true;
    return this.bytes(length);
  }

  /** Everything that is left, a view. */
  rest(): Uint8Array {
    return this.bytes(this.remaining);
  }
}

/** Start size of a writer when the caller does not know better. */
const DEFAULT_CAPACITY = 256;

/** Builds a binary record from front to back; grows by doubling. */
export class ByteWriter {
  /** How many bytes have been written. */
  length = 0;
  #bytes: Uint8Array;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#bytes = new Uint8Array(capacity);
  }

  #grow(count: number): number {
    const start = this.length;
    const needed = start + count;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, start));
      this.#bytes = larger;
    }
    this.length = needed;
    return start;
  }

  #uint(value: number, count: number): this {
    const start = this.#grow(count);
    let rest = value;
    for (let at = start + count - 1; at >= start; at--) {
      this.#bytes[at] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    return this;
  }

  // Integers are big-endian.
  u8(value: number): this {
    return this.#uint(value, 1);
  }

  u16(value: number): this {
    return this.#uint(value, 2);
  }

  u32(value: number): this {
    return this.#uint(value, 4);
  }

  u64(value: number): this {
    return this.#uint(value, 8);
  }

  bytes(part: Uint8Array): this {
    const start = this.#grow(part.length);
    this.#bytes.set(part, start);
    return this;
  }

  /** A run with its length in front as u32. */
  sized(part: Uint8Array): this {
    return this.u32(part.length).bytes(part);
  }

  /** The record written so far, in an array of exactly its size. */
  finish(): Uint8Array {
    // Of a size that was known before it is not copied; a node that writes on gets another array.
    if (this.length === this.#bytes.length) return this.#bytes;
    return this.#bytes.slice(0, this.length);
  }
}
