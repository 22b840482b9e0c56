/** Messages as bytes; the decoder takes nothing but what the encoder gives. Source: raft 2 */
import { hashOf, idBytes } from "../../bytes/hex.ts";
import type { Hash } from "../../bytes/ids.ts";
import { encodeRlp, openRlpList, type RlpInput, type RlpReader } from "../../bytes/rlp.ts";
import { unreachable } from "../../fault/invariant.ts";
import type { Message, StoredEntry } from "./message.ts";

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
      return [storedItems(message.stored)];
    default:
      return unreachable(message);
  }
}

function storedItems(stored: StoredEntry | undefined): RlpInput {
  return stored ? [stored.term, idBytes(stored.proposal)] : [];
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
  const place = { term: items.safe(), height: items.safe(), head: readHash(items) };
  switch (type) {
    case "preVote":
    case "vote":
      return { type, ...place, entryTerm: items.safe() };
    case "preVoteReply":
      return { type, ...place, asked: items.safe(), granted: readFlag(items) };
    case "voteReply":
      return { type, ...place, granted: readFlag(items) };
    case "append":
      return { type, ...place, entry: readOptional(items, readHash) };
    case "acknowledgement":
      return { type, ...place, stored: readOptional(items, readStored) };
    default:
      return undefined;
  }
}

function readFlag(items: RlpReader): boolean {
  const flag = items.safe();
  if (flag > 1) items.fail();
  return flag === 1;
}

function readStored(items: RlpReader): StoredEntry {
  return { term: items.safe(), proposal: readHash(items) };
}

/** The next item as a hash. */
export function readHash(items: RlpReader): Hash {
  const bytes = items.fixed(32);
  return hashOf(bytes.length === 32 ? bytes : new Uint8Array(32));
}

/** The next item as a list with one value in it, or an empty one. */
export function readOptional<Value>(
  items: RlpReader,
  read: (parts: RlpReader) => Value,
): Value | undefined {
  const parts = items.list();
  const value = parts.hasNext() ? read(parts) : undefined;
  if (!parts.complete()) items.fail();
  return value;
}
