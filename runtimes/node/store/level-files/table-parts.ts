/**
 * Compares of a table on the disk what a read may take, and no more: where its blocks stand, the
 * filter of its keys, and the blocks that may hold a key. Source: decision 30
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Checksum } from "./file-look.ts";
import { type KeyRange, TableCheck, type TableDefect } from "./table-file.ts";
import { isGone } from "./table-room.ts";

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

/** Holds all that leads to the rows of a usual table, or a usual block. */
const ROOM_BYTES = 64 * 1024;
/** Fresh memory costs more than what is read: one table is read at a time, by the thread. */
const rooms = { tail: new Uint8Array(0), block: new Uint8Array(0) };

/** A file that is open while something is read of it; a class because it holds the file. */
class FileParts {
  readonly #paths: readonly string[];
  #file: number | undefined;
  /** Its last bytes, from what is read first until it is closed. */
  #tail: Uint8Array | undefined;
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

  /** Until the next are read. Fewer where it ends. @throws GONE */
  read(offset: number, length: number): Uint8Array {
    const { size } = this;
    if (size === undefined) throw GONE;
    const from = Math.max(0, size - ROOM_BYTES);
    if (offset < from) return this.#read("block", offset, Math.min(length, size - offset));
    this.#tail ??= this.#read("tail", from, size - from);
    return this.#tail.subarray(offset - from, offset - from + length);
  }

  #read(name: keyof typeof rooms, offset: number, length: number): Uint8Array {
    if (rooms[name].length === 0) rooms[name] = new Uint8Array(ROOM_BYTES);
    const isUsual = length <= ROOM_BYTES;
    const bytes = isUsual ? rooms[name].subarray(0, Math.max(0, length)) : new Uint8Array(length);
    let count = 0;
    for (let more = 1; more > 0 && count < bytes.length; count += more)
      more = readSync(this.#file ?? -1, bytes, count, bytes.length - count, offset + count);
    return bytes.subarray(0, count);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#tail = undefined;
  }
}

interface PartsOptions {
  readonly checksum: Checksum;
  /** Key of the table. */
  readonly first: Uint8Array;
  /** When more blocks than these were compared, no further ones are. */
  readonly mostBlocks: number;
}

/** A table of which some blocks were compared. */
export type TableParts = ReturnType<typeof openParts>;

/** @param paths names of the file; those that are gone are passed over */
export function openParts(paths: readonly string[], { checksum, first, mostBlocks }: PartsOptions) {
  const file = new FileParts(paths);
  const read = (offset: number, length: number) => file.read(offset, length);
  let check: TableCheck | undefined;
  return {
    /** What is wrong in the blocks that were compared. */
    get defects(): readonly TableDefect[] {
      return check?.defects ?? [];
    },
    /**
     * Compares what a read may take and what leads to it, unless that was done.
     * @returns how many blocks were compared by now
     * @throws what the system says
     */
    compareRange(range: KeyRange): number {
      try {
        if (!check && file.size !== undefined)
          check = new TableCheck({ size: file.size, read }, checksum, first);
        return check?.compareRange(range, mostBlocks) ?? 0;
      } catch (cause) {
        if (cause !== GONE) throw cause;
        return 0;
      } finally {
        file.close();
      }
    },
  };
}
