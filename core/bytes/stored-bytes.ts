/**
 * Bytes of records that can be read again: an answer that is sent for minutes holds none of them,
 * only where they are.
 */

/** A part of a record. */
export interface StoredPart {
  /** Bytes of the part. */
  readonly length: number;
  /** The part, of the record as somebody still holds it or as it is read again. */
  read(): Promise<Uint8Array>;
}

interface StoredRecord {
  /** Where the record begins in its buffer. */
  readonly start: number;
  readonly read: () => Promise<Uint8Array>;
}

const RECORDS = new WeakMap<ArrayBufferLike, StoredRecord>();

/** Says how a record is read again. @param read must not hold its bytes */
export function markStored(record: Uint8Array, read: () => Promise<Uint8Array>): void {
  RECORDS.set(record.buffer, { start: record.byteOffset, read });
}

/** Where a view of a record lies; undefined when its bytes are of no marked record. */
export function storedPart(view: Uint8Array): StoredPart | undefined {
  const record = RECORDS.get(view.buffer);
  if (record === undefined) return undefined;
  const start = view.byteOffset - record.start;
  const { length } = view;
  const { read } = record;
  return { length, read: async () => (await read()).subarray(start, start + length) };
}
