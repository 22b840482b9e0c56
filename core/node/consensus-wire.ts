/**
 * Messages of class `consensus` on the wire: the protocol's message, and behind a prepare the
 * proposal's outline.
 */
import { encodeRlp, openRlpList } from "../bytes/rlp.ts";
import type { PbftCodec } from "../consensus/pbft/codec.ts";
import type { Message } from "../consensus/pbft/message.ts";
import { decodeOutline, encodeOutline, type ProposalOutline } from "../sync/block-exchange.ts";

/** A larger message is refused unread: a justification and a thousand hashes are far smaller. */
export const CONSENSUS_MESSAGE_LIMIT = 8 * 1024 * 1024;

/** A decoded message. */
export interface ConsensusMessage {
  readonly message: Message;
  readonly outline: ProposalOutline | undefined;
}

/** Encodes a message; a prepare goes with its outline. */
export function encodeConsensusMessage(
  { message, outline }: ConsensusMessage,
  codec: PbftCodec,
): Uint8Array {
  const encoded = codec.encode(message);
  return encodeRlp(outline ? [encoded, { rlp: encodeOutline(outline) }] : [encoded]);
}

/** Decodes a message; undefined when malformed, or when a prepare has no outline. */
export function decodeConsensusMessage(
  bytes: Uint8Array,
  codec: PbftCodec,
): ConsensusMessage | undefined {
  if (bytes.length > CONSENSUS_MESSAGE_LIMIT) return undefined;
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const encoded = items.string();
  const outline = items.hasNext() ? decodeOutline(items.raw()) : undefined;
  if (!items.complete()) return undefined;
  const message = codec.decode(encoded);
  if (!message) return undefined;
  const isWhole = (message.type === "prepare") === (outline !== undefined);
  return isWhole ? { message, outline } : undefined;
}
