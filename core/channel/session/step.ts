/**
 * The protocol of one connection: handshake, heartbeat, topics, requests, pushes, idle limit. One
 * entry point in, effects out, in order; the state is changed in place (see `SessionState`).
 * Source: channel-protocol 3.1, 4, 5, 6.1, 7.1, 7.2
 */
import { EMPTY_BYTES } from "../../bytes/bytes.ts";
import { bytesOf, utf8Bytes, utf8Text } from "../../bytes/byte-string.ts";
import { unreachable } from "../../fault/invariant.ts";
import { oversizeText } from "../../rpc/dispatch.ts";
import { isObject, type Json, parseJson } from "../../rpc/json.ts";
import type { ChannelVersion } from "../session-handle.ts";
import {
  dataBytesOf,
  type Frame,
  fitsTopic,
  type LongData,
  MESSAGE_TYPE,
  PUSH_SEQ,
  withTopic,
} from "../frame.ts";
import {
  BYTES_BESIDE_REQUEST,
  bytesOfTopics,
  type CloseReason,
  IDLE_LIMIT_MS,
  MAX_HANDSHAKE_BYTES,
  MAX_REQUEST_BYTES,
  MAX_TOPIC_LISTS,
  MAX_TOPICS,
  MAX_TOPICS_BYTES,
  type OpenRequest,
  type SessionEffect,
  type SessionInput,
  type SessionState,
} from "./state.ts";

/** What a session needs to know of its node. */
export interface SessionFacts {
  /** The compatibility version as getClientVersion says it. */
  readonly nodeVersion: string;
}

type Effects = readonly SessionEffect[];

const NOTHING: Effects = [];

/** Takes one input. @returns what is to be done, in order */
export function step(state: SessionState, input: SessionInput, facts: SessionFacts): Effects {
  if (state.closed) return NOTHING;
  switch (input.type) {
    case "activity":
      state.lastActivityMs = input.now;
      return NOTHING;
    case "frame":
      return state.draining ? NOTHING : onFrame(state, input.frame, facts);
    case "malformed":
      return close(state, "malformed");
    case "grown":
      return onGrown(state, input.request, input.bytes);
    case "answered":
      return onAnswered(state, input);
    case "receipt":
      return onReceipt(state, input.request, input.data);
    case "forgotten":
      return onReceipt(state, input.request, undefined);
    case "block":
      return onBlock(state, input.groupId, input.number);
    case "tick":
      return onTick(state, input.now);
    case "drain":
      state.draining = true;
      return endWhenDrained(state);
    default:
      return unreachable(input);
  }
}

function close(state: SessionState, reason: CloseReason): Effects {
  state.closed = true;
  return [{ type: "close", reason }];
}

function onTick(state: SessionState, now: number): Effects {
  if (now - state.lastActivityMs >= IDLE_LIMIT_MS) return close(state, "idle");
  const { waitingTopics } = state;
  state.topicLists = 0;
  state.waitingTopics = undefined;
  return waitingTopics && !state.draining ? takeTopics(state, waitingTopics) : NOTHING;
}

/** Nothing is unanswered any more, and no receipt is to come. */
function endWhenDrained(state: SessionState): Effects {
  return state.draining && state.requests.size === 0 ? close(state, "drained") : NOTHING;
}

function onFrame(state: SessionState, frame: Frame, facts: SessionFacts): Effects {
  switch (frame.type) {
    case MESSAGE_TYPE.rpc:
      return onRequest(state, frame);
    case MESSAGE_TYPE.heartbeat:
      return onHeartbeat(state, frame);
    case MESSAGE_TYPE.handshake:
      return onHandshake(state, frame, facts);
    case MESSAGE_TYPE.topics:
      return onTopics(state, frame);
    default:
      // A caller that serves other types has had its turn; the rest is ignored.
      // Source: channel-protocol 3.1
      return NOTHING;
  }
}

// --- requests and their receipts

