/** CRC-32 of the entries of a store, where the platform has none. */
import type { EntryChecksum } from "./sealed-value.ts";

const POLYNOMIAL = 0xedb8_8320;

/** The remainder of each byte. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? POLYNOMIAL : 0);
  return rest;
});

/** Of a key and its value; as the one of the platform. */
export const computedChecksum: EntryChecksum = (key, value, before) => {
  let rest = before === undefined ? 0xffff_ffff : before ^ 0xffff_ffff;
  for (let at = 0; before === undefined && at < key.length; at++)
    rest = (rest >>> 8) ^ (TABLE[(rest ^ key.charCodeAt(at)) & 0xff] ?? 0);
  for (let at = 0; at < value.length; at++)
    rest = (rest >>> 8) ^ (TABLE[(rest ^ (value[at] ?? 0)) & 0xff] ?? 0);
  return (rest ^ 0xffff_ffff) >>> 0;
};
