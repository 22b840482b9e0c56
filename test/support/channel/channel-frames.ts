/**
 * Frames as an SDK of another make builds and splits them, from the layout of the specification
 * alone. Source: channel-protocol 3, 4
 */
import { randomUUID } from "node:crypto";

/** Message types. Source: channel-protocol 4 */
export const TYPE = {
  rpc: 0x0012,
  heartbeat: 0x0013,
  handshake: 0x0014,
  register: 0x0015,
  unregister: 0x0016,
  amopRequest: 0x0030,
  amopResponse: 0x0031,
  topics: 0x0032,
  multicast: 0x0035,
  verifyTopic: 0x0037,
  topicStatus: 0x0038,
  receiptPush: 0x1000,
  blockPush: 0x1001,
  eventPush: 0x1002,
} as const;

/** Bytes before the data. */
export const HEAD_BYTES = 42;
const SEQ_BYTES = 32;
const TYPE_AT = 4;
const SEQ_AT = 6;
const RESULT_AT = 38;

/** The seq of pushes that belong to no request. Source: channel-protocol 4 */
export const PUSH_SEQ = "0".repeat(SEQ_BYTES);

/** A frame. */
export interface WireFrame {
  readonly type: number;
  /** The 32 bytes, one character each. */
  readonly seq: string;
  readonly result: number;
  readonly data: Buffer;
}

/** What is sent: text or bytes. */
export type Payload = string | Uint8Array;

/** A seq as all SDKs make them. */
export function newSeq(): string {
  return randomUUID().replaceAll("-", "");
}

/** The bytes of a payload. */
export function payloadBytes(payload: Payload): Buffer {
  return typeof payload === "string" ? Buffer.from(payload, "utf8") : Buffer.from(payload);
}

/** The bytes of a frame. */
export function frameBytes(type: number, payload: Payload, seq: string, result = 0): Buffer {
  const data = payloadBytes(payload);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(HEAD_BYTES + data.length, 0);
  head.writeUInt16BE(type, TYPE_AT);
  head.write(seq, SEQ_AT, SEQ_BYTES, "latin1");
  head.writeInt32BE(result, RESULT_AT);
  return Buffer.concat([head, data]);
}

/** The first frame of some bytes; undefined while it is not complete. */
export function firstFrame(bytes: Buffer): WireFrame | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const length = bytes.readUInt32BE(0);
  if (bytes.length < length) return undefined;
  return {
    type: bytes.readUInt16BE(TYPE_AT),
    seq: bytes.toString("latin1", SEQ_AT, RESULT_AT),
    result: bytes.readInt32BE(RESULT_AT),
    data: Buffer.from(bytes.subarray(HEAD_BYTES, length)),
  };
}

/** Data with a topic before its content: the number of topic bytes plus one, topic, content. */
export function topicData(topic: string, content: Payload): Buffer {
  const name = Buffer.from(topic, "utf8");
  return Buffer.concat([Buffer.of(name.length + 1), name, payloadBytes(content)]);
}

/** Topic and content of such data. */
export function readTopicData(data: Buffer): { readonly topic: string; readonly content: Buffer } {
  const end = data[0] ?? 0;
  return { topic: data.toString("utf8", 1, end), content: data.subarray(end) };
}
