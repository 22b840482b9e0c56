/**
 * Compares of a table on the disk what a read may take, and no more: where its blocks stand, the
 * filter of its keys, and the blocks that may hold a key.
 * Source: decision 30
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { StoreKey } from "../../../../core/ports/store.ts";
import type { Checksum } from "./file-look.ts";
import { TableCheck, type TableDefect } from "./table-file.ts";
import { isGone } from "./table-room.ts";

/** A table of which some blocks were compared. */
export interface TableParts {
  /** What is wrong in them. */
  readonly defects: readonly TableDefect[];
  /**
   * Compares what a read of the keys in [from, to) may take, unless that was done.
   *
   * @returns how many blocks were compared by now
   * @throws what the system says
   */
  compareRange(from: StoreKey, to: StoreKey): number;
}

/** Of a table that is gone. */
const NOTHING: TableParts = { defects: [], compareRange: () => 0 };

function openedFirst(paths: readonly string[]): number | undefined {
  for (const path of paths) {
    try {
      return openSync(path, "r");
    } catch (cause) {
      isGone(cause);
    }
  }
  return undefined;
}

function readAt(file: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let count = 0;
  for (let more = 1; more > 0 && count < length; count += more)
    more = readSync(file, bytes, count, length - count, offset + count);
  return bytes.subarray(0, count);
}

/** How a table is compared in parts. */
export interface PartsOptions {
  readonly checksum: Checksum;
  /** When more blocks than these were compared, no further ones are. */
  readonly mostBlocks: number;
}

/**
 * Compares what leads to rows.
 *
 * @param paths names of the file; those that are gone are passed over
 * @throws what the system says
 */
export function openParts(
  paths: readonly string[],
  { checksum, mostBlocks }: PartsOptions,
): TableParts {
  let file = 0;
  const using = <T>(use: () => T, gone: T): T => {
    const opened = openedFirst(paths);
    if (opened === undefined) return gone;
    file = opened;
    try {
      return use();
    } finally {
      closeSync(opened);
    }
  };
  const check = using(() => {
    const { size } = fstatSync(file);
    const read = (offset: number, length: number) =>
      readAt(file, offset, Math.max(0, Math.min(length, size - offset)));
    return new TableCheck({ size, read }, checksum);
  }, undefined);
  if (!check) return NOTHING;
  const bytesOf = (key: StoreKey) => Buffer.from(key, "latin1");
  return {
    defects: check.defects,
    compareRange: (from, to) =>
      using(() => check.compareRange(bytesOf(from), bytesOf(to), mostBlocks), 0),
  };
}
