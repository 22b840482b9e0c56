/**
 * Who can be reached through a relay: what a node reports its certified peers about those that have
 * reserved a place with it. Nodes of a national chain have channel keys that no node ID tells.
 * Source: node-network 5
 */
import { byteString, utf8Bytes } from "../bytes/byte-string.ts";
import { ByteReader, ByteWriter } from "../bytes/cursor.ts";
import { idBytes, nodeIdOf } from "../bytes/hex.ts";
import type { NodeId } from "../bytes/ids.ts";

/** Bit of a hello's features: this node relays to members of the chain. */
export const FEATURE_RELAY = 4;
/** Name of the stream protocol by which the list is asked for. */
export const RELAY_LIST_PROTOCOL = "/chain-node/relayed/1";
/** Nodes that one relay carries at most. */
export const MAX_RELAYED = 64;
/** An identity in a channel as text: base58. */
const PEER_ID = /^[1-9A-HJ-NP-Za-km-z]{32,64}$/;
const MAX_PEER_ID_BYTES = 64;
const NODE_ID_BYTES = 64;
/** Longest list on the wire. */
export const MAX_RELAY_LIST_BYTES = 1 + MAX_RELAYED * (NODE_ID_BYTES + MAX_PEER_ID_BYTES + 4);

/** One node that listens at a relay. */
export interface Relayed {
  readonly nodeId: NodeId;
  /** Its identity in the channel, as text. */
  readonly peerId: string;
}

/** Encodes a list; what is beyond the bound is left out. */
export function encodeRelayList(list: readonly Relayed[]): Uint8Array {
  const shown = list.slice(0, MAX_RELAYED);
  const writer = new ByteWriter().u8(shown.length);
  for (const { nodeId, peerId } of shown) {
    writer.bytes(idBytes(nodeId)).sized(utf8Bytes(peerId));
  }
  return writer.finish();
}

/** Decodes a list; undefined when malformed. */
export function decodeRelayList(bytes: Uint8Array): readonly Relayed[] | undefined {
  const reader = new ByteReader(bytes);
  const count = reader.u8();
  if (count > MAX_RELAYED) return undefined;
  const list: Relayed[] = [];
  for (let index = 0; index < count; index++) {
    const key = reader.bytes(NODE_ID_BYTES);
    const peerId = byteString(reader.sized(MAX_PEER_ID_BYTES));
    if (reader.failed || !PEER_ID.test(peerId)) return undefined;
    list.push({ nodeId: nodeIdOf(key), peerId });
  }
  return reader.complete() ? list : undefined;
}
