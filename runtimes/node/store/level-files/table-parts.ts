/**
 * Compares of a table on the disk what a read may take, and no more: where its blocks stand, the
 * filter of its keys, and the blocks that may hold a key.
 * Source: decision 30
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Checksum } from "./file-look.ts";
import { type KeyRange, TableCheck, type TableDefect } from "./table-file.ts";
import { isGone } from "./table-room.ts";

/** A table of which some blocks were compared. */
export interface TableParts {
  /** What is wrong in them. */
  readonly defects: readonly TableDefect[];
  /**
   * Compares what a read may take, unless that was done.
   *
   * @returns how many blocks were compared by now
   * @throws what the system says
   */
  compareRange(range: KeyRange): number;
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

/** A compaction took the file away, and it had no second name. */
const GONE = new Error("the table is gone");

/** A file that is open while something is read of it; a class because it holds the file. */
class FileParts {
  readonly #paths: readonly string[];
  #file: number | undefined;
  /** Of a file that never changes. */
  #size: number | undefined;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** Undefined when there is no such file any more. */
  get size(): number | undefined {
    if (this.#file === undefined) this.#file = openedFirst(this.#paths);
    if (this.#file === undefined) return undefined;
    this.#size ??= fstatSync(this.#file).size;
    return this.#size;
  }

  /** Fewer where it ends. @throws GONE */
  read(offset: number, length: number): Uint8Array {
    const { size } = this;
    if (size === undefined) throw GONE;
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
    let count = 0;
    for (let more = 1; more > 0 && count < bytes.length; count += more)
      more = readSync(this.#file ?? -1, bytes, count, bytes.length - count, offset + count);
    return bytes.subarray(0, count);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
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
  const file = new FileParts(paths);
  try {
    const { size } = file;
    if (size === undefined) return NOTHING;
    const read = (offset: number, length: number) => file.read(offset, length);
    const check = new TableCheck({ size, read }, checksum);
    return {
      defects: check.defects,
      compareRange(range) {
        try {
          return check.compareRange(range, mostBlocks);
        } catch (cause) {
          if (cause !== GONE) throw cause;
          return 0;
        } finally {
          file.close();
        }
      },
    };
  } finally {
    file.close();
  }
}
