/** The parts of a message: header, cutting and putting together again. Source: node-network 3, 8 */
import { concatBytes } from "../bytes/bytes.ts";
import { ByteReader, type ByteWriter } from "../bytes/cursor.ts";
import type { GroupId } from "../bytes/ids.ts";
import { CLASS_LIMITS, CLASSES, classOf, type NetworkClass, perClass } from "./classes.ts";
import { FRAME, PART_BYTES } from "./frame.ts";

/** Class, flags, group, sequence number, length of the whole message. */
export const PART_HEADER_BYTES = 16;
const FIRST = 1;
const COMPRESSED = 2;
const MAX_GROUP = 0xffff;

/** A message as it goes over the wire. */
export interface WireMessage {
  readonly kind: NetworkClass;
  readonly groupId: GroupId;
  readonly compressed: boolean;
  readonly bytes: Uint8Array;
}

/** Why a part is dropped. */
export type PartFault = "malformed" | "oversize" | "replayed";

/** What a part came to. */
export type PartOutcome =
  | { readonly type: "partial" }
  | { readonly type: "message"; readonly message: WireMessage }
  | { readonly type: "rejected"; readonly reason: PartFault };

/** A message on its way out, with how far it has gone. */
export interface Outgoing extends WireMessage {
  readonly sequence: number;
  sent: number;
}

/** Whether a message can be carried at all. */
export function isCarried(kind: NetworkClass, groupId: GroupId, length: number): boolean {
  const isGroup = Number.isInteger(groupId) && groupId >= 0 && groupId <= MAX_GROUP;
  return isGroup && length <= CLASS_LIMITS[kind].messageBytes;
}

/** Appends the next part of a message as a frame; true when it was the last. */
export function writePart(writer: ByteWriter, message: Outgoing): boolean {
  const { kind, groupId, compressed, bytes, sequence, sent } = message;
  const body = bytes.subarray(sent, sent + PART_BYTES);
  const flags = (sent === 0 ? FIRST : 0) | (compressed ? COMPRESSED : 0);
  writer.u32(body.length + PART_HEADER_BYTES + 1).u8(FRAME.part);
  writer.u8(CLASSES.indexOf(kind)).u8(flags).u16(groupId).u64(sequence).u32(bytes.length);
  writer.bytes(body);
  message.sent += body.length;
  return message.sent >= bytes.length;
}

interface PartHeader {
  readonly kind: NetworkClass;
  readonly first: boolean;
  readonly compressed: boolean;
  readonly groupId: GroupId;
  readonly sequence: number;
  readonly total: number;
}

/** A message that has begun to arrive. */
interface Assembly extends PartHeader {
  readonly parts: Uint8Array[];
  received: number;
}

interface ClassState {
  /** Sequence number of the last message that began. */
  last: number;
  open: Assembly | undefined;
}

function readHeader(reader: ByteReader): PartHeader | undefined {
  const kind = classOf(reader.u8());
  const flags = reader.u8();
  const groupId = reader.u16();
  const sequence = reader.u64();
  const total = reader.u32();
  if (reader.failed || !kind || (flags & ~(FIRST | COMPRESSED)) !== 0) return undefined;
  const first = (flags & FIRST) !== 0;
  return { kind, first, compressed: (flags & COMPRESSED) !== 0, groupId, sequence, total };
}

const rejected = (reason: PartFault): PartOutcome => ({ type: "rejected", reason });

/**
 * Puts the messages of one session together. Memory is what has arrived: a length that is only
 * claimed reserves nothing. Parts are as long as {@link writePart} makes them, so that a message
 * has few: small ones would cost many times what they carry.
 */
export class PartAssembler {
  readonly #classes = perClass((): ClassState => ({ last: 0, open: undefined }));

  /** Takes the payload of a part frame; bodies are copied. */
  accept(payload: Uint8Array): PartOutcome {
    const reader = new ByteReader(payload);
    const header = readHeader(reader);
    if (!header) return rejected("malformed");
    const state = this.#classes[header.kind];
    const fault = header.first ? begin(state, header) : continues(state, header);
    if (fault) return rejected(fault);
    const { open } = state;
    const body = reader.rest().slice();
    if (!open || body.length !== Math.min(PART_BYTES, open.total - open.received)) {
      state.open = undefined;
      return rejected("malformed");
    }
    open.parts.push(body);
    open.received += body.length;
    if (open.received < open.total) return { type: "partial" };
    state.open = undefined;
    const { groupId, compressed, parts } = open;
    const bytes = parts.length === 1 ? body : concatBytes(...parts);
    return { type: "message", message: { kind: header.kind, groupId, compressed, bytes } };
  }
}

function begin(state: ClassState, header: PartHeader): PartFault | undefined {
  if (header.sequence <= state.last) return "replayed";
  state.last = header.sequence;
  const wasOpen = state.open !== undefined;
  state.open = undefined;
  if (header.total > CLASS_LIMITS[header.kind].messageBytes) return "oversize";
  // A sender ends a message before it begins the next of the class.
  if (wasOpen) return "malformed";
  state.open = { ...header, parts: [], received: 0 };
  return undefined;
}

function continues({ open }: ClassState, header: PartHeader): PartFault | undefined {
  const isNext =
    open?.sequence === header.sequence &&
    open.total === header.total &&
    open.groupId === header.groupId &&
    open.compressed === header.compressed;
  return isNext ? undefined : "malformed";
}
