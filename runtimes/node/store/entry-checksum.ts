/** CRC-32 of the entries of a database, by the platform. */
import { crc32 } from "node:zlib";
import type { EntryChecksum } from "../../shared/checksums/sealed-value.ts";

/** Of a key and its value. An array without bytes may have no address: zlib begins anew then. */
export const entryChecksum: EntryChecksum = (key, value, before) => {
  const start = before ?? crc32(Buffer.from(key, "latin1"));
  return value.length === 0 ? start : crc32(value, start);
};
