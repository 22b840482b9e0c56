/** CRC-32 of the entries of a database, by the platform where it is worth its call. */
import { crc32 } from "node:zlib";
import { EMPTY_BYTES } from "../../../core/bytes/bytes.ts";
import { computedChecksum } from "../../shared/checksums/crc32.ts";
import type { EntryChecksum } from "../../shared/checksums/sealed-value.ts";

/** Of a shorter value it is computed sooner than the platform is asked. */
const WORTH_BYTES = 64;

/** Of a key and its value. */
export const entryChecksum: EntryChecksum = (key, value, before) => {
  if (value.length < WORTH_BYTES) return computedChecksum(key, value, before);
  return crc32(value, before ?? computedChecksum(key, EMPTY_BYTES));
};
