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
/** Bytes of the mark. */
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

/** Behind its trailer. */
function endOf({ offset, size }: BlockPlace): number {
  return offset + size + TRAILER_BYTES;
}

function readPlace(reader: LevelReader): BlockPlace {
  return { offset: reader.varint(), size: reader.varint() };
}

/** A block that an index leads to, and a key that none of its own is above. */
interface IndexEntry extends BlockPlace {
  readonly key: Uint8Array;
}

/** What LevelDB adds to each key: which write it is of. */
const SEQUENCE_BYTES = 8;
const NO_KEY = new Uint8Array(0);

/** A key without what LevelDB adds. */
function ownKey(key: Uint8Array = NO_KEY): Uint8Array {
  return key.subarray(0, -SEQUENCE_BYTES);
}

/** Reads entries of a block; each key repeats the beginning of the one before. */
class EntryReader {
  readonly #reader: LevelReader;
  key: Uint8Array = NO_KEY;

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
    const shared = reader.varint();
    const own = reader.varint();
    const valueBytes = reader.varint();
    if (shared > this.key.length) reader.fail();
    this.key = shared === 0 ? reader.bytes(own) : this.#joined(shared, reader.bytes(own));
    return reader.bytes(valueBytes);
  }

  #joined(shared: number, own: Uint8Array): Uint8Array {
    const key = new Uint8Array(shared + own.length);
    key.set(this.key.subarray(0, shared));
    key.set(own, shared);
    return key;
  }
}

/** Where the entries of a block begin again, and where they end; undefined when that cannot be. */
function restartsOf(
  block: Uint8Array,
): { readonly count: number; readonly end: number } | undefined {
  const count = new LevelReader(block.subarray(-4)).u32le();
  const end = block.length - 4 * (count + 1);
  return end < 0 ? undefined : { count, end };
}

/** The values of a block that leads to other blocks; undefined when it does not decode. */
function placesIn(block: Uint8Array): readonly BlockPlace[] | undefined {
  const restarts = restartsOf(block);
  if (!restarts) return undefined;
  const entries = new EntryReader(block.subarray(0, restarts.end));
  const places: BlockPlace[] = [];
  while (!entries.isDone) {
    const value = new LevelReader(entries.next());
    places.push(readPlace(value));
    if (entries.failed || value.failed) return undefined;
  }
  return places;
}

/** The block that leads to rows: each of its keys is whole there, so that one may be read alone. */
class TableIndex {
  readonly length: number;
  readonly #block: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;

  constructor(block: Uint8Array) {
    const { count, end } = restartsOf(block) ?? { count: 0, end: 0 };
    this.length = end === 0 ? 0 : count;
    this.#block = block;
    this.#view = new DataView(block.buffer, block.byteOffset, block.byteLength);
    this.#end = end;
  }

