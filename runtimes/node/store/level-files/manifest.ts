/**
 * Which files belong to a LevelDB database now: its manifest is a log of changes.
 * Format: LevelDB's public description of its files. Source: storage 13
 */
import { LevelReader } from "./level-reader.ts";

/** The files of a database. */
export interface LiveFiles {
  /** Bytes of each table, by its number. */
  readonly tables: Map<number, number>;
  /** Logs from this number on hold what is in no table. */
  firstLog: number;
  /** One more log; 0 for none. */
  previousLog: number;
}

/** Before any change. */
export function noFiles(): LiveFiles {
  return { tables: new Map(), firstLog: 0, previousLog: 0 };
}

/** A change under way: a table that moves to another level is removed and added by one. */
interface Change {
  readonly live: LiveFiles;
  readonly added: Map<number, number>;
}

/** Reads the fields of a change, each by its number; what is of no matter here is passed over. */
const FIELDS: Readonly<Record<number, (reader: LevelReader, change: Change) => unknown>> = {
  // The name of the comparator.
  1: (reader) => reader.text(),
  2: (reader, { live }) => (live.firstLog = reader.varint()),
  // The next file, and the last sequence, which has up to 56 bits.
  3: (reader) => reader.varint(),
  4: (reader) => reader.varint(),
  // Where compaction goes on: a level and a key.
  5: (reader) => [reader.varint(), reader.text()],
  // A table that is removed: its level and number.
  6: (reader, { live }) => [reader.varint(), live.tables.delete(reader.varint())],
  // One that is added: level, number, length, first and last key.
  7(reader, { added }) {
    reader.varint();
    added.set(reader.varint(), reader.varint());
    return [reader.text(), reader.text()];
  },
  9: (reader, { live }) => (live.previousLog = reader.varint()),
};

/** Applies a change; false when it does not decode. */
export function applyChange(record: Uint8Array, live: LiveFiles): boolean {
  const reader = new LevelReader(record);
  const added = new Map<number, number>();
  while (reader.remaining > 0 && !reader.failed) {
    const read = FIELDS[reader.varint()];
    if (!read) return false;
    read(reader, { live, added });
  }
  for (const [number, bytes] of added) live.tables.set(number, bytes);
  return !reader.failed;
}
