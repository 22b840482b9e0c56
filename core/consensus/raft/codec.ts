/** Messages as bytes; the decoder takes nothing but what the encoder gives. Source: raft 2 */
import { idBytes } from "../../bytes/hex.ts";
import { encodeRlp, openRlpList, type RlpInput, type RlpReader } from "../../bytes/rlp.ts";
import { unreachable } from "../../fault/invariant.ts";
import type { Message } from "./message.ts";

/** A larger message is refused before it is read; the largest there is has some 90 bytes. */
export const MAX_MESSAGE_BYTES = 256;
/** Type numbers on the wire. */
const TYPES = [
  "preVote",
  "preVoteReply",
  "vote",
  "voteReply",
  "append",
  "acknowledgement",
] as const;

/** Encodes a message. Source: raft 2 */
export function encodeMessage(message: Message): Uint8Array {
  const { type, term, height, head } = message;
  const place = [TYPES.indexOf(type), term, height, idBytes(head)];
  return encodeRlp([...place, ...contentOf(message)]);
}

function contentOf(message: Message): RlpInput[] {
  switch (message.type) {
    case "preVote":
    case "vote":
      return [message.entryTerm];
    case "preVoteReply":
      return [message.asked, message.granted ? 1 : 0];
    case "voteReply":
      return [message.granted ? 1 : 0];
    case "append":
      return [message.entry === undefined ? [] : [idBytes(message.entry)]];
    case "acknowledgement":
      return [message.stored ? [message.stored.term, idBytes(message.stored.proposal)] : []];
    default:
      return unreachable(message);
  }
}

/** Decodes a message; undefined when the bytes are not one. Source: raft 2 */
export function decodeMessage(bytes: Uint8Array): Message | undefined {
  if (bytes.length > MAX_MESSAGE_BYTES) return undefined;
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const message = readMessage(items);
  return items.complete() ? message : undefined;
}

function readMessage(items: RlpReader): Message | undefined {
  const type = TYPES[items.safe()];
  const place = { term: items.safe(), height: items.safe(), head: items.hash() };
  switch (type) {
    case "preVote":
    case "vote":
      return { type, ...place, entryTerm: items.safe() };
    case "preVoteReply":
      return { type, ...place, asked: items.safe(), granted: readFlag(items) };
    case "voteReply":
      return { type, ...place, granted: readFlag(items) };
    case "append":
      return { type, ...place, entry: items.optional((parts) => parts.hash()) };
    case "acknowledgement":
      return {
        type,
        ...place,
        stored: items.optional((parts) => ({ term: parts.safe(), proposal: parts.hash() })),
      };
    default:
      return undefined;
  }
}

function readFlag(items: RlpReader): boolean {
  const flag = items.safe();
  if (flag > 1) items.fail();
  return flag === 1;
}
