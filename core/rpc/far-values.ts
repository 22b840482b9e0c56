/**
 * Values of a result that are made when they are sent: long byte strings and lists. To their
 * methods they are JSON like any other.
 */
import { toHex, toPrefixedHex } from "../bytes/hex.ts";
import { type StoredPart, storedPart } from "../bytes/stored-bytes.ts";
import type { Json } from "./json.ts";

/** Shorter byte strings are texts at once. */
const FAR_FROM_BYTES = 16 * 1024;
/** Bytes whose digits are made at a time. */
const PIECE_BYTES = 32 * 1024;
/** Where such a value stands in the text of a result. No result holds this text alone. */
const MARK = "\u0000";
const MARK_TEXT = '"\\u0000"';

/** Items of a list, some at a time; made anew for each reading. */
export type ItemSource = () => AsyncIterable<readonly Json[]>;

/** Those of the text that is made now; no caller waits while it is. */
let found: (FarBytes | FarList)[] | undefined;

function marked(far: FarBytes | FarList): string {
  found?.push(far);
  return MARK;
}

/** A byte string. */
class FarBytes {
  readonly #part: StoredPart;

  constructor(part: StoredPart) {
    this.#part = part;
  }

  /** Asked by `JSON.stringify`. */
  toJSON(): string {
    return marked(this);
  }

  /** Characters of its text. */
  get length(): number {
    return 4 + 2 * this.#part.length;
  }

  async *pieces(): AsyncGenerator<string> {
    const { length } = this.#part;
    yield '"0x';
    for (let at = 0; at < length; at += PIECE_BYTES) {
      yield await this.#digits(at);
    }
    yield '"';
  }

  /** Its frame ends before anybody waits: one that waits keeps whatever was in it. */
  async #digits(at: number): Promise<string> {
    const bytes = await this.#part.read();
    return toHex(bytes, at, Math.min(bytes.length, at + PIECE_BYTES));
  }
}

/** A list. */
class FarList {
  readonly items: ItemSource;
  /** Characters that it may have at most. */
  readonly most: number;

  constructor(items: ItemSource, most: number) {
    this.items = items;
    this.most = most;
  }

  /** Asked by `JSON.stringify`. */
  toJSON(): string {
    return marked(this);
  }
}

/**
 * `0x` and digits, made when they are sent if there are many; the bytes are held if no store has
 * them.
 */
export function farBytes(bytes: Uint8Array): Json {
  if (bytes.length < FAR_FROM_BYTES) return toPrefixedHex(bytes);
  return new FarBytes(partOf(bytes)) as unknown as Json;
}

/**
 * The bytes where they are stored, or themselves. A function of its own: closures of one function
 * share what any of them uses, and a list would hold the record for as long as its client reads.
 */
export function partOf(bytes: Uint8Array): StoredPart {
  return storedPart(bytes) ?? { length: bytes.length, read: async () => bytes };
}

/**
 * A list whose items are made when they are sent.
 *
 * @param most characters; all that there are when absent
 */
export function farList(items: ItemSource, most = Number.POSITIVE_INFINITY): Json {
  return new FarList(items, most) as unknown as Json;
}

/** The text of a result: texts, and between them what is made when it is sent. */
export type RawPart = string | FarBytes | FarList;

/** The text of a result up to what is made later. */
export function partsOf(value: Json): readonly RawPart[] {
  found = [];
  const text = JSON.stringify(value);
  const far = found;
  found = undefined;
  if (far.length === 0) return [text];
  const parts: RawPart[] = [];
  for (const [index, before] of text.split(MARK_TEXT).entries()) {
    parts.push(before, ...far.slice(index, index + 1));
  }
  return parts;
}

/** Whether a part is a list, which has to be measured first. */
export function isFarList(part: RawPart): part is FarList {
  return part instanceof FarList;
}

/** A byte string or a list that is made when it is sent; undefined for any other value. */
export function farValue(value: Json): Exclude<RawPart, string> | undefined {
  const far: unknown = value;
  return far instanceof FarBytes || far instanceof FarList ? far : undefined;
}
