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

/** Fields of a change. */
const FIELD = {
  comparator: 1,
  firstLog: 2,
  nextFile: 3,
  lastSequence: 4,
  compactAt: 5,
  removed: 6,
  added: 7,
  previousLog: 9,
} as const;

function readAdded(reader: LevelReader, tables: Map<number, number>): void {
  reader.varint();
  const [number, bytes] = [reader.varint(), reader.varint()];
  reader.sized();
  reader.sized();
  tables.set(number, bytes);
}

/** Applies a change; false when it does not decode. */
export function applyChange(record: Uint8Array, live: LiveFiles): boolean {
  const reader = new LevelReader(record);
  const added = new Map<number, number>();
  while (reader.remaining > 0 && !reader.failed) {
    switch (reader.varint()) {
      case FIELD.comparator:
        reader.sized();
        break;
      case FIELD.firstLog:
        live.firstLog = reader.varint();
        break;
      case FIELD.previousLog:
        live.previousLog = reader.varint();
        break;
      case FIELD.nextFile:
      case FIELD.lastSequence:
        // Of no matter here; a sequence has up to 56 bits.
        reader.varint();
        break;
      case FIELD.compactAt:
        reader.varint();
        reader.sized();
        break;
      case FIELD.removed:
        reader.varint();
        live.tables.delete(reader.varint());
        break;
      case FIELD.added:
        readAdded(reader, added);
        break;
      default:
        return false;
    }
  }
  // A table that moves to another level is removed and added by one change.
  for (const [number, bytes] of added) live.tables.set(number, bytes);
  return !reader.failed;
}