  /** Undefined when it does not decode. */
  at(place: number): IndexEntry | undefined {
    const end = place + 1 < this.length ? this.#start(place + 1) : this.#end;
    const reader = new LevelReader(this.#block.subarray(this.#start(place), end));
    const [shared, own, valueBytes] = [reader.varint(), reader.varint(), reader.varint()];
    const key = reader.bytes(own);
    if (shared > 0 || valueBytes !== reader.remaining) return undefined;
    const entry = { offset: reader.varint(), size: reader.varint(), key };
    return reader.failed || reader.remaining > 0 ? undefined : entry;
  }

  /**
   * Whether all keys of a block are below another, which is without what LevelDB adds; false when
   * it does not decode.
   */
  isBelow(place: number, key: Uint8Array): boolean {
    const start = this.#start(place);
    const own = this.#block[start + 1] ?? 0;
    // The first three lengths have a byte each, unless the key is a long one.
    if (own >= 0x80 || own < SEQUENCE_BYTES || (this.#block[start + 2] ?? 0) >= 0x80) {
      const entry = this.at(place);
      return entry !== undefined && Buffer.compare(ownKey(entry.key), key) < 0;
    }
    const from = start + 3;
    return Buffer.compare(this.#block.subarray(from, from + own - SEQUENCE_BYTES), key) < 0;
  }

  #start(place: number): number {
    return this.#view.getUint32(this.#end + 4 * place, true);
  }
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

/** Whether a key stands behind another one, both without what LevelDB adds. */
function isBehind(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(ownKey(left), ownKey(right)) > 0;
}

/** What is wrong in a table: where, what stands there, and what was written. */
export type TableDefect = readonly [what: string, stored: string, expected: string];

/** Whether the last {@link MAGIC_BYTES} of a file are those of every table. */
export function isTableEnd(bytes: Uint8Array): boolean {
  const reader = new LevelReader(bytes);
  return MAGIC.every((half) => reader.u32le() === half);
}

/** Keys that a read asks for: from the first on, and below the second. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  /** Whether there is one only. */
  readonly isOne: boolean;
}

interface TableBytes {
  readonly size: number;
  /** Fewer where it ends; until the next are read. */
  read(offset: number, length: number): Uint8Array;
}

/** A look at one table; a class because its parts share what was found. */
export class TableCheck {
  /** What is wrong. */
  readonly defects: TableDefect[] = [];
  readonly #table: TableBytes;
  readonly #checksum: Checksum;
  /** Numbers of blocks. */
  readonly #compared = new Set<number>();
  /** The two blocks that lead to all others, and those that are not of rows. */
  #others: readonly BlockPlace[] = [];
  /** Of the blocks with rows, in the order of their keys; undefined when something is wrong. */
  #index: TableIndex | undefined;

  /**
   * Compares all that leads to rows, and finds out where they stand.
   * @param first key of the table, when it is known: two tables that changed places are whole
   */
  constructor(table: TableBytes, checksum: Checksum, first?: Uint8Array) {
    this.#table = table;
    this.#checksum = checksum;
    const footer = this.#footer();
    if (!footer) return;
    const [more, index] = footer;
    const found = this.#content(index);
    const places = this.#placesOf(more);
    if (!places || !found) return;
    // No checksum covers the footer: the two blocks stand at the end, one behind the other.
    this.#walk([index], table.size - FOOTER_BYTES, index.offset);
    if (endOf(more) !== index.offset) this.#wrong(index, `byte ${index.offset}`, `${endOf(more)}`);
    for (const place of places) this.#block(place);
    this.#others = [...footer, ...places];
    this.#index = new TableIndex(found);
    if (this.#index.length === 0) this.#wrong(index, "does not decode", "a list of blocks");
    if (first) this.#requireFirst(first);
  }

  /** Compares all rows, and where they stand. */
  compareAll(): void {
    const index = this.#index;
    if (!index) return;
    const places: BlockPlace[] = [...this.#others];
    let before: IndexEntry | undefined;
    for (let at = 0; at < index.length; at++) {
      const place = index.at(at);
      this.#compare(place, at, before);
      if (place) places.push(place);
      before = place;
    }
    this.#walk(places, this.#table.size - FOOTER_BYTES);
  }

  /**
   * Compares what a read of the keys in [from, to) may take.
   * @param most when more blocks than these were compared it ends, finished or not
   * @returns how many blocks were compared by now
   */
  compareRange({ from, to, isOne }: KeyRange, most: number): number {
    const index = this.#index;
    let at = this.#firstFrom(from);
    for (; index && at < index.length && this.#compared.size <= most; at++) {
      this.#compareOne(at);
      if (index.isBelow(at, to)) continue;
      // A range ends where it finds a key that is not its own: that may be one block further.
      if (!isOne) this.#compareOne(at + 1);
      break;
    }
    return this.#compared.size;
  }

  /** The first block that does not end before a key. */
  #firstFrom(from: Uint8Array): number {
    const index = this.#index;
    let [low, high] = [0, index?.length ?? 0];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (index?.isBelow(middle, from)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #requireFirst(first: Uint8Array): void {
    const place = this.#index?.at(0);
    const block = place && this.#block(place);
    if (!block) return;
    const key = firstKey((bytes) => beginningOf(block, bytes));
    if (!key || Buffer.compare(ownKey(key), first) !== 0)
      this.#wrong(place, "rows of another table", "those that the manifest says");
  }

  #compareOne(at: number): void {
    const index = this.#index;
    if (!index || at >= index.length || this.#compared.has(at)) return;
    this.#compare(index.at(at), at, at > 0 ? index.at(at - 1) : undefined);
  }

  /**
   * A block begins with a key that its index says: no checksum covers where a block stands, and of
   * two that changed places every row would be missing.
   */
  #compare(place: IndexEntry | undefined, at: number, before: IndexEntry | undefined): void {
    if (!place) {
      this.defects.push([`entry ${at} of its index`, "other bytes", "where a block stands"]);
      return;
    }
    const block = this.#block(place);
    // Not before: what the disk did not give was not compared.
    this.#compared.add(at);
    const key = block && firstKey((bytes) => beginningOf(block, bytes));
    if (!block) return;
    if (!key || isBehind(key, place.key) || (before && isBehind(before.key, key)))
      this.#wrong(place, "rows of another place", "those that its index says");
  }

  /** Places of the two blocks that lead to all others. */
  #footer(): readonly [BlockPlace, BlockPlace] | undefined {
    const start = this.#table.size - FOOTER_BYTES;
    const bytes = start < 0 ? new Uint8Array(0) : this.#table.read(start, FOOTER_BYTES);
    const reader = new LevelReader(bytes.subarray(0, -MAGIC_BYTES));
    const places = [readPlace(reader), readPlace(reader)] as const;
    const isPadded = reader.bytes(reader.remaining).every((byte) => byte === 0);
    if (isTableEnd(bytes.subarray(-MAGIC_BYTES)) && isPadded && !reader.failed) return places;
    const what = `footer at byte ${Math.max(start, 0)}`;
    this.defects.push([what, "other bytes", "the end of a table"]);
    return undefined;
  }

  #placesOf(place: BlockPlace): readonly BlockPlace[] | undefined {
    const content = this.#content(place);
    const places = content && placesIn(content);
    if (content && !places) this.#wrong(place, "does not decode", "a list of blocks");
    return places;
  }

  /** What a block holds; undefined when it is damaged. */
  #content(place: BlockPlace): Uint8Array | undefined {
    const block = this.#block(place);
    if (!block) return undefined;
    const packed = block.subarray(0, -TRAILER_BYTES);
    const type = block.at(-TRAILER_BYTES);
    if (type === PLAIN) return packed.slice();
    const content = type === SNAPPY ? unpackSnappy(packed, MOST_INDEX_BYTES) : undefined;
    if (!content) this.#wrong(place, "does not decode", "a list of blocks");
    return content;
  }

