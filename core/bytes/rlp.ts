/** RLP: strict reading without allocations, exact encoding. Source: tx-block-codec 0, 2.1 */
import { bigintOfBytes, EMPTY_BYTES, numberOfBytes, uintBytes, uintLength } from "./bytes.ts";
import { hashOf } from "./hex.ts";
import { type Hash, ZERO_HASH } from "./ids.ts";

const HASH_BYTES = 32;

/** Something to encode: a byte string, an unsigned integer, a list, or RLP that is ready. */
export type RlpInput = Uint8Array | bigint | number | RlpEncoded | readonly RlpInput[];

interface RlpEncoded {
  readonly rlp: Uint8Array;
}

/** Length of the prefix in front of a payload of that length (not for a single byte below 0x80). */
function prefixLength(payload: number): number {
  return payload <= 55 ? 1 : 1 + uintLength(payload);
}

function stringLength(bytes: Uint8Array): number {
  if (bytes.length === 1 && (bytes[0] ?? 0) < 0x80) return 1;
  return prefixLength(bytes.length) + bytes.length;
}

function uintItemLength(value: bigint | number): number {
  if (value < 0x80) return 1;
  return 1 + uintLength(value);
}

/**
 * Encoded length of an item; list payload lengths are pushed in the order the writer meets them.
 */
function measure(item: RlpInput, lengths: number[]): number {
  if (typeof item === "bigint" || typeof item === "number") return uintItemLength(item);
  if (item instanceof Uint8Array) return stringLength(item);
  if ("rlp" in item) return item.rlp.length;
  const slot = lengths.push(0) - 1;
  let payload = 0;
  for (const child of item) payload += measure(child, lengths);
  lengths[slot] = payload;
  return prefixLength(payload) + payload;
}

