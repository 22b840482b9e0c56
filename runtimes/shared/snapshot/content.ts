/**
 * What the chunks of a snapshot hold: facts, blocks, their seals, rows. The content hash is over
 * all of it but the seals, of which each member may keep others. Source: storage 14
 */
import {
  byteString,
  bytesOf,
  type ByteString,
  utf8Bytes,
  utf8Text,
} from "../../../core/bytes/byte-string.ts";
import { ByteReader, ByteWriter } from "../../../core/bytes/cursor.ts";
import { EMPTY_BYTES } from "../../../core/bytes/bytes.ts";
import { addressOf, idBytes, toHex } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { decodeSeals, encodeSeals, type Seal } from "../../../core/model/header.ts";
import { encodeOffsetTable, openOffsetTable } from "../../../core/model/offset-table.ts";
import { isLarge, type StoredRow, type StoredRows } from "../../../core/storage/table.ts";
import { isObject, parseJson } from "../../../core/rpc/json.ts";
import { CHUNK, type Chunk, sha256, SnapshotFault } from "./chunk.ts";

/** What a snapshot is of. */
export interface SnapshotFacts {
  readonly chainId: number;
  readonly groupId: number;
  readonly genesisHash: string;
  readonly number: number;
  readonly hash: string;
  readonly supportedVersion: string;
  readonly suite: string;
  readonly consensusType: string;
}

/** What stands at the end, and what is reported of a snapshot. */
export interface SnapshotSums {
  readonly blocks: number;
  readonly transactions: number;
  /** Keys that have rows. */
  readonly keys: number;
  /** 0x and 64 digits; the same on every member at the same block. */
  readonly contentHash: string;
}

/** A block without what follows from it, and without its seals. */
export interface SnapshotBlock {
  readonly headerRlp: Uint8Array;
  readonly transactions: readonly Uint8Array[];
  readonly senders: readonly Address[];
  readonly receipts: readonly Uint8Array[];
}

interface SnapshotRows {
  readonly table: ByteString;
  readonly key: ByteString;
  readonly rows: readonly StoredRow[];
}

/** No part of a record is longer than its chunk. */
const MOST = 0x7fff_ffff;
/**
 * Least bytes of a transaction (its signature) and of a receipt (its bloom): how many of them a
 * chunk may say to hold.
 */
const LEAST_ITEM_BYTES = 64;
/**
 * Columns of the rows of one key, which are in memory together: far more than a contract can read
 * within the gas of a block. A row counts as some columns.
 */
export const MOST_CELLS = 4 * 1024 * 1024;
const ROW_CELLS = 4;
const ADDRESS_BYTES = 20;

/** Facts or sums as bytes. */
export function encodeText(value: SnapshotFacts | SnapshotSums): Uint8Array {
  return utf8Bytes(JSON.stringify(value));
}

function fieldsOf<Value>(content: Uint8Array, shape: Readonly<Record<keyof Value, string>>): Value {
  const value = parseJson(utf8Text(content));
  const object = isObject(value) ? value : {};
  for (const [name, type] of Object.entries(shape))
    if (typeof object[name] !== type) throw new SnapshotFault(`${name} of the snapshot is missing`);
  return object as Value;
}

/** @throws SnapshotFault */
export function decodeFacts(content: Uint8Array): SnapshotFacts {
  const [text, number] = ["string", "number"];
  return fieldsOf<SnapshotFacts>(content, {
    ...{ chainId: number, groupId: number, genesisHash: text, number, hash: text },
    ...{ supportedVersion: text, suite: text, consensusType: text },
  });
}

/** @throws SnapshotFault */
export function decodeSums(content: Uint8Array): SnapshotSums {
  const number = "number";
  const shape = { blocks: number, transactions: number, keys: number, contentHash: "string" };
  return fieldsOf<SnapshotSums>(content, shape);
}

/** Appends a block. */
export function writeBlock(writer: ByteWriter, block: SnapshotBlock): void {
  writer.sized(block.headerRlp).sized(encodeOffsetTable(block.transactions));
  for (const sender of block.senders) writer.bytes(idBytes(sender));
  writer.sized(encodeOffsetTable(block.receipts));
}

