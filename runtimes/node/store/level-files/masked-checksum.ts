/** The checksum in LevelDB's files: CRC-32C, turned and moved. Source: storage 13 */
import { createCRC32 } from "hash-wasm";

/** The polynomial of Castagnoli, its bits reversed. */
const CASTAGNOLI = 0x82f6_3b78;
/** Keeps the checksum of bytes that hold checksums from being trivial. */
const MASK_DELTA = 0xa282_ead8;
const TURNED_BITS = 15;

/** Checksum of bytes as it stands in a file. */
export type Checksum = (...parts: readonly Uint8Array[]) => number;

/** Makes the checksum; it is not to be used by two callers at once. */
export async function createChecksum(): Promise<Checksum> {
  const hasher = await createCRC32(CASTAGNOLI);
  return (...parts) => {
    hasher.init();
    for (const part of parts) hasher.update(part);
    const digest = hasher.digest("binary");
    const plain = new DataView(digest.buffer, digest.byteOffset).getUint32(0);
    const turned = (plain >>> TURNED_BITS) | (plain << (32 - TURNED_BITS));
    return (turned + MASK_DELTA) >>> 0;
  };
}