const OVERSIZE = utf8Bytes(oversizeText(MAX_REQUEST_BYTES));

function onRequest(state: SessionState, frame: Frame): Effects {
  const { seq, data, parts = [data] } = frame;
  const dataBytes = dataBytesOf(frame);
  if (dataBytes > MAX_REQUEST_BYTES) return [reply(MESSAGE_TYPE.rpc, seq, OVERSIZE)];
  const bytes = dataBytes + BYTES_BESIDE_REQUEST;
  const request = state.nextRequest++;
  // The frame may be a view into what was read; the seq outlives it.
  const open: OpenRequest = {
    seq: seq.slice(),
    bytes,
    answered: false,
    awaited: 0,
    held: [],
  };
  state.requests.set(request, open);
  state.running++;
  state.runningBytes += bytes;
  return [{ type: "dispatch", request, parts, version: state.version }];
}

function onGrown(state: SessionState, request: number, bytes: number): Effects {
  const open = state.requests.get(request);
  if (!open || open.answered) return NOTHING;
  open.bytes += bytes;
  state.runningBytes += bytes;
  return NOTHING;
}

function onAnswered(
  state: SessionState,
  { request, data, awaited, receipts = [] }: Extract<SessionInput, { type: "answered" }>,
): Effects {
  const open = state.requests.get(request);
  if (!open || open.answered) return NOTHING;
  open.answered = true;
  state.running--;
  state.runningBytes -= open.bytes;
  open.bytes = 0;
  open.awaited += awaited;
  const { held, seq } = open;
  open.held = [];
  if (open.awaited <= 0) state.requests.delete(request);
  return [
    { type: "send", frame: { type: MESSAGE_TYPE.rpc, seq, result: 0, ...dataOf(data) } },
    ...[...held, ...receipts].map((receipt) => receiptPush(seq, receipt)),
    ...endWhenDrained(state),
  ];
}

function dataOf(data: Uint8Array | LongData): Pick<Frame, "data" | "long"> {
  return data instanceof Uint8Array ? { data } : { data: EMPTY_BYTES, long: data };
}

/**
 * A receipt counts once, before or after the answer; it never leaves before it.
 * Source: channel-protocol 6.1
 */
function onReceipt(
  state: SessionState,
  request: number,
  data: Uint8Array | LongData | undefined,
): Effects {
  const open = state.requests.get(request);
  if (!open) return NOTHING;
  open.awaited--;
  if (!open.answered) {
    if (data) open.held.push(data);
    return NOTHING;
  }
  if (open.awaited <= 0) state.requests.delete(request);
  const push = data ? [receiptPush(open.seq, data)] : NOTHING;
  return [...push, ...endWhenDrained(state)];
}

function receiptPush(seq: Uint8Array, data: Uint8Array | LongData): SessionEffect {
  const type = MESSAGE_TYPE.receiptPush;
  return { type: "send", frame: { type, seq, result: 0, ...dataOf(data) } };
}

// --- heartbeat, handshake

const ZERO_DIGIT = 0x30;
const BEAT_OF_VERSION_1 = bytesOf("1");
const BEAT = bytesOf('{"heartBeat":1}\n');

/** Version 1 answers the one byte `0` only. Source: channel-protocol 5.3 */
function onHeartbeat({ version }: SessionState, { seq, data }: Frame): Effects {
  if (version > 1) return [reply(MESSAGE_TYPE.heartbeat, seq, BEAT)];
  if (data.length !== 1 || data[0] !== ZERO_DIGIT) return NOTHING;
  return [reply(MESSAGE_TYPE.heartbeat, seq, BEAT_OF_VERSION_1)];
}

function reply(type: number, seq: Uint8Array, data: Uint8Array, result = 0): SessionEffect {
  return { type: "send", frame: { type, seq: seq.slice(), result, data } };
}

/** The newest version of the protocol here. Source: channel-protocol 5.2 */
const NEWEST: ChannelVersion = 3;
const OLDEST: ChannelVersion = 1;

