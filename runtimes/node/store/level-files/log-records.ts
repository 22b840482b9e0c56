/**
 * The records of LevelDB's logs, write-ahead log and manifest, with their checksums. LevelDB drops
 * records without their checksum silently when it opens a database.
 * Format: LevelDB's public description of its log format. Source: storage 13
 */
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import { bytesAt, type FileLook, shownChecksum } from "./file-look.ts";
import { LevelReader } from "./level-reader.ts";

/** Records are cut at the ends of blocks of this size. */
const BLOCK_BYTES = 32 * 1024;
/** Checksum (4), length (2), type (1). */
const HEAD_BYTES = 7;
/** A disk writes whole sectors, the smallest of which are these: all of one, or nothing. */
const SECTOR_BYTES = 512;
/** Types of parts of a record. */
const WHOLE = 1;
const FIRST = 2;
const LAST = 4;

/** A part of a record. */
interface Part {
  readonly type: number;
  readonly content: Uint8Array;
}

function readHead(bytes: Uint8Array) {
  const reader = new LevelReader(bytes);
  return { checksum: reader.u32le(), length: reader.u16le(), type: reader.u8() };
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/**
 * Whether a sector of what lies at an offset was never written. Without such a one all was written,
 * and is different now: that is no failure of power.
 */
function lacksSector(bytes: Uint8Array, offset: number): boolean {
  const first = SECTOR_BYTES - (offset % SECTOR_BYTES);
  for (let at = first; at < bytes.length; at += SECTOR_BYTES)
    if (isZero(bytes.subarray(at, at + SECTOR_BYTES))) return true;
  return false;
}

/** A walk through a log; a class because its parts share the file. */
class LogWalk {
  readonly #look: FileLook;
  #isDamaged = false;
  /** Where zeros begin that nothing but zeros has followed yet. */
  #zerosFrom: number | undefined;

  constructor(look: FileLook) {
    this.#look = look;
  }

  async *records(): AsyncGenerator<Uint8Array> {
    let parts: Uint8Array[] = [];
    for await (const { type, content } of this.#parts()) {
      if (type === WHOLE || type === FIRST) parts = [];
      parts.push(content);
      if (type !== WHOLE && type !== LAST) continue;
      yield concatBytes(...parts);
      parts = [];
    }
    const rest = parts.reduce((sum, { length }) => sum + length, 0);
    if (rest > 0 && !this.#isDamaged) this.#look.findings.unfinished(rest);
  }

  async *#parts(): AsyncGenerator<Part> {
    const { size } = await this.#look.file.stat();
    for (let start = 0; start < size; start += BLOCK_BYTES) {
      const block = await bytesAt(this.#look.file, start, BLOCK_BYTES);
      if (this.#zerosFrom !== undefined) {
        if (isZero(block)) continue;
        this.#damaged(this.#zerosFrom, ["zeros", "a record"]);
        this.#zerosFrom = undefined;
      }
      yield* this.#partsOf(block, { start, size });
    }
    if (this.#zerosFrom !== undefined) this.#endsInZeros(this.#zerosFrom, size);
  }

  *#partsOf(
    block: Uint8Array,
    { start, size }: { readonly start: number; readonly size: number },
  ): Generator<Part> {
    const isLast = start + block.length === size;
    let at = 0;
    for (;;) {
      const rest = block.subarray(at);
      if (rest.length < HEAD_BYTES) {
        if (!isZero(rest)) this.#broken(rest, start + at, isLast);
        return;
      }
      const { checksum, length, type } = readHead(rest);
      const content = rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
      if (content.length < length || (type === 0 && length === 0)) {
        this.#broken(rest, start + at, isLast);
        return;
      }
      const found = this.#look.checksum(rest.subarray(HEAD_BYTES - 1, HEAD_BYTES + length));
      if (found !== checksum) {
        const pair = [shownChecksum(found), shownChecksum(checksum)] as const;
        const isEnd = isLast && !this.#hasRecord(rest.subarray(HEAD_BYTES));
        const record = block.subarray(at, at + HEAD_BYTES + length);
        this.#unequal(start + at, pair, isEnd && lacksSector(record, start + at));
        return;
      }
      yield { type, content };
      at += HEAD_BYTES + length;
    }
  }

  #endsInZeros(from: number, size: number): void {
    const { uncertain, unfinished } = this.#look.findings;
    if (uncertain) uncertain(`zeros from byte ${from} on`);
    else unfinished(size - from);
  }

  /** A record that has not its checksum; `isCut` when a part of it may never have been written. */
  #unequal(offset: number, pair: readonly [string, string], isCut: boolean): void {
    const { uncertain } = this.#look.findings;
    if (!isCut || !uncertain) return this.#damaged(offset, pair);
    this.#isDamaged = true;
    uncertain(`record at byte ${offset}`);
  }

  /** What does not begin a record: an unfinished write when it is the end of all. */
  #broken(rest: Uint8Array, offset: number, isLast: boolean): void {
    if (isZero(rest)) this.#zerosFrom = offset;
    else if (isLast && !this.#hasRecord(rest)) this.#look.findings.unfinished(rest.length);
    else this.#damaged(offset, ["other bytes", "a record"]);
  }

  /** Whether there is a whole record behind, or this one is whole but for its length. */
  #hasRecord(rest: Uint8Array): boolean {
    const { checksum } = readHead(rest);
    const all = rest.subarray(HEAD_BYTES - 1);
    if (all.length > 0 && this.#look.checksum(all) === checksum) return true;
    for (let at = 1; at + HEAD_BYTES < rest.length; at++) {
      const head = readHead(rest.subarray(at));
      const end = at + HEAD_BYTES + head.length;
      if (head.type < WHOLE || head.type > LAST || end > rest.length) continue;
      if (this.#look.checksum(rest.subarray(at + HEAD_BYTES - 1, end)) === head.checksum)
        return true;
    }
    return false;
  }

  #damaged(offset: number, pair: readonly [string, string]): void {
    this.#isDamaged = true;
    this.#look.findings.damaged(`record at byte ${offset}`, pair);
  }
}

/** The records of a log that have their checksums; all else is reported. */
export function logRecords(look: FileLook): AsyncGenerator<Uint8Array> {
  return new LogWalk(look).records();
}
