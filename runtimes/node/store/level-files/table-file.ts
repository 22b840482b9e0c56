/**
 * The checksums of a LevelDB table: LevelDB itself does not look at them when it reads.
 * Format: LevelDB's public description of its table format. Source: storage 13
 */
import { type Checksum, shownChecksum } from "./file-look.ts";
import { LevelReader } from "./level-reader.ts";
import { unpackBeginning, unpackSnappy } from "./snappy.ts";

const FOOTER_BYTES = 48;
/** Last eight bytes of every table, lower half first. */
const MAGIC = [0x8b80_fb57, 0xdb47_7524] as const;
export const MAGIC_BYTES = 8;
/** Behind each block: how it is packed, and its checksum. */
const TRAILER_BYTES = 5;
const PLAIN = 0;
const SNAPPY = 1;
/** An index has some 40 bytes for each block of 4 KiB, and a table holds few MiB. */
const MOST_INDEX_BYTES = 64 * 1024 * 1024;

/** Where a block stands, without its trailer. */
interface BlockPlace {
  readonly offset: number;
  readonly size: number;
}

function readPlace(reader: LevelReader): BlockPlace {
  return { offset: reader.varint(), size: reader.varint() };
}

/** A block that an index leads to, and a key that none of its own is above. */
interface IndexEntry extends BlockPlace {
  readonly key: Uint8Array;
}

/** Reads entries of a block; each key repeats the beginning of the one before. */
class EntryReader {
  readonly #reader: LevelReader;
  key = new Uint8Array(0);

  constructor(bytes: Uint8Array) {
    this.#reader = new LevelReader(bytes);
  }

  get isDone(): boolean {
    return this.#reader.failed || this.#reader.remaining === 0;
  }

  get failed(): boolean {
    return this.#reader.failed;
  }

  /** The value of the next entry, whose key is {@link EntryReader.key} from then on. */
  next(): Uint8Array {
    const reader = this.#reader;
    const [shared, own, valueBytes] = [reader.varint(), reader.varint(), reader.varint()];
    if (shared > this.key.length) reader.fail();
    const key = new Uint8Array(shared + Math.min(own, reader.remaining));
    key.set(this.key.subarray(0, shared));
    key.set(reader.bytes(own), shared);
    this.key = key;
    return reader.bytes(valueBytes);
  }
}

/** The values of a block that leads to other blocks; undefined when it does not decode. */
function placesIn(block: Uint8Array): readonly IndexEntry[] | undefined {
  const restarts = new LevelReader(block.subarray(-4)).u32le();
  const end = block.length - 4 * (restarts + 1);
  if (end < 0) return undefined;
  const entries = new EntryReader(block.subarray(0, end));
  const places: IndexEntry[] = [];
  while (!entries.isDone) {
    const value = new LevelReader(entries.next());
    places.push({ ...readPlace(value), key: entries.key });
    if (entries.failed || value.failed) return undefined;
  }
  return places;
}

/** A key and what stands before it, unless it is an uncommon one. */
const USUAL_KEY_BYTES = 256;
const MOST_PREFIX_BYTES = 3 * 5;

/** The first key of a block, by its beginning; undefined when it does not decode. */
function firstKey(beginning: (bytes: number) => Uint8Array | undefined): Uint8Array | undefined {
  for (let bytes = USUAL_KEY_BYTES; ; ) {
    const reader = new LevelReader(beginning(bytes) ?? new Uint8Array(0));
    const [shared, own] = [reader.varint(), reader.varint()];
    reader.varint();
    if (own + MOST_PREFIX_BYTES <= bytes) {
      const key = reader.bytes(own);
      return reader.failed || shared > 0 ? undefined : key;
    }
    bytes = own + MOST_PREFIX_BYTES;
  }
}

/** What LevelDB adds to each key: which write it is of. */
const SEQUENCE_BYTES = 8;

/** Whether a key stands behind another one, both without what LevelDB adds. */
function isBehind(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left.subarray(0, -SEQUENCE_BYTES), right.subarray(0, -SEQUENCE_BYTES)) > 0;
}

/** What is wrong in a table: where, what stands there, and what was written. */
export type TableDefect = readonly [what: string, stored: string, expected: string];

/** Whether the last {@link MAGIC_BYTES} of a file are those of every table. */
export function isTableEnd(bytes: Uint8Array): boolean {
  const reader = new LevelReader(bytes);
  return MAGIC.every((half) => reader.u32le() === half);
}

