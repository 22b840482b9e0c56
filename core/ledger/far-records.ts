/**
 * Long records of a ledger: they fit into no cache, so that they are kept as long as somebody works
 * with them and no longer, and are read once for all who ask meanwhile.
 */
import { markStored } from "../bytes/stored-bytes.ts";
import { decodeReceipt, openReceipt, type Receipt } from "../model/receipt.ts";
import type { Version } from "../model/version.ts";
import { corrupt } from "./records.ts";

/** Records from this many bytes on are long. */
export const LONG_RECORD_BYTES: number = 256 * 1024;
/** Long records of which is known whether somebody works with them. */
const MAX_KNOWN = 64;

/** Reads the record of a key, its bytes and what they hold; undefined when there is none. */
type ReadRecord<Key, Found> = (key: Key) => Promise<Found | undefined>;

/** Reads records so that none is in memory twice. */
export function readOnce<Key, Found extends { readonly bytes: Uint8Array }>(
  read: ReadRecord<Key, Found>,
): ReadRecord<Key, Found> {
  const known = new Map<Key, WeakRef<Found>>();
  const reading = new Map<Key, Promise<Found | undefined>>();
  const again = async (key: Key): Promise<Uint8Array> => {
    const found = await get(key);
    // What is on the chain stays.
    return found?.bytes ?? new Uint8Array(0);
  };
  const begin = async (key: Key): Promise<Found | undefined> => {
    const found = await read(key);
    if (!found || found.bytes.length < LONG_RECORD_BYTES) return found;
    markStored(found.bytes, () => again(key));
    known.delete(key);
    known.set(key, new WeakRef(found));
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break;
      known.delete(oldest);
    }
    return found;
  };
  const get: ReadRecord<Key, Found> = async (key) => {
    const kept = known.get(key)?.deref();
    if (kept) return kept;
    const begun = reading.get(key) ?? begin(key).finally(() => reading.delete(key));
    reading.set(key, begun);
    return begun;
  };
  return get;
}

/** The receipt in these bytes. @throws StoreFault `corrupt` when there is none */
export function readReceipt(raw: Uint8Array, version: Version): Receipt {
  const isLong = raw.length >= LONG_RECORD_BYTES;
  const receipt = isLong ? openReceipt(raw, version) : decodeReceipt(raw, version);
  if (receipt === undefined) throw corrupt("receipt");
  return receipt;
}
