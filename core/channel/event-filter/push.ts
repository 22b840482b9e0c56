/**
 * Answers and pushes of the event filters as frames: compact JSON, members ascending, a line feed.
 *
 * Source: channel-protocol 4, 7.3
 */
import { utf8Bytes } from "../../bytes/byte-string.ts";
import { toPrefixedHex } from "../../bytes/hex.ts";
import { quantity } from "../../bytes/quantity.ts";
import type { Json } from "../../rpc/json.ts";
import type { LocatedLog } from "../../rpc/log-filter.ts";
import { type Frame, MESSAGE_TYPE, PUSH_SEQ, withTopic } from "../frame.ts";
import { EVENT_CODE, type EventCode } from "./registration.ts";

/** The answer to a request, which it repeats type and seq of. Source: channel-protocol 7.3 */
export function answerFrame({ type, seq }: Pick<Frame, "type" | "seq">, code: EventCode): Frame {
  return { type, seq, result: 0, data: withTopic("", jsonBytes({ result: code })) };
}

/** A push of log entries. Source: channel-protocol 7.3 */
export function logsFrame(filterId: string, logs: readonly LocatedLog[]): Frame {
  const shown = logs.map(presentPushedLog);
  return pushFrame({ filterID: filterId, logs: shown, result: EVENT_CODE.success });
}

/** The last push of a filter. Source: channel-protocol 7.3 */
export function completedFrame(filterId: string): Frame {
  return pushFrame({ filterID: filterId, logs: null, result: EVENT_CODE.completed });
}

function pushFrame(body: Json): Frame {
  return { type: MESSAGE_TYPE.eventPush, seq: PUSH_SEQ, result: 0, data: jsonBytes(body) };
}

/** The number of the block is decimal here and nowhere else. */
function presentPushedLog(located: LocatedLog): Json {
  const { log, blockHash, blockNumber, transactionHash, transactionIndex, logIndex } = located;
  return {
    address: log.address,
    blockHash,
    blockNumber: String(blockNumber),
    data: toPrefixedHex(log.data),
    logIndex: quantity(logIndex),
    topics: log.topics,
    transactionHash,
    transactionIndex: quantity(transactionIndex),
  };
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
