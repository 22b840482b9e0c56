/**
 * A sum for each table over the checksums of its rows, so that a row which is gone shows when the
 * table is gone through. Source: decision 30
 */
import { ByteReader, ByteWriter } from "../../../core/bytes/cursor.ts";
import type { StoreKey } from "../../../core/ports/store.ts";

/** What is known of the rows of a table. */
export interface TableSum {
  /** Keys that have rows. */
  readonly keys: number;
  /** Of the checksums of all entries, modulo 2^48. */
  readonly sum: number;
}

/** Of a table without rows. */
export const NO_ROWS: TableSum = { keys: 0, sum: 0 };

const MODULUS = 2 ** 48;

/** `r` and the name of the table that a key belongs to; undefined for what is no row. */
export function tableOf(key: StoreKey): StoreKey | undefined {
  if (!key.startsWith("r")) return undefined;
  const end = key.indexOf("\0");
  return end < 0 ? undefined : key.slice(0, end);
}

/** The sum with an entry more; `checksum` is that of the entry. */
export function withEntry({ keys, sum }: TableSum, checksum: number): TableSum {
  return { keys: keys + 1, sum: (sum + checksum) % MODULUS };
}

/** The sum with an entry less. */
export function withoutEntry({ keys, sum }: TableSum, checksum: number): TableSum {
  return { keys: keys - 1, sum: (sum - checksum + MODULUS) % MODULUS };
}

/** As a record. */
export function encodeTableSum({ keys, sum }: TableSum): Uint8Array {
  return new ByteWriter(16).u64(keys).u64(sum).finish();
}

/** Undefined when the bytes are no sum. */
export function decodeTableSum(bytes: Uint8Array): TableSum | undefined {
  const reader = new ByteReader(bytes);
  const found = { keys: reader.u64(), sum: reader.u64() };
  return reader.complete() ? found : undefined;
}
