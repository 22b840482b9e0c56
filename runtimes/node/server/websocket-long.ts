/**
 * Takes the long messages out of what a client sends over a WebSocket, before the library joins and
 * decodes them in one go. Everything else goes on to it as it came. Source: RFC 6455 5.2
 */
import { freeBytes } from "../machine/free-bytes.ts";
import type { LongBody } from "../threads/body-host.ts";
import { LENGTH_BYTES, MASK_BYTES, START_BYTES } from "./websocket-frames.ts";

/** What is reported of a connection. */
export interface LongTold {
  /** For the library. */
  pass(bytes: Buffer): void;
  /** A message is whole. @param held bytes that it holds */
  whole(body: LongBody, held: number): void;
  /** The connection has to end. */
  broken(problem: "tooLong" | "binary" | "interleaved"): void;
}

/** What messages there may be. */
export interface LongTerms {
  readonly begin: () => LongBody;
  /** Longer messages in one frame are taken; those in fragments always are. */
  readonly longFrom: number;
  readonly maxBytes: number;
}

const OPCODE = { continuation: 0, binary: 2 } as const;
/** Extension bits: no caller asked for any. */
const RESERVED = 0x70;

/** The frames of a client. A class because bytes come in any pieces. */
export class LongMessages {
  readonly #terms: LongTerms;
  readonly #told: LongTold;
  /** Of the message that is not whole yet, in whole pieces; 0 between messages. */
  heldBytes = 0;
  #header: number[] = [];
  #headerBytes = START_BYTES;
  /** Of the frame that is read. */
  #left = 0;
  #isTaken = false;
  #isLast = false;
  #mask: readonly number[] = [];
  #maskAt = 0;
  /** The message that is taken. */
  #message: { readonly body: LongBody; bytes: number } | undefined;
  /** No data is taken any more; the library still learns of the client's close. */
  #isBroken = false;

  constructor(terms: LongTerms, told: LongTold) {
    this.#terms = terms;
    this.#told = told;
  }

  /** @param chunk nobody else reads it */
  read(chunk: Buffer): void {
    if (this.#isTaken && this.#left > chunk.length) {
      this.#left -= chunk.length;
      this.#take(chunk);
      return freeBytes(chunk);
    }
    /** Where bytes begin that go on to the library. */
    let from = 0;
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const end = at + Math.min(this.#left, chunk.length - at);
        if (this.#isTaken) this.#take(chunk.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (this.#isTaken) from = at;
        if (this.#left === 0) this.#endFrame();
        continue;
      }
      this.#header.push(chunk[at++] ?? 0);
      if (!this.#isHeaderWhole()) continue;
      const carried = Math.max(0, this.#header.length - at);
      const begin = Math.max(0, at - this.#header.length);
      this.#decide();
      if (this.#isTaken) {
        this.#pass(chunk.subarray(from, begin));
        from = at;
      } else if (carried > 0) this.#pass(Buffer.from(this.#header.slice(0, carried)));
      this.#header = [];
      if (this.#left === 0) this.#endFrame();
    }
    // A header that is not whole waits until it is known whose it is.
    const end = Math.max(from, chunk.length - this.#header.length);
    this.#pass(chunk.subarray(from, end));
  }

  /** Nothing is taken any more. */
  end(): void {
    this.#isBroken = true;
    this.#message?.body.drop();
    this.#message = undefined;
    this.heldBytes = 0;
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.#told.pass(bytes);
  }

  #isHeaderWhole(): boolean {
    const { length } = this.#header;
    if (length === START_BYTES) {
      const second = this.#header[1] ?? 0;
      const mask = (second & 0x80) === 0 ? 0 : MASK_BYTES;
      this.#headerBytes = START_BYTES + (LENGTH_BYTES[second & 0x7f] ?? 0) + mask;
    }
    return length >= START_BYTES && length === this.#headerBytes;
  }

  #decide(): void {
    const [first = 0, second = 0] = this.#header;
    const isMasked = (second & 0x80) !== 0;
    const longer = this.#header.slice(START_BYTES, isMasked ? -MASK_BYTES : undefined);
    this.#left = longer.reduce((sum, byte) => sum * 256 + byte, longer.length ? 0 : second & 0x7f);
    this.#isLast = (first & 0x80) !== 0;
    this.#mask = this.#header.slice(-MASK_BYTES);
    this.#maskAt = 0;
    const opcode = first & 0x0f;
    this.#isTaken = false;
    // What breaks the rules is the library's, which says so.
    if (!isMasked || (first & RESERVED) !== 0 || opcode > OPCODE.binary) return;
    this.#isTaken = this.#isBroken;
    if (this.#isBroken) return;
    if (opcode !== OPCODE.continuation) {
      if (this.#message) return this.#break("interleaved");
      if (this.#isLast && this.#left <= this.#terms.longFrom) return;
      if (opcode === OPCODE.binary) return this.#break("binary");
      this.#message = { body: this.#terms.begin(), bytes: 0 };
    }
    if (!this.#message) return;
    this.#isTaken = true;
    this.#message.bytes += this.#left;
    if (this.#message.bytes > this.#terms.maxBytes) this.#break("tooLong");
  }

  #break(problem: Parameters<LongTold["broken"]>[0]): void {
    this.end();
    this.#isTaken = true;
    this.#told.broken(problem);
  }

  #take(part: Buffer): void {
    if (!this.#message) return;
    // In place: nobody else reads these bytes.
    for (let i = 0; i < part.length; i++)
      part[i] = (part[i] ?? 0) ^ (this.#mask[(this.#maskAt + i) & 3] ?? 0);
    this.#maskAt = (this.#maskAt + part.length) & 3;
    this.heldBytes += this.#message.body.add(part);
  }

  #endFrame(): void {
    const message = this.#message;
    if (!this.#isTaken || !this.#isLast || !message) return;
    const held = this.heldBytes;
    this.#message = undefined;
    this.heldBytes = 0;
    this.#told.whole(message.body, held);
  }
}