/** The blocks of a chunk, one by one; undefined in place of one that does not decode. */
export function* readBlocks(content: Uint8Array): Generator<SnapshotBlock | undefined> {
  const reader = new ByteReader(content);
  while (reader.remaining > 0) {
    const headerRlp = reader.sized(MOST);
    const transactions = readItems(reader.sized(MOST));
    const senders = transactions?.map(() => addressOf(padded(reader.bytes(ADDRESS_BYTES))));
    const receipts = readItems(reader.sized(MOST));
    const isWhole = !reader.failed && transactions && senders && receipts;
    yield isWhole ? { headerRlp, transactions, senders, receipts } : undefined;
    if (!isWhole) return;
  }
}

/** The items of a table; undefined when they do not decode, or are more than its bytes can be. */
function readItems(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  const table = openOffsetTable(bytes);
  if (!table || table.count * LEAST_ITEM_BYTES > bytes.length) return undefined;
  return Array.from({ length: table.count }, (_, index) => table.item(index) ?? EMPTY_BYTES);
}

/** A reader that has failed gives nothing: the record is refused afterwards. */
function padded(bytes: Uint8Array): Uint8Array {
  return bytes.length === ADDRESS_BYTES ? bytes : new Uint8Array(ADDRESS_BYTES);
}

/** Appends the seals of a block. */
export function writeSeals(writer: ByteWriter, seals: readonly Seal[]): void {
  writer.sized(encodeSeals(seals));
}

/** The seals of the blocks of a chunk, as {@link readBlocks}. */
export function* readSeals(content: Uint8Array): Generator<readonly Seal[] | undefined> {
  const reader = new ByteReader(content);
  while (reader.remaining > 0) {
    const bytes = reader.sized(MOST);
    const seals = reader.failed ? undefined : decodeSeals(bytes);
    yield seals;
    if (!seals) return;
  }
}

function cellsOf(rows: StoredRows): number {
  if (isLarge(rows)) return rows.length * ROW_CELLS + rows.countColumns();
  return rows.reduce((sum, { columns }) => sum + ROW_CELLS + columns.size, 0);
}

/** Appends the rows of a key, all names in full. @throws SnapshotFault when nobody could read it */
export function writeRows(
  writer: ByteWriter,
  { table, key, rows }: Omit<SnapshotRows, "rows"> & { readonly rows: StoredRows },
): void {
  const text = (value: ByteString) => writer.sized(bytesOf(value));
  const cells = cellsOf(rows);
  if (cells > MOST_CELLS)
    throw new SnapshotFault(`the rows of a key have ${cells} cells, more than ${MOST_CELLS}`);
  text(table);
  text(key);
  writer.u32(rows.length);
  for (const { id, number, status, columns } of rows) {
    writer.u64(id).u64(number).u8(status).u32(columns.size);
    for (const [name, value] of columns) {
      text(name);
      text(value);
    }
  }
}

/** The rows of a chunk, key by key; undefined in place of what does not decode. */
export function* readRows(content: Uint8Array): Generator<SnapshotRows | undefined> {
  const reader = new ByteReader(content);
  while (reader.remaining > 0) {
    const [table, key] = [readText(reader), readText(reader)];
    const rows = readRowsOfKey(reader);
    yield rows && !reader.failed ? { table, key, rows } : undefined;
    if (!rows || reader.failed) return;
  }
}

function readText(reader: ByteReader): ByteString {
  return byteString(reader.sized(MOST));
}

function readRowsOfKey(reader: ByteReader): readonly StoredRow[] | undefined {
  const rows: StoredRow[] = [];
  const count = reader.u32();
  let cells = 0;
  for (let i = 0; i < count && !reader.failed; i++) {
    const [id, number, status] = [reader.u64(), reader.u64(), reader.u8()];
    const columns = new Map<ByteString, ByteString>();
    const size = reader.u32();
    cells += ROW_CELLS + size;
    if (cells > MOST_CELLS) return undefined;
    for (let j = 0; j < size && !reader.failed; j++)
      columns.set(readText(reader), readText(reader));
    rows.push({ id, number, status, columns });
  }
  return rows;
}

/** The hash that members compare: over kind and hash of each chunk that they have alike. */
export class ContentHash {
  /** In one run of bytes: a file may have any number of chunks. */
  readonly #parts = new ByteWriter();

  add({ kind, hash }: Pick<Chunk, "kind" | "hash">): void {
    if (kind === CHUNK.seals || kind === CHUNK.end) return;
    this.#parts.u8(kind).bytes(hash);
  }

  /** 0x and 64 digits. */
  async digest(): Promise<string> {
    return `0x${toHex(await sha256(this.#parts.finish()))}`;
  }
}
