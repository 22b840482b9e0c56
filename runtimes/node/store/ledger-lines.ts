/** The lines of a ledger file, whoever wrote it. */
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { LedgerFileFault } from "../../shared/ledger-file/ledger-file-fault.ts";

/**
 * Longest line that is read: far more than the largest block takes, far less than memory. A packed
 * file of a megabyte can hold a line of a gigabyte.
 */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The lines that are not empty, unpacked where the file's name says so.
 * @throws LedgerFileFault when the file cannot be read to its end, or a line is too long
 */
export async function* ledgerLines(file: string, limit = MAX_LINE_BYTES): AsyncGenerator<string> {
  const packed = createReadStream(file);
  const input = file.endsWith(".gz") ? packed.pipe(createGunzip()) : packed;
  // A pipe does not hand on the fault of its beginning.
  packed.on("error", (cause) => input.destroy(cause));
  const line = new LineBuffer(file, limit);
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        line.add(chunk.subarray(start, end));
        start = end + 1;
        const text = line.take();
        if (text !== "") yield text;
      }
      line.add(chunk.subarray(start));
    }
    const rest = line.take();
    if (rest !== "") yield rest;
  } catch (cause) {
    if (cause instanceof LedgerFileFault) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LedgerFileFault(`${file} cannot be read to its end: ${reason}`, { cause });
  } finally {
    input.destroy();
    packed.destroy();
  }
}

/** The parts of the line that is being read; a class because it owns them. */
class LineBuffer {
  readonly #file: string;
  readonly #limit: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #number = 1;

  constructor(file: string, limit: number) {
    this.#file = file;
    this.#limit = limit;
  }

  /** @throws LedgerFileFault when the line gets too long */
  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#limit) {
      const place = `${this.#file}: line ${this.#number}`;
      throw new LedgerFileFault(`${place} is longer than ${this.#limit} bytes: no block is`);
    }
    if (part.length > 0) this.#parts.push(part);
  }

  /** The line without its end; the next one begins. */
  take(): string {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    this.#number += 1;
    const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    return bytes.toString("utf8", 0, end);
  }
}
