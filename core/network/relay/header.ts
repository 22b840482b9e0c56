/** What goes with a message to pass on: hops, or receivers. Source: pbft 2 (envelope), 11 */
import { idBytes, nodeIdOf } from "../../bytes/hex.ts";
import type { NodeId } from "../../bytes/ids.ts";
import { encodeRlp, openRlpList, type RlpReader } from "../../bytes/rlp.ts";

/** From this version of the peer protocol on nodes pass on. Source: decision 34 */
export const RELAY_FROM_VERSION = 3;
/** Sealers in a list at most; a longer one is malformed. */
export const MAX_MISSING = 1_024;
/** Low bits of the ttl; the one above says something of proposals that is known here anyway. */
const TTL_MASK = 0x7f;
const MAX_TTL_BYTE = 0xff;
const NODE_ID_BYTES = 64;

/** How a message is passed on. */
export interface RelayHeader {
  /** Hops that are left, this one included; counts only where there is no list. */
  readonly ttl: number;
  /** Sealers that the message has not been sent to; undefined: by ttl. */
  readonly missing: readonly NodeId[] | undefined;
}

/** A message with its header; without one its author sends it to those that it reaches itself. */
export interface OpenedMessage {
  readonly header: RelayHeader | undefined;
  readonly payload: Uint8Array;
}

/** Puts a header before a message. */
export function encodeRelayed({ ttl, missing }: RelayHeader, payload: Uint8Array): Uint8Array {
  return encodeRlp([missing ? [ttl, missing.map(idBytes)] : [ttl], payload]);
}

/** Takes the header off; a message without one begins with a string. Undefined when malformed. */
export function openRelayed(bytes: Uint8Array): OpenedMessage | undefined {
  const first = openRlpList(bytes);
  if (!first?.next() || !first.isList) return { header: undefined, payload: bytes };
  const items = openRlpList(bytes) ?? first;
  const header = readHeader(items.list());
  const payload = items.string();
  return header && items.complete() ? { header, payload } : undefined;
}

function readHeader(items: RlpReader): RelayHeader | undefined {
  const byte = items.safe();
  const list = items.hasNext() ? items.list() : undefined;
  const missing = list && readMissing(list);
  if (list && !missing) return undefined;
  return items.complete() && byte <= MAX_TTL_BYTE ? { ttl: byte & TTL_MASK, missing } : undefined;
}

function readMissing(list: RlpReader): readonly NodeId[] | undefined {
  const names = list.all((item) => item.fixed(NODE_ID_BYTES), MAX_MISSING);
  return list.complete() ? names.map(nodeIdOf) : undefined;
}
