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

/** A number of some bytes, the lowest first; NaN behind the end. */
function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = at + count - 1; i >= at; i--) value = value * 256 + (bytes[i] ?? Number.NaN);
  return value;
}

/** The bytes as they were; undefined when they do not unpack, or to more than `most`. */
export function unpackSnappy(packed: Uint8Array, most: number): Uint8Array | undefined {
  const reader = new LevelReader(packed);
  const length = reader.varint();
  if (reader.failed || length > most) return undefined;
  const out = new Uint8Array(length);
  return unpackInto(out, packed, reader.position) === packed.length ? out : undefined;
}

/** So many bytes of the beginning, or all; undefined when these do not unpack. */
export function unpackBeginning(packed: Uint8Array, bytes: number): Uint8Array | undefined {
  const reader = new LevelReader(packed);
  const out = new Uint8Array(Math.min(reader.varint(), bytes));
  if (reader.failed) return undefined;
  return unpackInto(out, packed, reader.position, true) === undefined ? undefined : out;
}

/**
 * Unpacks the elements from a place on until all of `out` is there.
 * @param mayCut the last one may have more than there is room for
 * @returns the place behind the last one; undefined when they make no sense
 */
function unpackInto(
  out: Uint8Array,
  packed: Uint8Array,
  from: number,
  mayCut = false,
): number | undefined {
  let next = from;
  for (let at = 0; at < out.length; ) {
    const tag = packed[next++] ?? 0;
    const upper = tag >>> 2;
    let [length, back, more] = [upper + 1, 0, 0];
    if ((tag & 3) === LITERAL) {
      if (upper >= LONG_LITERAL) more = upper - LONG_LITERAL + 1;
      if (more > 0) length = littleEndian(packed, next, more) + 1;
    } else if ((tag & 3) === NEAR_COPY) {
      more = 1;
      length = (upper & 7) + 4;
      back = (tag >>> 5) * 256 + littleEndian(packed, next, more);
    } else {
      more = (tag & 3) === COPY ? 2 : 4;
      back = littleEndian(packed, next, more);
    }
    next += more;
    const end = mayCut ? Math.min(at + length, out.length) : at + length;
    if (!(end <= out.length)) return undefined;
    if ((tag & 3) === LITERAL) {
      if (next + end - at > packed.length) return undefined;
      for (; at < end; at++) out[at] = packed[next++] ?? 0;
      continue;
    }
    if (!(back > 0 && back <= at)) return undefined;
    for (; at < end; at++) out[at] = out[at - back] ?? 0;
  }
  return next > packed.length ? undefined : next;
}
