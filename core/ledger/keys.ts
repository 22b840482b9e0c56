/**
 * Keys of the ledger's records in a group's store. Source: architecture/storage "Keys of the store"
 */
import { byteString, type ByteString } from "../bytes/byte-string.ts";
import { hexDigit } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";

/** Block number to block hash. */
export function numberKey(number: number): ByteString {
  return `n${bigEndian(number)}`;
}

/** Block hash to header record. */
export function headerKey(hash: Hash): ByteString {
  return `h${hashBytes(hash)}`;
}

/** Hash R of the unexecuted header to body. */
export function bodyKey(unexecuted: Hash): ByteString {
  return `b${hashBytes(unexecuted)}`;
}

/** Block hash to receipts. */
export function receiptsKey(hash: Hash): ByteString {
  return `e${hashBytes(hash)}`;
}

/** Transaction hash to its place. */
export function transactionKey(hash: Hash): ByteString {
  return `t${hashBytes(hash)}`;
}

/** Block number to the nonces of the block. */
export function noncesKey(number: number): ByteString {
  return `o${bigEndian(number)}`;
}

/** A record about the store itself. */
export function metaKey(name: string): ByteString {
  return `m${name}`;
}

/** Length of a key that ends in a hash, and of one that ends in a number. */
const HASH_KEY = 33;
const NUMBER_KEY = 9;

/** Whether a key is that of a transaction's place. */
export function isPlaceKey(key: ByteString): boolean {
  return key.length === HASH_KEY && key.startsWith("t");
}

/**
 * Whether a key is that of a record which grows with the chain and is loaded when it is wanted:
 * headers, bodies, receipts, nonces, places of transactions. All else is read with `get`.
 */
export function isBlockRecord(key: ByteString): boolean {
  const kind = key.charAt(0);
  if (key.length === HASH_KEY) return kind === "h" || kind === "b" || kind === "e" || kind === "t";
  return key.length === NUMBER_KEY && kind === "o";
}

const HALF = 0x1_0000_0000;

function bigEndian(number: number): ByteString {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(number / HALF));
  view.setUint32(4, number % HALF);
  return byteString(bytes);
}

/** The 32 bytes of a hash as a byte string, without an array in between for each. */
function hashBytes(hash: Hash): ByteString {
  for (let index = 0; index < PAIRS.length; index++) {
    PAIRS[index] = (hexDigit(hash, 2 * index + 2) << 4) | hexDigit(hash, 2 * index + 3);
  }
  return byteString(PAIRS);
}

/** Scratch of {@link hashBytes}. */
const PAIRS = new Uint8Array(32);
