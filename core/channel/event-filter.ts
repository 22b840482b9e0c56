/**
 * Event filters as clients speak of them: what they ask for with 0x15 and 0x16, and the answers and
 * pushes, which are compact JSON with ascending members and a line feed.
 * Source: channel-protocol 4, 7.3
 */
import { utf8Bytes, utf8Text } from "../bytes/byte-string.ts";
import type { GroupId } from "../bytes/ids.ts";
import { isObject, type Json, parseJson } from "../rpc/json.ts";
import { type LocatedLog, type LogFilter, readLogFilter } from "../rpc/log-filter.ts";
import { presentLocatedLog, readBlockText } from "../rpc/subscription.ts";
import { type Frame, MESSAGE_TYPE, PUSH_SEQ, readTopic, withTopic } from "./frame.ts";

/** Codes in the answers and pushes. Source: channel-protocol 7.3 */
export const EVENT_CODE = {
  success: 0,
  completed: 1,
  invalidRequest: -41001,
  groupUnknown: -41002,
  invalidRange: -41003,
  notAllowed: -41006,
} as const;

/** One of {@link EVENT_CODE}. */
export type EventCode = (typeof EVENT_CODE)[keyof typeof EVENT_CODE];

/** A filter as it was asked for. */
export interface Registration {
  /** Chosen by the client. */
  readonly filterId: string;
  readonly groupId: GroupId;
  readonly from: number | "latest";
  readonly to: number | "latest";
  readonly filter: LogFilter;
}

/** Longer data is refused: the largest filter needs less. */
export const MAX_REGISTRATION_BYTES = 512 * 1024;
/** A longer one is refused: it is repeated in every push. */
const MAX_FILTER_ID_CHARS = 256;
const MAX_GROUP_ID = 32_767;
const GROUP_TEXT = /^[0-9]{1,5}$/;

/**
 * Reads the data of 0x15 or 0x16.
 *
 * @returns undefined for what is answered with -41001
 * Source: channel-protocol 7.3
 */
export function readRegistration(data: Uint8Array): Registration | undefined {
  if (data.length > MAX_REGISTRATION_BYTES) return undefined;
  const read = readTopic(data);
  const request = read.ok ? parseJson(utf8Text(read.content)) : undefined;
  if (!isObject(request)) return undefined;
  const { filterID, groupID, fromBlock, toBlock, addresses, topics } = request;
  if (typeof filterID !== "string" || filterID === "") return undefined;
  if (filterID.length > MAX_FILTER_ID_CHARS) return undefined;
  const groupId = readGroup(groupID);
  const from = readBlockText(fromBlock);
  const to = readBlockText(toBlock);
  const filter = readLogFilter(addresses, topics);
  if (groupId === undefined || from === undefined || to === undefined || !filter) return undefined;
  return { filterId: filterID, groupId, from, to, filter };
}

function readGroup(value: Json | undefined): GroupId | undefined {
  const isNumberText = typeof value === "string" && GROUP_TEXT.test(value);
  const id = isNumberText ? Number(value) : value;
  const isId = typeof id === "number" && Number.isInteger(id) && id >= 1 && id <= MAX_GROUP_ID;
  return isId ? id : undefined;
}

/** The answer to a request, which it repeats type and seq of. Source: channel-protocol 7.3 */
export function answerFrame({ type, seq }: Pick<Frame, "type" | "seq">, code: EventCode): Frame {
  return { type, seq, result: 0, data: withTopic("", jsonBytes({ result: code })) };
}

/** A push of log entries. Source: channel-protocol 7.3 */
export function logsFrame(filterId: string, logs: readonly LocatedLog[]): Frame {
  // The number of the block is decimal here and nowhere else.
  const shown = logs.map((it) => presentLocatedLog(it, String(it.blockNumber)));
  return pushFrame({ filterID: filterId, logs: shown, result: EVENT_CODE.success });
}

/** The last push of a filter. Source: channel-protocol 7.3 */
export function completedFrame(filterId: string): Frame {
  return pushFrame({ filterID: filterId, logs: null, result: EVENT_CODE.completed });
}

function pushFrame(body: Json): Frame {
  return { type: MESSAGE_TYPE.eventPush, seq: PUSH_SEQ, result: 0, data: jsonBytes(body) };
}

function jsonBytes(value: Json): Uint8Array {
  return utf8Bytes(`${JSON.stringify(value)}\n`);
}

/** Members, quotes, hashes and digits of a log entry without topics and data. */
const LOG_CHARS = 340;
const TOPIC_CHARS = 69;

/** About how many bytes of a push a log entry takes. */
export function pushedBytes({ log }: LocatedLog): number {
  return LOG_CHARS + log.topics.length * TOPIC_CHARS + 2 * log.data.length;
}
