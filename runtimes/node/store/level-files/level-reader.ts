/** Reads the integers and texts of LevelDB's files: little-endian, or seven bits a byte. */

/** Most bytes of an integer that a number can hold. */
const VARINT_BYTES = 8;

/** Goes through bytes; behind their end it fails and gives nothing. A class: it has a place. */
export class LevelReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #failed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether something was asked for that is not there. */
  get failed(): boolean {
    return this.#failed;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** An integer of seven bits a byte, lowest first. */
  varint(): number {
    let value = 0;
    for (let i = 0; i < VARINT_BYTES; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return Number.isSafeInteger(value) ? value : this.#fail();
    }
    return this.#fail();
  }

  byte(): number {
    return this.bytes(1)[0] ?? 0;
  }

  /** An integer of four bytes. */
  fixed32(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.bytes(4);
    return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  }

  bytes(count: number): Uint8Array {
    if (count > this.remaining) {
      this.#fail();
      return new Uint8Array(0);
    }
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** Bytes with their length before them. */
  sized(): Uint8Array {
    return this.bytes(this.varint());
  }

  #fail(): 0 {
    this.#failed = true;
    this.#at = this.#bytes.length;
    return 0;
  }
}
