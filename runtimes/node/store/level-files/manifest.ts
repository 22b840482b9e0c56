/**
 * Which files belong to a LevelDB database now: its manifest is a log of changes.
 * Format: LevelDB's public description of its files. Source: storage 13
 */
import { byteString } from "../../../../core/bytes/byte-string.ts";
import type { StoreKey } from "../../../../core/ports/store.ts";
import { LevelReader } from "./level-reader.ts";

/** A table as the manifest has it. */
export interface LiveTable {
  readonly bytes: number;
  readonly level: number;
  /** The keys that it has are not below and not above. */
  readonly first: StoreKey;
  readonly last: StoreKey;
}

/** The files of a database. */
export interface LiveFiles {
  /** By their numbers. */
  readonly tables: Map<number, LiveTable>;
  /** Logs from this number on hold what is in no table. */
  firstLog: number;
  /** One more log; 0 for none. */
  previousLog: number;
}

/** Before any change. */
export function noFiles(): LiveFiles {
  return { tables: new Map(), firstLog: 0, previousLog: 0 };
}

/** Behind each key: when it was written, and whether it was removed. */
const KEY_TAIL_BYTES = 8;

function keyOf(bytes: Uint8Array): StoreKey {
  return byteString(bytes.subarray(0, Math.max(0, bytes.length - KEY_TAIL_BYTES)));
}

/** A change under way: a table that moves to another level is removed and added by one. */
interface Change {
  readonly live: LiveFiles;
  readonly added: Map<number, LiveTable>;
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
    const level = reader.varint();
    const [number, bytes] = [reader.varint(), reader.varint()];
    added.set(number, { bytes, level, first: keyOf(reader.text()), last: keyOf(reader.text()) });
  },
  9: (reader, { live }) => (live.previousLog = reader.varint()),
};

/** Applies a change; false when it does not decode. */
export function applyChange(record: Uint8Array, live: LiveFiles): boolean {
  const reader = new LevelReader(record);
  const added = new Map<number, LiveTable>();
  while (reader.remaining > 0 && !reader.failed) {
    const read = FIELDS[reader.varint()];
    if (!read) return false;
    read(reader, { live, added });
  }
  for (const [number, table] of added) live.tables.set(number, table);
  return !reader.failed;
}
