/** RLP decoded as a whole, for tests that look into encodings or forge them. */
import { RlpReader } from "../../../core/bytes/rlp.ts";

/** A decoded item: a byte string or a list. */
export type RlpItem = Uint8Array | readonly RlpItem[];

/** Deepest nesting that {@link decodeRlp} follows; no codec here needs more than five. */
const MAX_DEPTH = 256;

/** The whole item in the bytes, views of them; undefined when malformed or followed by anything. */
export function decodeRlp(bytes: Uint8Array): RlpItem | undefined {
  const reader = new RlpReader(bytes);
  const item = readItem(reader, bytes, 0);
  return reader.complete() ? item : undefined;
}

function readItem(reader: RlpReader, bytes: Uint8Array, depth: number): RlpItem | undefined {
  if (depth > MAX_DEPTH || !reader.next()) {
    reader.fail();
    return undefined;
  }
  if (!reader.isList) return bytes.subarray(reader.payloadStart, reader.payloadEnd);
  const inner = new RlpReader(bytes, reader.payloadStart, reader.payloadEnd);
  const items: RlpItem[] = [];
  while (inner.hasNext()) {
    const item = readItem(inner, bytes, depth + 1);
    if (item !== undefined) items.push(item);
  }
  if (inner.failed) reader.fail();
  return items;
}