  /** A block with its trailer; undefined when it does not have its checksum. */
  #block(place: BlockPlace): Uint8Array | undefined {
    const { offset, size } = place;
    const length = size + TRAILER_BYTES;
    const block = this.#table.read(offset, length);
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

  /** All blocks stand one behind the other, and fill the file. */
  #walk(places: readonly BlockPlace[], end: number, from = 0): void {
    let at = from;
    for (const place of places.toSorted((left, right) => left.offset - right.offset)) {
      if (place.offset !== at) this.#wrong(place, `byte ${place.offset}`, `byte ${at}`);
      at = endOf(place);
    }
    if (at === end) return;
    this.defects.push(["its blocks", `end at byte ${at}`, `the footer at byte ${end}`]);
  }

  #wrong({ offset, size }: BlockPlace, stored: string, expected: string): void {
    this.defects.push([`block of ${size} bytes at byte ${offset}`, stored, expected]);
  }
}

/** The first bytes of what a block with its trailer holds. */
function beginningOf(block: Uint8Array, bytes: number): Uint8Array | undefined {
  const packed = block.subarray(0, -TRAILER_BYTES);
  return block.at(-TRAILER_BYTES) === SNAPPY ? unpackBeginning(packed, bytes) : packed;
}

/**
 * Compares every byte of a table with its checksums. LevelDB makes tables of about 1 MiB; one that
 * holds a huge value is as long as that.
 */
export function tableDefects(
  content: Uint8Array,
  checksum: Checksum,
  first?: Uint8Array,
): readonly TableDefect[] {
  const read = (offset: number, length: number) => content.subarray(offset, offset + length);
  const check = new TableCheck({ size: content.length, read }, checksum, first);
  check.compareAll();
  return check.defects;
}
