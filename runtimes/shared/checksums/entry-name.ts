/**
 * What lies under a key of a group's store, for people.
 * Source: architecture/storage "Keys of the store"
 */
import { bytesOf, textOfByteString } from "../../../core/bytes/byte-string.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import type { StoreKey } from "../../../core/ports/store.ts";
import { SUM_PREFIX, WATERMARK_KEY } from "./store-format.ts";

/** Kinds of records whose keys end in a hash. */
const OF_HASH: Readonly<Record<string, string>> = {
  h: "the header of block",
  b: "the body of proposal",
  e: "the receipts of block",
  t: "the place of transaction",
  p: "the compact form of proposal",
};
/** Kinds of records whose keys end in a number. */
const OF_NUMBER: Readonly<Record<string, string>> = {
  n: "the hash of block",
  o: "the nonces of block",
};
const HASH_KEY = 33;
const NUMBER_KEY = 9;
/** Of a key of a row as much as a line takes. */
const MOST_KEY_BYTES = 64;

/** Names the record, without an article for a sentence that begins with it. */
export function entryName(key: StoreKey): string {
  const kind = key.charAt(0);
  const rest = key.slice(1);
  const [ofHash, ofNumber] = [OF_HASH[kind], OF_NUMBER[kind]];
  if (ofHash && key.length === HASH_KEY) return `${ofHash} 0x${toHex(bytesOf(rest))}`;
  if (ofNumber && key.length === NUMBER_KEY) {
    return `${ofNumber} ${BigInt(`0x${toHex(bytesOf(rest))}`)}`;
  }
  if (kind === "r") return rowName(rest);
  if (kind === "c") return "the record of consensus";
  if (key === WATERMARK_KEY) return "the mark of how far values have checksums";
  if (key.startsWith(SUM_PREFIX)) {
    const table = key.slice(SUM_PREFIX.length + 1);
    return `the sum of the rows of table ${printable(table)}`;
  }
  if (kind === "m") return `the record ${printable(rest)}`;
  return `the record under ${printable(key)}`;
}

function rowName(rest: string): string {
  const end = rest.indexOf("\0");
  if (end < 0) return `the record under ${printable(`r${rest}`)}`;
  return `row ${printable(rest.slice(end + 1))} of table ${printable(rest.slice(0, end))}`;
}

/** Printable text as it is, all else in hex. */
function printable(bytes: string): string {
  const short = bytes.slice(0, MOST_KEY_BYTES);
  const end = short.length < bytes.length ? "..." : "";
  const text = textOfByteString(short);
  return /^[ -~]+$/.test(text) ? `${text}${end}` : `0x${toHex(bytesOf(short))}${end}`;
}
