/** Reads tables one by one into the same memory: fresh memory costs more than the comparison. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { codeOf } from "../../../folder/durable-folder.ts";
import { bytesInto } from "./file-look.ts";

/** Tables have 1 MiB, but for those with a longer value. */
const ROOM_BYTES = 2 * 1024 * 1024;

/** What is there is gone when the system says so. @throws anything else */
export function isGone(cause: unknown): undefined {
  if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined;
  throw cause;
}

/** Holds one table at a time: what it gave is overwritten by the next. */
export class TableRoom {
  #room: Uint8Array | undefined;

  /** The bytes of a file; undefined when it is gone. @throws what the system says */
  read(path: string): Uint8Array | undefined {
    try {
      const file = openSync(path, "r");
      try {
        const bytes = this.#roomFor(fstatSync(file).size);
        let count = 0;
        for (let more = 1; more > 0 && count < bytes.length; count += more)
          more = readSync(file, bytes, count, bytes.length - count, count);
        return bytes.subarray(0, count);
      } finally {
        closeSync(file);
      }
    } catch (cause) {
      return isGone(cause);
    }
  }

  /** As `read`, without holding up this thread. */
  async load(path: string): Promise<Uint8Array | undefined> {
    const file = await open(path, "r").catch(isGone);
    if (!file) return undefined;
    try {
      return await bytesInto(file, this.#roomFor((await file.stat()).size));
    } finally {
      await file.close();
    }
  }

  #roomFor(size: number): Uint8Array {
    if (size > ROOM_BYTES) return new Uint8Array(size);
    this.#room ??= new Uint8Array(ROOM_BYTES);
    return this.#room.subarray(0, size);
  }
}
