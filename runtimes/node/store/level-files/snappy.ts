/**
 * Unpacks the blocks in which a LevelDB table says where its other blocks are, and the beginning of
 * those. Reading only: the database itself packs.
 * Format: Snappy's public description of its compressed format.
 */
import { LevelReader } from "./level-reader.ts";

/** Kinds of elements, in the two lowest bits of their first byte. */
const LITERAL = 0;
const NEAR_COPY = 1;
const COPY = 2;
/** From here on the length of a literal stands in the bytes behind. */
const LONG_LITERAL = 60;

/** A literal, or a copy of what was unpacked before. */
interface Element {
  readonly length: number;
  /** How far back a copy begins; undefined for a literal. */
  readonly back: number | undefined;
}

function littleEndian(bytes: Uint8Array): number {
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0);
}

function readElement(reader: LevelReader): Element {
  const tag = reader.u8();
  const upper = tag >>> 2;
  switch (tag & 3) {
    case LITERAL: {
      const length = upper < LONG_LITERAL ? upper : littleEndian(reader.bytes(upper - 59));
      return { length: length + 1, back: undefined };
    }
    case NEAR_COPY:
      return { length: (upper & 7) + 4, back: (tag >>> 5) * 256 + reader.u8() };
    case COPY:
      return { length: upper + 1, back: littleEndian(reader.bytes(2)) };
    default:
      return { length: upper + 1, back: littleEndian(reader.bytes(4)) };
  }
}

/** The bytes as they were; undefined when they do not unpack, or to more than `most`. */
export function unpackSnappy(packed: Uint8Array, most: number): Uint8Array | undefined {
  const reader = new LevelReader(packed);
  const length = reader.varint();
  if (reader.failed || length > most) return undefined;
  const out = new Uint8Array(length);
  let at = 0;
  while (reader.remaining > 0) {
    const end = appendElement(reader, out, at);
    if (end === undefined) return undefined;
    at = end;
  }
  return !reader.failed && at === length ? out : undefined;
}

/** So many bytes of the beginning, or all; undefined when these do not unpack. */
export function unpackBeginning(packed: Uint8Array, bytes: number): Uint8Array | undefined {
  const reader = new LevelReader(packed);
  const out = new Uint8Array(Math.min(reader.varint(), bytes));
  for (let at = 0; at < out.length; ) {
    const end = appendElement(reader, out, at, true);
    if (end === undefined) return undefined;
    at = end;
  }
  return reader.failed ? undefined : out;
}

/**
 * Appends an element, or what there is room for where it may be cut; gives the place behind it,
 * undefined when it makes no sense.
 */
function appendElement(
  reader: LevelReader,
  out: Uint8Array,
  at: number,
  mayCut = false,
): number | undefined {
  const { length, back } = readElement(reader);
  const end = mayCut ? Math.min(at + length, out.length) : at + length;
  if (reader.failed || end > out.length) return undefined;
  if (back === undefined) {
    out.set(reader.bytes(end - at), at);
    return reader.failed ? undefined : end;
  }
  if (back === 0 || back > at) return undefined;
  // A copy may reach into what it writes: then it repeats.
  for (let i = at; i < end; i++) out[i] = out[i - back] ?? 0;
  return end;
}
