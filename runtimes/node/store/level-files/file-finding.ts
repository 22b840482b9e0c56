/** What is found in a file of a database, and how its bytes are read. */
import type { FileHandle } from "node:fs/promises";

/** Takes what is wrong in a file, as it is found. */
export interface FileFindings {
  /** Bytes that are not as they were written. */
  damaged(what: string, pair: readonly [stored: string, expected: string]): void;
  /** The end of a log is a write that was cut short: it was promised to nobody. */
  unfinished(bytes: number): void;
}

/** A checksum for people. */
export function shownChecksum(checksum: number): string {
  return `checksum 0x${checksum.toString(16).padStart(8, "0")}`;
}

/** Bytes of a file; fewer at its end. */
export async function bytesAt(file: FileHandle, offset: number, length: number) {
  const bytes = new Uint8Array(length);
  let count = 0;
  while (count < length) {
    const { bytesRead } = await file.read(bytes, count, length - count, offset + count);
    if (bytesRead === 0) break;
    count += bytesRead;
  }
  return bytes.subarray(0, count);
}