/** Writes a prefix; `base` is 0x80 for strings, 0xc0 for lists. Gives the position after it. */
function writePrefix(target: Uint8Array, position: number, base: number, payload: number): number {
  if (payload <= 55) {
    target[position] = base + payload;
    return position + 1;
  }
  const count = uintLength(payload);
  target[position] = base + 55 + count;
  let rest = payload;
  for (let i = count; i > 0; i--) {
    target[position + i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return position + 1 + count;
}

function writeString(target: Uint8Array, position: number, bytes: Uint8Array): number {
  const first = bytes[0] ?? 0;
  if (bytes.length === 1 && first < 0x80) {
    target[position] = first;
    return position + 1;
  }
  const start = writePrefix(target, position, 0x80, bytes.length);
  target.set(bytes, start);
  return start + bytes.length;
}

/** Walks the same order as `measure`, so that list lengths come off the front one by one. */
interface WriteState {
  readonly target: Uint8Array;
  readonly lengths: readonly number[];
  nextList: number;
}

function write(state: WriteState, position: number, item: RlpInput): number {
  const { target } = state;
  if (typeof item === "bigint" || typeof item === "number") {
    return writeString(target, position, uintBytes(item));
  }
  if (item instanceof Uint8Array) return writeString(target, position, item);
  if ("rlp" in item) {
    target.set(item.rlp, position);
    return position + item.rlp.length;
  }
  let at = writePrefix(target, position, 0xc0, state.lengths[state.nextList++] ?? 0);
  for (const child of item) at = write(state, at, child);
  return at;
}

/** The RLP of an item. Integers must not be negative; zero is the empty string. */
export function encodeRlp(item: RlpInput): Uint8Array {
  const lengths: number[] = [];
  const target = new Uint8Array(measure(item, lengths));
  write({ target, lengths, nextList: 0 }, 0, item);
  return target;
}

/**
 * The RLP of a list whose items are ready.
 *
 * @param payload the items' RLP, one behind the other
 * @param room where the result is put if it fits: for a caller that is done with it before the next
 */
export function wrapRlpList(payload: Uint8Array, room?: Uint8Array): Uint8Array {
  const length = prefixLength(payload.length) + payload.length;
  const target = room && room.length >= length ? room.subarray(0, length) : new Uint8Array(length);
  target.set(payload, writePrefix(target, 0, 0xc0, payload.length));
  return target;
}

/** Widest integer of any codec here. Source: tx-block-codec 2.1 */
const MAX_UINT_BYTES = 32;

/**
 * Reads the items of a list, or of bytes, from front to back, strictly: shortest forms only and
 * nothing beyond the end. The first mismatch makes `failed` true for good, and all later reads
 * give empty values; `complete` at the end says whether everything was as expected.
 */
export class RlpReader {
  /** Whether something was malformed or not as asked for. */
  failed = false;
  /** Where the next item starts. */
  position: number;
  /** Whether the current item is a list. */
  isList = false;
  /** Where the content of the current item starts. */
  payloadStart = 0;
  /** Where the current item ends. */
  payloadEnd = 0;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #itemStart = 0;

  /** Reads the items in bytes [start, end). */
  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.position = start;
    this.#end = end;
  }

  /** Whether all items were read and nothing failed. */
  complete(): boolean {
    return !this.failed && this.position === this.#end;
  }

  /** Whether there is something left to read. */
  hasNext(): boolean {
    return !this.failed && this.position < this.#end;
  }

  /** Marks the whole as malformed: for values out of their range. */
  fail(): false {
    this.failed = true;
    return false;
  }

  /** Steps to the next item without looking inside; false at the end or when it is malformed. */
  next(): boolean {
    const start = this.position;
    if (this.failed || start >= this.#end) return false;
    const prefix = this.#bytes[start] ?? 0;
    this.#itemStart = start;
    this.isList = prefix >= 0xc0;
    if (prefix < 0x80) return this.#accept(start, 1);
    const short = prefix - (this.isList ? 0xc0 : 0x80);
    if (short > 55) return this.#nextLong(start, short - 55);
    // A byte below 0x80 must stand for itself.
    if (prefix === 0x81 && (this.#bytes[start + 1] ?? 0) < 0x80) return this.fail();
    return this.#accept(start + 1, short);
  }

  #nextLong(start: number, lengthBytes: number): boolean {
    const payloadStart = start + 1 + lengthBytes;
    // Six bytes of length are more than any buffer has. Leading zeros and short payloads are not
    // the shortest form.
    if (payloadStart > this.#end || this.#bytes[start + 1] === 0) return this.fail();
    if (lengthBytes > 6) return this.fail();
    const length = numberOfBytes(this.#bytes, start + 1, payloadStart);
    return length > 55 ? this.#accept(payloadStart, length) : this.fail();
  }

  #accept(payloadStart: number, length: number): boolean {
    if (length > this.#end - payloadStart) return this.fail();
    this.payloadStart = payloadStart;
    this.payloadEnd = payloadStart + length;
    this.position = this.payloadEnd;
    return true;
  }

  /** The content of the current item, without its prefix: a view of it. */
  payload(): Uint8Array {
    if (this.failed || this.payloadStart === this.payloadEnd) return EMPTY_BYTES;
    return this.#bytes.subarray(this.payloadStart, this.payloadEnd);
  }

  /** Writes the content of the current item so that it ends in front of a position. */
  putPayload(target: Uint8Array, end: number): void {
    if (this.failed) return;
    const shift = end - this.payloadEnd;
    for (let i = this.payloadStart; i < this.payloadEnd; i++) {
      target[i + shift] = this.#bytes[i] ?? 0;
    }
  }

  /** The next item must be a string: a view of it. */
  string(): Uint8Array {
    if (!this.next() || this.isList) this.failed = true;
    return this.payload();
  }

  /** The next item must be a string of that many bytes: a view of it. */
  fixed(length: number): Uint8Array {
    const bytes = this.string();
    if (bytes.length !== length) this.failed = true;
    return bytes;
  }

  /** The next item must be an integer of at most 32 bytes without leading zeros. */
  uint(): bigint {
    return this.enterUint() ? bigintOfBytes(this.#bytes, this.payloadStart, this.payloadEnd) : 0n;
  }

  /** The next item must be an integer up to 2^53 - 1. */
  safe(): number {
    if (!this.enterUint(7)) return 0;
    const value = numberOfBytes(this.#bytes, this.payloadStart, this.payloadEnd);
    if (Number.isSafeInteger(value)) return value;
    this.failed = true;
    return 0;
  }

  /** The next item must be an integer without leading zeros: steps to it, reads nothing. */
  enterUint(maxBytes = MAX_UINT_BYTES): boolean {
    const ok =
      this.next() &&
      !this.isList &&
      this.payloadEnd - this.payloadStart <= maxBytes &&
      (this.payloadEnd === this.payloadStart || this.#bytes[this.payloadStart] !== 0);
    return ok || this.fail();
  }

  /** The next item must be a list: a reader of its items. */
  list(): RlpReader {
    if (!this.next() || !this.isList) {
      this.failed = true;
      return new RlpReader(EMPTY_BYTES);
    }
    return new RlpReader(this.#bytes, this.payloadStart, this.payloadEnd);
  }

  /** The next item must be a string of 32 bytes; the zero hash when anything has failed. */
  hash(): Hash {
    const bytes = this.fixed(HASH_BYTES);
    return this.failed ? ZERO_HASH : hashOf(bytes);
  }

  /** The next item must be a list: what is read of it, undefined when it is empty. */
  optional<Value>(read: (items: RlpReader) => Value): Value | undefined {
    const items = this.list();
    const value = items.hasNext() ? read(items) : undefined;
    if (!items.complete()) this.failed = true;
    return value;
  }

  /** The next item, prefix included, whatever it is: a view of it. */
  raw(): Uint8Array {
    return this.next() ? this.#bytes.subarray(this.#itemStart, this.payloadEnd) : EMPTY_BYTES;
  }

  /**
   * Reads all items that are left with one function; stops at the first that fails. More than the
   * limit are a failure: an item of one byte costs a hundred in memory, and its sender nothing.
   */
  all<Item>(read: (reader: RlpReader) => Item, limit = Number.POSITIVE_INFINITY): Item[] {
    const items: Item[] = [];
    while (this.hasNext()) {
      if (items.length >= limit) this.fail();
      else items.push(read(this));
    }
    return items;
  }
}

/** A reader of the items of the one list that the bytes must be; undefined when they are not. */
export function openRlpList(bytes: Uint8Array): RlpReader | undefined {
  const reader = new RlpReader(bytes);
  const list = reader.list();
  return reader.complete() ? list : undefined;
}
