/**
 * A look at a file of a database: how its bytes are read, the checksum in LevelDB's files, which is
 * CRC-32C, turned and moved, and what is found. Source: storage 13
 */
import type { FileHandle } from "node:fs/promises";
import { createCRC32 } from "hash-wasm";

/** Takes what is wrong in a file, as it is found. */
export interface FileFindings {
  /** Bytes that are not as they were written. */
  damaged(what: string, pair: readonly [stored: string, expected: string]): void;
  /** The end of a log is a write that was cut short: it was promised to nobody. */
  unfinished(bytes: number): void;
  /**
   * The end of a log is whole in length, and not as it was written: by a failure of power, and then
   * promised to nobody, or by damage. When absent it is called damaged.
   */
  uncertain?(what: string): void;
}

/** The polynomial of Castagnoli, its bits reversed. */
const CASTAGNOLI = 0x82f6_3b78;
/** Keeps the checksum of bytes that hold checksums from being trivial. */
const MASK_DELTA = 0xa282_ead8;
const TURNED_BITS = 15;

/** Checksum of bytes as it stands in a file. */
export type Checksum = (...parts: readonly Uint8Array[]) => number;

async function newChecksum(): Promise<Checksum> {
  const hasher = await createCRC32(CASTAGNOLI);
  return (...parts) => {
    hasher.init();
    for (const part of parts) hasher.update(part);
    const digest = hasher.digest("binary");
    const plain = new DataView(digest.buffer, digest.byteOffset).getUint32(0);
    const turned = (plain >>> TURNED_BITS) | (plain << (32 - TURNED_BITS));
    return (turned + MASK_DELTA) >>> 0;
  };
}

let made: Promise<Checksum> | undefined;

/** The checksum of this thread: each call is whole, so that all share it. */
export function createChecksum(): Promise<Checksum> {
  made ??= newChecksum();
  return made;
}

/** A file, and what a look at it needs. */
export interface FileLook {
  readonly file: FileHandle;
  readonly checksum: Checksum;
  readonly findings: FileFindings;
}

/** A checksum for people. */
export function shownChecksum(checksum: number): string {
  return `checksum 0x${checksum.toString(16).padStart(8, "0")}`;
}

/** Bytes of a file; fewer at its end. */
export function bytesAt(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  return bytesInto(file, new Uint8Array(length), offset);
}

/** As many as there is room for, in that room. */
export async function bytesInto(file: FileHandle, room: Uint8Array, offset = 0) {
  let count = 0;
  while (count < room.length) {
    const { bytesRead } = await file.read(room, count, room.length - count, offset + count);
    if (bytesRead === 0) break;
    count += bytesRead;
  }
  return room.subarray(0, count);
}
