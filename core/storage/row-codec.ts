/**
 * The stored form of the rows that share a key: compact, self-describing, strict to read.
 *
 * `count, { id, number, status, columns, { name, value } }`; integers are LEB128 varints. A name is
 * a number below 64 from a fixed list, or 64 + its length and its bytes. A value is its length + 1
 * and its bytes; length 0 stands for the row key itself.
 */
import { byteString, type ByteString } from "../bytes/byte-string.ts";
import { concatBytes } from "../bytes/bytes.ts";
import { invariant } from "../fault/invariant.ts";
import { StoreFault } from "../fault/store-fault.ts";
import {
  type LargeRows,
  ROW_NORMAL,
  ROW_REMOVED,
  type StoredRow,
  type StoredRows,
  wideBytes,
} from "./table.ts";

/** Names with a number of their own. Only ever append: the numbers are on disk. */
const KNOWN_NAMES: readonly ByteString[] = [
  "key",
  "value",
  "enable_num",
  "address",
  "name",
  "type",
  "node_id",
  "table_name",
  "key_field",
  "value_field",
  "version",
  "abi",
  "origin",
  "block_limit",
  "selector",
  "functionName",
  "criticalSize",
  "parallel",
];
const NAME_NUMBERS: ReadonlyMap<ByteString, number> = new Map(
  KNOWN_NAMES.map((name, index) => [name, index]),
);
/** First number that means a name in full. */
const LITERAL_NAME = 64;

/** Encodes all rows of a key, in their order. */
export function encodeRows(key: ByteString, rows: readonly StoredRow[]): Uint8Array {
  return encodePart(key, rows, rows.length);
}

/** The stored form of rows and of others after them, without decoding the former. */
export function appendRows(
  key: ByteString,
  { record, length }: LargeRows,
  rows: readonly StoredRow[],
): Uint8Array {
  const reader = new VarintReader(record);
  reader.varint();
  const before = record.subarray(reader.position);
  return concatBytes(encodePart(key, [], length + rows.length), before, encodePart(key, rows));
}

/** Rows encoded at once of many that are made while they are encoded. */
const SERIES_ROWS = 4_096;

/** Encodes this many rows of a key while they are made. */
export function encodeSeries(
  key: ByteString,
  length: number,
  rows: Iterable<StoredRow>,
): Uint8Array {
  const parts = [encodePart(key, [], length)];
  let part: StoredRow[] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length < SERIES_ROWS) continue;
    parts.push(encodePart(key, part));
    part = [];
  }
  return concatBytes(...parts, encodePart(key, part));
}

/** The rows, behind a count when there is one. */
function encodePart(key: ByteString, rows: readonly StoredRow[], count?: number): Uint8Array {
  const writer = new VarintWriter(rowsLength(rows));
  if (count !== undefined) writer.varint(count);
  for (const row of rows) {
    writer.varint(row.id);
    writer.varint(row.number);
    writer.varint(row.status);
    writer.varint(row.columns.size);
    for (const [name, value] of row.columns) writeColumn(writer, key, name, value);
  }
  return writer.finish();
}

/** Decodes the rows of a key. @throws StoreFault `corrupt` when the bytes are not such rows */
export function decodeRows(key: ByteString, bytes: Uint8Array): readonly StoredRow[] {
  return decodeUpTo(key, bytes, Infinity) ?? [];
}

/** The rows; undefined when they would take more memory, by an estimate of the record alone. */
function decodeUpTo(
  key: ByteString,
  bytes: Uint8Array,
  limitBytes: number,
): readonly StoredRow[] | undefined {
  const reader = new VarintReader(bytes);
  const count = reader.varint();
  let size = bytes.length + count * ROW_BYTES;
  const rows: StoredRow[] = [];
  for (let index = 0; index < count && !reader.failed; index++) {
    if (size > limitBytes) return undefined;
    const row = readRow(reader, key);
    size += wideBytes(row.columns.size);
    rows.push(row);
  }
  if (size > limitBytes) return undefined;
  if (!reader.complete()) throw corrupt();
  return rows;
}

function corrupt(): StoreFault {
  return new StoreFault("corrupt", "a row record does not decode");
}

/** What a decoded row takes besides its text: objects, the map of a few columns. */
export const ROW_BYTES = 320;
/**
 * By estimate; what takes more when decoded is decoded at each reading instead. The same on every
 * node, whatever it has in its cache: what reading costs decides receipts.
 */
export const LARGE_BYTES = 2 * 1024 * 1024;

/**
 * The rows of a key: decoded, or what decodes them while they are read.
 *
 * @throws StoreFault `corrupt` when the bytes are not such rows; for large ones while they are read
 */
