/** The 2048-bit filter of a receipt's logs. Source: tx-block-codec 4 */
import { idBytes } from "../bytes/hex.ts";
import type { Address, Hash } from "../bytes/ids.ts";
import type { HashFunction } from "./merkle.ts";

/** Size of a filter. Source: tx-block-codec 4 */
export const BLOOM_BYTES = 256;
const BLOOM_BITS = BLOOM_BYTES * 8;
/** Bits set per address or topic. Source: tx-block-codec 4 */
const BITS_PER_ITEM = 3;

/** A filter with nothing in it. Callers must not change it. */
export const EMPTY_BLOOM = new Uint8Array(BLOOM_BYTES);

function addItem(bloom: Uint8Array, item: Uint8Array, hash: HashFunction): void {
  const digest = hash(item);
  for (let i = 0; i < BITS_PER_ITEM; i++) {
    const bit = ((digest[2 * i] ?? 0) * 256 + (digest[2 * i + 1] ?? 0)) % BLOOM_BITS;
    const byte = BLOOM_BYTES - 1 - (bit >> 3);
    bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
  }
}

/** The filter of a receipt's logs: addresses and topics of all entries. Source: tx-block-codec 4 */
export function logsBloom(
  logs: readonly { readonly address: Address; readonly topics: readonly Hash[] }[],
  hash: HashFunction,
): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const { address, topics } of logs) {
    addItem(bloom, idBytes(address), hash);
    for (const topic of topics) addItem(bloom, idBytes(topic), hash);
  }
  return bloom;
}