function onHandshake(state: SessionState, frame: Frame, { nodeVersion }: SessionFacts): Effects {
  const options = readHandshake(frame.data);
  if (!options) return NOTHING;
  const { minimum, maximum } = options;
  if (minimum > NEWEST || maximum < OLDEST) return close(state, "versions");
  state.version = Math.min(maximum, NEWEST) as ChannelVersion;
  const text = JSON.stringify({ nodeVersion, protocol: state.version });
  return [
    ...(options.client === "" ? [] : [{ type: "noted", text: options.client } as const]),
    reply(MESSAGE_TYPE.handshake, frame.seq, utf8Bytes(`${text}\n`), frame.result),
  ];
}

/** Of what a client calls itself, this much is logged. */
const MAX_CLIENT_CHARS = 64;

function readHandshake(data: Uint8Array) {
  const options = readJson(data, MAX_HANDSHAKE_BYTES);
  if (!isObject(options)) return undefined;
  const { minimumSupport = OLDEST, maximumSupport = OLDEST, clientType = "" } = options;
  if (!isCount(minimumSupport) || !isCount(maximumSupport)) return undefined;
  const client = typeof clientType === "string" ? clientType.slice(0, MAX_CLIENT_CHARS) : "";
  return { minimum: minimumSupport, maximum: maximumSupport, client };
}

function isCount(value: Json): value is number {
  return typeof value === "number" && Number.isInteger(value);
}

/** The JSON of a short text; undefined for anything else. */
function readJson(data: Uint8Array, mostBytes: number): Json | undefined {
  return data.length > mostBytes ? undefined : parseJson(utf8Text(data));
}

// --- topics and blocks

/** All peers learn of a change, so that nobody may change at any rate: the last list wins. */
function onTopics(state: SessionState, { data }: Frame): Effects {
  if (data.length > MAX_TOPICS_BYTES) return NOTHING;
  if (++state.topicLists <= MAX_TOPIC_LISTS) return takeTopics(state, data);
  // The frame may be a view into what was read.
  state.waitingTopics = data.slice();
  return NOTHING;
}

/**
 * The list replaces the whole set; what is not such a list changes nothing.
 * Source: channel-protocol 7.1
 */
function takeTopics(state: SessionState, data: Uint8Array): Effects {
  const list = readJson(data, MAX_TOPICS_BYTES);
  if (!Array.isArray(list)) return NOTHING;
  const items: readonly Json[] = list;
  const topics = new Set<string>();
  for (const item of items) {
    if (typeof item !== "string") return NOTHING;
    // A longer topic could never be in a message.
    if (topics.size < MAX_TOPICS && fitsTopic(item)) topics.add(item);
  }
  if (isSameSet(topics, state.topics)) return NOTHING;
  state.topics = topics;
  state.topicBytes = bytesOfTopics(topics);
  return [{ type: "topicsChanged" }];
}

function isSameSet(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  if (left.size !== right.size) return false;
  for (const item of left) if (!right.has(item)) return false;
  return true;
}

/** Source: channel-protocol 7.2 */
function onBlock({ topics, version, draining }: SessionState, groupId: number, number: number) {
  const topic = blockTopic(groupId);
  if (draining || !topics.has(topic)) return NOTHING;
  const data = withTopic(topic, bytesOf(blockText(version, groupId, number)));
  const frame: Frame = { type: MESSAGE_TYPE.blockPush, seq: PUSH_SEQ, result: 0, data };
  return [{ type: "send", frame } as const];
}

/** The topic of a group's blocks. Source: channel-protocol 7.2 */
export function blockTopic(groupId: number): string {
  return `_block_notify_${groupId}`;
}

function blockText(version: ChannelVersion, groupId: number, number: number): string {
  if (version === 1) return `${groupId},${number}`;
  return `{"blockNumber":${number},"groupID":${groupId}}\n`;
}
