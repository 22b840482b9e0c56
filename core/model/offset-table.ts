/**
 * Byte strings in one run behind a table of offsets: transactions of a block or packet.
 * Source: tx-block-codec 9
 */
import { EMPTY_BYTES } from "../bytes/bytes.ts";

/** Width of the count and of each offset, little-endian. */
const WORD = 4;

/** Count, offsets from 0 on, items back to back; no bytes for no items. Source: tx-block-codec 9 */
export function encodeOffsetTable(items: readonly Uint8Array[]): Uint8Array {
  if (items.length === 0) return EMPTY_BYTES;
  const bytes = new Uint8Array(offsetTableBytes(items));
  putOffsetTable(items, bytes, 0);
  return bytes;
}

/** Length of the encoded table. */
export function offsetTableBytes(items: readonly Uint8Array[]): number {
  if (items.length === 0) return 0;
  let length = WORD * (items.length + 2);
  for (const item of items) length += item.length;
  return length;
}

/** Encodes the table into bytes that have room for it: long items are copied once. */
export function putOffsetTable(
  items: readonly Uint8Array[],
  bytes: Uint8Array,
  start: number,
): void {
  if (items.length === 0) return;
  const words = new DataView(bytes.buffer, bytes.byteOffset + start);
  words.setUint32(0, items.length, true);
  const itemsAt = start + WORD * (items.length + 2);
  let offset = 0;
  for (const [index, item] of items.entries()) {
    bytes.set(item, itemsAt + offset);
    offset += item.length;
    words.setUint32(WORD * (index + 2), offset, true);
  }
}

/** An offset table that was checked: items are read one by one, as views. */
interface OffsetTable {
  readonly count: number;
  /** A view of the item; undefined when there is none at that index. */
  item(index: number): Uint8Array | undefined;
}

const EMPTY_TABLE: OffsetTable = { count: 0, item: () => undefined };

/**
 * Opens an encoded table without touching the items.
 *
 * @returns undefined when count and offsets do not describe exactly these bytes
 * Source: tx-block-codec 9
 */
export function openOffsetTable(bytes: Uint8Array): OffsetTable | undefined {
  if (bytes.length === 0) return EMPTY_TABLE;
  if (bytes.length < 2 * WORD) return undefined;
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = words.getUint32(0, true);
  const start = WORD * (count + 2);
  if (count === 0 || start > bytes.length) return undefined;
  const offset = (index: number): number => words.getUint32(WORD * (index + 1), true);
  if (offset(0) !== 0 || start + offset(count) !== bytes.length) return undefined;
  for (let i = 0; i < count; i++) if (offset(i) > offset(i + 1)) return undefined;
  return {
    count,
    item(index) {
      if (!Number.isInteger(index) || index < 0 || index >= count) return undefined;
      return bytes.subarray(start + offset(index), start + offset(index + 1));
    },
  };
}

/**
 * All items of an encoded table, as views; undefined when it is malformed. Source: tx-block-codec 9
 */
export function decodeOffsetTable(bytes: Uint8Array): Uint8Array[] | undefined {
  const table = openOffsetTable(bytes);
  if (!table) return undefined;
  return Array.from({ length: table.count }, (_, index) => table.item(index) ?? EMPTY_BYTES);
}

/**
 * The shortest that a transaction in a table can be, its offset included. Its sender chooses one
 * half of the signature freely, but nobody finds a first half of less than about 20 bytes.
 */
const LEAST_TRANSACTION_BYTES = 32;

/**
 * The transactions of a table that somebody else made, as views; undefined when it is malformed,
 * also when it has more items than this many bytes can be transactions. Empty items cost their
 * sender four bytes and the reader a hundred.
 */
export function decodeTransactionTable(bytes: Uint8Array): Uint8Array[] | undefined {
  const table = openOffsetTable(bytes);
  if (!table || table.count * LEAST_TRANSACTION_BYTES > bytes.length) return undefined;
  return decodeOffsetTable(bytes);
}
