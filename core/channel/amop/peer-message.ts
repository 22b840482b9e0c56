/**
 * What nodes report each other about topics: a version, a type, then the fields.
 * Source: node-network 4, 8
 */
import { isUtf8, utf8Bytes, utf8Text } from "../../bytes/byte-string.ts";
import { ByteReader, ByteWriter } from "../../bytes/cursor.ts";
import { MAX_TOPIC_BYTES, SEQ_BYTES } from "../frame.ts";

/** Messages of another version are ignored: two adjacent versions run together. */
const VERSION = 1;
const TYPE = { topics: 1, topicSeq: 2, ask: 3, request: 4, answer: 5, multicast: 6 } as const;

/** Topics of one node at most; further ones are neither announced nor believed. */
export const MAX_TOPICS = 1_024;
/** Longest data of a client's frame that is carried between nodes. */
export const MAX_CARRIED_BYTES = 16 * 1024 * 1024 - 1_024;

/** A message between nodes. */
export type PeerMessage =
  /** All topics of the sender; the number rises with each change. */
  | { readonly type: "topics"; readonly topicSeq: number; readonly topics: readonly string[] }
  /** The number alone: who knows another one asks. */
  | { readonly type: "topicSeq"; readonly topicSeq: number }
  | { readonly type: "ask" }
  /** A unicast; `id` is chosen by the asking node and repeated in the answer. */
  | {
      readonly type: "request";
      readonly id: number;
      readonly seq: Uint8Array;
      readonly data: Uint8Array;
    }
  | {
      readonly type: "answer";
      readonly id: number;
      readonly result: number;
      readonly data: Uint8Array;
    }
  | { readonly type: "multicast"; readonly seq: Uint8Array; readonly data: Uint8Array };

/** The bytes of a message. Topics must be at most 1,024 of at most 254 bytes. */
export function encodePeerMessage(message: PeerMessage): Uint8Array {
  const writer = new ByteWriter().u8(VERSION).u8(TYPE[message.type]);
  switch (message.type) {
    case "topics":
      writer.u32(message.topicSeq).u16(message.topics.length);
      for (const topic of message.topics) {
        const name = utf8Bytes(topic);
        writer.u8(name.length).bytes(name);
      }
      break;
    case "topicSeq":
      writer.u32(message.topicSeq);
      break;
    case "ask":
      break;
    case "request":
      writer.u32(message.id).bytes(message.seq).bytes(message.data);
      break;
    case "answer":
      writer
        .u32(message.id)
        .u32(message.result >>> 0)
        .bytes(message.data);
      break;
    case "multicast":
      writer.bytes(message.seq).bytes(message.data);
      break;
  }
  return writer.finish();
}

/** A message as it was read, or why there is none. */
export type PeerMessageRead = PeerMessage | "otherVersion" | "malformed";

/** Reads the bytes of a peer; `seq` and `data` are views. */
export function decodePeerMessage(bytes: Uint8Array): PeerMessageRead {
  const reader = new ByteReader(bytes);
  const version = reader.u8();
  const type = reader.u8();
  if (reader.failed) return "malformed";
  if (version !== VERSION) return "otherVersion";
  const message = readFields(type, reader);
  return message !== undefined && reader.complete() ? message : "malformed";
}

function readFields(type: number, reader: ByteReader): PeerMessage | undefined {
  switch (type) {
    case TYPE.topics:
      return readTopics(reader);
    case TYPE.topicSeq:
      return { type: "topicSeq", topicSeq: reader.u32() };
    case TYPE.ask:
      return { type: "ask" };
    case TYPE.request: {
      const id = reader.u32();
      return { type: "request", id, seq: reader.bytes(SEQ_BYTES), data: reader.rest() };
    }
    case TYPE.answer: {
      const id = reader.u32();
      return { type: "answer", id, result: reader.u32() | 0, data: reader.rest() };
    }
    case TYPE.multicast:
      return { type: "multicast", seq: reader.bytes(SEQ_BYTES), data: reader.rest() };
    default:
      return undefined;
  }
}

function readTopics(reader: ByteReader): PeerMessage | undefined {
  const topicSeq = reader.u32();
  const count = reader.u16();
  if (count > MAX_TOPICS) return undefined;
  const topics: string[] = [];
  for (let i = 0; i < count && !reader.failed; i++) {
    const length = reader.u8();
    const name = reader.bytes(length);
    if (length > MAX_TOPIC_BYTES || !isUtf8(name)) return undefined;
    topics.push(utf8Text(name));
  }
  return { type: "topics", topicSeq, topics };
}
