/**
 * The stored form of the rows that share a key: compact, self-describing, strict to read.
 * Source: ARCHITECTURE.md
 * `count, { id, number, status, columns, { name, value } }`; integers are LEB128 varints. A name is
 * a number below 64 from a fixed list, or 64 + its length and its bytes. A value is its length + 1
 * and its bytes; length 0 stands for the row key itself.
 */
import { byteString, type ByteString } from "../bytes/byte-string.ts";
import { invariant } from "../fault/invariant.ts";
import { StoreFault } from "../fault/store-fault.ts";
import { ROW_NORMAL, ROW_REMOVED, type StoredRow } from "./table.ts";

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
  const writer = new VarintWriter(rowsLength(rows));
  writer.varint(rows.length);
  for (const row of rows) {
    writer.varint(row.id);
    writer.varint(row.number);
    writer.varint(row.status);
    writer.varint(row.columns.size);
    for (const [name, value] of row.columns) writeColumn(writer, { key, name, value });
  }
  return writer.finish();
}

/**
 * Decodes the rows of a key.
 *
 * @throws StoreFault `corrupt` when the bytes are not such rows
 */
export function decodeRows(key: ByteString, bytes: Uint8Array): readonly StoredRow[] {
  const reader = new VarintReader(bytes);
  const count = reader.varint();
  const rows: StoredRow[] = [];
  for (let index = 0; index < count && !reader.failed; index++) rows.push(readRow(reader, key));
  if (!reader.complete()) throw new StoreFault("corrupt", "a row record does not decode");
  return rows;
}

function readRow(reader: VarintReader, key: ByteString): StoredRow {
  const id = reader.varint();
  const number = reader.varint();
  const status = reader.varint();
  if (status !== ROW_NORMAL && status !== ROW_REMOVED) reader.failed = true;
  const columns = new Map<ByteString, ByteString>();
  const size = reader.varint();
  for (let index = 0; index < size && !reader.failed; index++) {
    const name = readName(reader);
    const length = reader.varint();
    columns.set(name, length === 0 ? key : reader.text(length - 1));
  }
  return { id, number, status, columns };
}

function readName(reader: VarintReader): ByteString {
  const number = reader.varint();
  if (number >= LITERAL_NAME) return reader.text(number - LITERAL_NAME);
  const name = KNOWN_NAMES[number];
  if (name === undefined) reader.failed = true;
  return name ?? "";
}

function writeColumn(
  writer: VarintWriter,
  column: { readonly key: ByteString; readonly name: ByteString; readonly value: ByteString },
): void {
  const known = NAME_NUMBERS.get(column.name);
  if (known === undefined) {
    writer.varint(LITERAL_NAME + column.name.length);
    writer.text(column.name);
  } else writer.varint(known);
  if (column.value === column.key) {
    writer.varint(0);
    return;
  }
  writer.varint(column.value.length + 1);
  writer.text(column.value);
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
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  complete(): boolean {
    return !this.failed && this.#position === this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count++) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80 && Number.isSafeInteger(value)) return value;
      factor *= 0x80;
    }
    this.failed = true;
    return 0;
  }

  text(length: number): ByteString {
    const start = this.#position;
    this.#position += length;
    if (this.failed || this.#position > this.#bytes.length) {
      this.failed = true;
      return "";
    }
    return byteString(this.#bytes, start, this.#position);
  }
}