export function openRows(key: ByteString, record: Uint8Array): StoredRows {
  const rows = decodeUpTo(key, record, LARGE_BYTES);
  if (rows !== undefined) return rows;
  const length = new VarintReader(record).varint();
  let columns: number | undefined;
  return {
    length,
    record,
    countColumns: () => (columns ??= countColumns(record)),
    [Symbol.iterator]: () => readRows(key, record),
  };
}

function* readRows(key: ByteString, record: Uint8Array): Generator<StoredRow, void> {
  const reader = new VarintReader(record);
  const count = reader.varint();
  for (let index = 0; index < count && !reader.failed; index++) {
    const row = readRow(reader, key);
    if (!reader.failed) yield row;
  }
  if (!reader.complete()) throw corrupt();
}

function readRow(reader: VarintReader, key: ByteString): StoredRow {
  const id = reader.varint();
  const number = reader.varint();
  const status = reader.varint();
  if (status !== ROW_NORMAL && status !== ROW_REMOVED) reader.failed = true;
  const columns = new Map<ByteString, ByteString>();
  const size = reader.varint();
  for (let index = 0; index < size && !reader.failed; index++) {
    const name = readName(reader, index);
    const length = reader.varint();
    columns.set(name, length === 0 ? key : reader.text(length - 1));
  }
  return { id, number, status, columns };
}

/** The columns of all rows of a record, by a pass over it that makes nothing. */
function countColumns(record: Uint8Array): number {
  const reader = new VarintReader(record);
  const count = reader.varint();
  let columns = 0;
  for (let index = 0; index < count && !reader.failed; index++) {
    for (let field = 0; field < FIELDS_BEFORE_SIZE; field++) reader.varint();
    const size = reader.varint();
    for (let column = 0; column < size && !reader.failed; column++) {
      const name = reader.varint();
      if (name >= LITERAL_NAME) reader.skip(name - LITERAL_NAME);
      reader.skip(Math.max(0, reader.varint() - 1));
    }
    columns += size;
  }
  if (!reader.complete()) throw corrupt();
  return columns;
}
/** Id, number and status. */
const FIELDS_BEFORE_SIZE = 3;

/** Rows of a table have the same columns: a name is shared with the row before. */
function readName(reader: VarintReader, index: number): ByteString {
  const number = reader.varint();
  if (number >= LITERAL_NAME) return reader.name(number - LITERAL_NAME, index);
  const name = KNOWN_NAMES[number];
  if (name === undefined) reader.failed = true;
  return name ?? "";
}

function writeColumn(
  writer: VarintWriter,
  key: ByteString,
  name: ByteString,
  value: ByteString,
): void {
  const known = NAME_NUMBERS.get(name);
  writer.varint(known ?? LITERAL_NAME + name.length);
  if (known === undefined) writer.text(name);
  if (value === key) return writer.varint(0);
  writer.varint(value.length + 1);
  writer.text(value);
}

/** Longest varint: a safe integer. */
const MAX_VARINT_BYTES = 8;

/** An upper bound of the encoded length. */
function rowsLength(rows: readonly StoredRow[]): number {
  let length = MAX_VARINT_BYTES;
  for (const row of rows) {
    length += 4 * MAX_VARINT_BYTES;
    for (const [name, value] of row.columns)
      length += 2 * MAX_VARINT_BYTES + name.length + value.length;
  }
  return length;
}

class VarintWriter {
  readonly #bytes: Uint8Array;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  varint(value: number): void {
    invariant(Number.isSafeInteger(value) && value >= 0, "a stored number is a safe integer");
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  text(text: ByteString): void {
    for (let index = 0; index < text.length; index++) {
      this.#bytes[this.#length++] = text.charCodeAt(index);
    }
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

class VarintReader {
  failed = false;
  position = 0;
  readonly #bytes: Uint8Array;
  readonly #names: ByteString[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  complete(): boolean {
    return !this.failed && this.position === this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count++) {
      const byte = this.#bytes[this.position++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80 && Number.isSafeInteger(value)) return value;
      factor *= 0x80;
    }
    this.failed = true;
    return 0;
  }

  skip(length: number): void {
    this.position += length;
    if (this.position > this.#bytes.length) this.failed = true;
  }

  /** A text that is likely the one that was at that place before. */
  name(length: number, place: number): ByteString {
    const known = this.#names[place];
    if (known?.length === length && this.#isNext(known)) {
      this.position += length;
      return known;
    }
    const name = this.text(length);
    this.#names[place] = name;
    return name;
  }

  #isNext(text: ByteString): boolean {
    for (let index = 0; index < text.length; index++)
      if (this.#bytes[this.position + index] !== text.charCodeAt(index)) return false;
    return true;
  }

  text(length: number): ByteString {
    const start = this.position;
    this.position += length;
    if (this.failed || this.position > this.#bytes.length) {
      this.failed = true;
      return "";
    }
    return byteString(this.#bytes, start, this.position);
  }
}
