/**
 * Unpacks the blocks in which a LevelDB table says where its other blocks are. Reading only: the
 * database itself packs. Format: Snappy's public description of its compressed format.
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

/** Appends an element; gives the place behind it, undefined when it makes no sense. */
function appendElement(reader: LevelReader, out: Uint8Array, at: number): number | undefined {
  const { length, back } = readElement(reader);
  if (reader.failed || at + length > out.length) return undefined;
  if (back === undefined) {
    out.set(reader.bytes(length), at);
    return reader.failed ? undefined : at + length;
  }
  if (back === 0 || back > at) return undefined;
  // A copy may reach into what it writes: then it repeats.
  for (let i = at; i < at + length; i++) out[i] = out[i - back] ?? 0;
  return at + length;
}
