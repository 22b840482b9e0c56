/** The byte memory of a frame; words in it are big-endian. */
import type { Words } from "./words.ts";

/** Memory of one frame. */
export interface Memory {
  bytes: Uint8Array;
  /** The same bytes; both are replaced together when memory grows. */
  view: DataView;
  /** Bytes in use, a multiple of 32. What lies beyond may hold an earlier frame's data. */
  size: number;
}

/** First capacity, and the largest one kept for the next frame of the same depth. */
const FIRST_BYTES = 1_024;
const KEPT_BYTES = 32_768;

/** An empty memory. */
export function createMemory(): Memory {
  const bytes = new Uint8Array(FIRST_BYTES);
  return { bytes, view: new DataView(bytes.buffer), size: 0 };
}

/** Empties the memory for the next frame. */
export function clearMemory(memory: Memory): void {
  memory.size = 0;
  if (memory.bytes.length > KEPT_BYTES) replace(memory, new Uint8Array(FIRST_BYTES));
}

/** Extends the memory to `size` bytes, a multiple of 32; new bytes are zero. */
export function resizeMemory(memory: Memory, size: number): void {
  if (size > memory.bytes.length) {
    // Doubling, because a contract may grow its memory word by word.
    const bytes = new Uint8Array(Math.max(size, 2 * memory.bytes.length));
    bytes.set(memory.bytes.subarray(0, memory.size));
    replace(memory, bytes);
  } else memory.bytes.fill(0, memory.size, size);
  memory.size = size;
}

function replace(memory: Memory, bytes: Uint8Array): void {
  memory.bytes = bytes;
  memory.view = new DataView(bytes.buffer);
}

/** Reads 32 bytes as a word. */
export function readWord(view: DataView, offset: number, w: Words, at: number): void {
  w[at + 7] = view.getUint32(offset);
  w[at + 6] = view.getUint32(offset + 4);
  w[at + 5] = view.getUint32(offset + 8);
  w[at + 4] = view.getUint32(offset + 12);
  w[at + 3] = view.getUint32(offset + 16);
  w[at + 2] = view.getUint32(offset + 20);
  w[at + 1] = view.getUint32(offset + 24);
  w[at] = view.getUint32(offset + 28);
}

/** Writes a word as 32 bytes. */
export function writeWord(view: DataView, offset: number, w: Words, at: number): void {
  view.setUint32(offset, w[at + 7] as number);
  view.setUint32(offset + 4, w[at + 6] as number);
  view.setUint32(offset + 8, w[at + 5] as number);
  view.setUint32(offset + 12, w[at + 4] as number);
  view.setUint32(offset + 16, w[at + 3] as number);
  view.setUint32(offset + 20, w[at + 2] as number);
  view.setUint32(offset + 24, w[at + 1] as number);
  view.setUint32(offset + 28, w[at] as number);
}

/** Copies `size` bytes from `from` on; what the source does not have is zero. */
export function copyPadded(
  target: Uint8Array,
  place: { readonly to: number; readonly size: number },
  source: Uint8Array,
  from: number,
): void {
  const { to, size } = place;
  const available = Math.max(0, Math.min(size, source.length - from));
  if (available > 0) target.set(source.subarray(from, from + available), to);
  if (available < size) target.fill(0, to + available, to + size);
}