/** A look at one table; a class because its parts share the bytes. */
class TableCheck {
  readonly #content: Uint8Array;
  readonly #checksum: Checksum;
  readonly #defects: TableDefect[] = [];

  constructor(content: Uint8Array, checksum: Checksum) {
    this.#content = content;
    this.#checksum = checksum;
  }

  run(): readonly TableDefect[] {
    const footer = this.#footer();
    if (!footer) return this.#defects;
    const [more, index] = footer.map((place) => this.#placesOf(place));
    if (!more || !index) return this.#defects;
    this.#walk([...footer, ...more, ...index], this.#content.length - FOOTER_BYTES);
    if (this.#defects.length === 0) this.#order(index);
    return this.#defects;
  }

  /** Places of the two blocks that lead to all others. */
  #footer(): readonly BlockPlace[] | undefined {
    const start = this.#content.length - FOOTER_BYTES;
    const bytes = start < 0 ? undefined : this.#content.subarray(start);
    const reader = new LevelReader((bytes ?? new Uint8Array(0)).subarray(0, -MAGIC_BYTES));
    const places = [readPlace(reader), readPlace(reader)];
    const isPadded = reader.bytes(reader.remaining).every((byte) => byte === 0);
    if (
      isTableEnd(bytes?.subarray(-MAGIC_BYTES) ?? new Uint8Array(0)) &&
      isPadded &&
      !reader.failed
    )
      return places;
    const what = `footer at byte ${Math.max(start, 0)}`;
    this.#defects.push([what, "other bytes", "the end of a table"]);
    return undefined;
  }

  /**
   * Each block begins with a key that its index says: no checksum covers where a block stands, and
   * of two that changed places every row would be missing.
   */
  #order(index: readonly IndexEntry[]): void {
    let before: Uint8Array | undefined;
    for (const place of index) {
      const key = firstKey((bytes) => this.#beginning(place, bytes));
      if (!key || isBehind(key, place.key) || (before && isBehind(before, key)))
        this.#wrong(place, "rows of another place", "those that its index says");
      before = place.key;
    }
  }

  #beginning({ offset, size }: BlockPlace, bytes: number): Uint8Array | undefined {
    const block = this.#content.subarray(offset, offset + size + 1);
    return block[size] === SNAPPY ? unpackBeginning(block.subarray(0, -1), bytes) : block;
  }

  #placesOf(place: BlockPlace): readonly IndexEntry[] | undefined {
    const block = this.#block(place);
    if (!block) return undefined;
    const packed = block.subarray(0, -TRAILER_BYTES);
    const type = block.at(-TRAILER_BYTES);
    const content =
      type === PLAIN
        ? packed
        : type === SNAPPY
          ? unpackSnappy(packed, MOST_INDEX_BYTES)
          : undefined;
    const places = content && placesIn(content);
    if (!places) this.#wrong(place, "does not decode", "a list of blocks");
    return places;
  }

  /** A block with its trailer; undefined when it does not have its checksum. */
  #block(place: BlockPlace): Uint8Array | undefined {
    const { offset, size } = place;
    const length = size + TRAILER_BYTES;
    const block = this.#content.subarray(offset, offset + length);
    if (block.length < length) {
      this.#wrong(place, "cut off", `${length} bytes`);
      return undefined;
    }
    const expected = new LevelReader(block.subarray(-4)).u32le();
    const found = this.#checksum(block.subarray(0, -4));
    if (found === expected) return block;
    this.#wrong(place, shownChecksum(found), shownChecksum(expected));
    return undefined;
  }

  /** All blocks; they stand one behind the other, and fill the file. */
  #walk(places: readonly BlockPlace[], end: number): void {
    let at = 0;
    for (const place of [...places].sort((left, right) => left.offset - right.offset)) {
      if (place.offset !== at) this.#wrong(place, `byte ${place.offset}`, `byte ${at}`);
      this.#block(place);
      at = place.offset + place.size + TRAILER_BYTES;
    }
    if (at === end) return;
    this.#defects.push(["its blocks", `end at byte ${at}`, `the footer at byte ${end}`]);
  }

  #wrong({ offset, size }: BlockPlace, stored: string, expected: string): void {
    this.#defects.push([`block of ${size} bytes at byte ${offset}`, stored, expected]);
  }
}

/**
 * Compares every byte of a table with its checksums. LevelDB makes tables of about 1 MiB; one that
 * holds a huge value is as long as that.
 */
export function tableDefects(content: Uint8Array, checksum: Checksum): readonly TableDefect[] {
  return new TableCheck(content, checksum).run();
}
