/**
 * The ledger's records in bytes: header record, body, places of transactions.
 * Source: architecture/storage "Keys of the store"
 */
import { joinBytes } from "../bytes/bytes.ts";
import { ByteReader, ByteWriter } from "../bytes/cursor.ts";
import { addressOf, hashOf, idBytes } from "../bytes/hex.ts";
import type { Address, Hash } from "../bytes/ids.ts";
import { openRlpList, wrapRlpList } from "../bytes/rlp.ts";
import { StoreFault } from "../fault/store-fault.ts";
import { decodeHeader, decodeSeals, encodeSeals, type Header, type Seal } from "../model/header.ts";
import { decodeOffsetTable, offsetTableBytes, putOffsetTable } from "../model/offset-table.ts";

/** A header as the ledger keeps it. */
export interface HeaderRecord {
  readonly header: Header;
  readonly seals: readonly Seal[];
  /** R, hash of the unexecuted header: the key of the body. */
  readonly unexecuted: Hash;
  readonly transactionCount: number;
}

/** A header record to be written. */
type HeaderRecordInput = Omit<HeaderRecord, "header"> & { readonly headerRlp: Uint8Array };

/** Raw transactions and their senders, in block order. */
export interface Body {
  readonly transactions: readonly Uint8Array[];
  readonly senders: readonly Address[];
}

/** Where a transaction is. */
export interface TransactionPlace {
  readonly number: number;
  readonly index: number;
}

const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;
/** In front of the table of a body. */
const LENGTH_BYTES = 4;
/** No part of a header record is longer: 32767 seals of 128 bytes are below 5 MiB. */
const MAX_PART_BYTES = 0x7fff_ffff;

/** Encodes a header record. */
export function encodeHeaderRecord(record: HeaderRecordInput): Uint8Array {
  return new ByteWriter(record.headerRlp.length + 1_024)
    .sized(record.headerRlp)
    .sized(encodeSeals(record.seals))
    .bytes(idBytes(record.unexecuted))
    .u32(record.transactionCount)
    .finish();
}

/** @throws StoreFault `corrupt` when the bytes are not a header record */
export function decodeHeaderRecord(bytes: Uint8Array): HeaderRecord {
  const reader = new ByteReader(bytes);
  const header = decodeHeader(reader.sized(MAX_PART_BYTES));
  const seals = decodeSeals(reader.sized(MAX_PART_BYTES));
  const unexecuted = reader.bytes(HASH_BYTES);
  const transactionCount = reader.u32();
  if (!reader.complete() || header === undefined || seals === undefined)
    throw corrupt("header record");
  return { header, seals, unexecuted: hashOf(unexecuted), transactionCount };
}

/**
 * Encodes a body: an offset table, then 20 bytes per sender. The consensus writes the same form
 * under the same key.
 */
export function encodeBody({ transactions, senders }: Body): Uint8Array {
  const length = offsetTableBytes(transactions);
  const bytes = new Uint8Array(LENGTH_BYTES + length + senders.length * ADDRESS_BYTES);
  new DataView(bytes.buffer).setUint32(0, length);
  putOffsetTable(transactions, bytes, LENGTH_BYTES);
  let at = LENGTH_BYTES + length;
  for (const sender of senders) {
    bytes.set(idBytes(sender), at);
    at += ADDRESS_BYTES;
  }
  return bytes;
}

/** @throws StoreFault `corrupt` when the bytes are not a body */
export function decodeBody(bytes: Uint8Array): Body {
  const reader = new ByteReader(bytes);
  const transactions = decodeOffsetTable(reader.sized(MAX_PART_BYTES));
  if (transactions === undefined) throw corrupt("block body");
  const senders: Address[] = [];
  while (!reader.failed && reader.remaining >= ADDRESS_BYTES) {
    senders.push(addressOf(reader.bytes(ADDRESS_BYTES)));
  }
  if (!reader.complete() || senders.length !== transactions.length) throw corrupt("block body");
  return { transactions, senders };
}

/** @throws StoreFault `corrupt` when the bytes are not an offset table */
export function decodeReceiptTable(bytes: Uint8Array): readonly Uint8Array[] {
  const receipts = decodeOffsetTable(bytes);
  if (receipts === undefined) throw corrupt("receipt table");
  return receipts;
}

const PLACE_BYTES = 12;
const HALF = 0x1_0000_0000;

/** Encodes the place of a transaction: block number and index. */
export function encodePlace(place: TransactionPlace): Uint8Array {
  const bytes = new Uint8Array(PLACE_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(place.number / HALF));
  view.setUint32(4, place.number % HALF);
  view.setUint32(8, place.index);
  return bytes;
}

/** The nonces of a block. @throws StoreFault `corrupt` when the bytes are no list of them */
export function decodeNonces(bytes: Uint8Array): bigint[] {
  const items = openRlpList(bytes);
  const nonces = items?.all((reader) => reader.uint());
  if (items === undefined || nonces === undefined || !items.complete()) throw corrupt("nonce list");
  return nonces;
}

/** @throws StoreFault `corrupt` when the bytes are not a place */
export function decodePlace(bytes: Uint8Array): TransactionPlace {
  const reader = new ByteReader(bytes);
  const place = { number: reader.u64(), index: reader.u32() };
  if (!reader.complete()) throw corrupt("transaction place");
  return place;
}

/** The RLP list of the nonces of a block, from their encoded items. Source: storage 2 */
export function encodeNonces(items: readonly Uint8Array[]): Uint8Array {
  return wrapRlpList(joinBytes(items));
}

/** The fault for a record that does not decode. */
export function corrupt(what: string): StoreFault {
  return new StoreFault("corrupt", `a ${what} does not decode`);
}
