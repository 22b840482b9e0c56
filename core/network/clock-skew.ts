/**
 * What heartbeats say: the round trip, and how far the peer's wall clock is from the own one. Two
 * nodes that both announce {@link FEATURE_CLOCK} put the time into their answers; others do not,
 * and nothing is measured with them.
 */
import { ByteReader, ByteWriter } from "../bytes/cursor.ts";

/** Bit of a hello's features: answers to heartbeats carry the wall clock. */
export const FEATURE_CLOCK = 2;
/** A clock that differs by more is warned about. */
export const CLOCK_WARN_MS = 30_000;
/** Bytes of a heartbeat, and of an answer without a time. */
export const PING_BYTES = 8;
const TIMED_PONG_BYTES = 2 * PING_BYTES;
const MICROSECONDS = 1_000;
const MS_PER_SECOND = 1_000;

/** A heartbeat: the sender's steady time, which only the sender reads. */
export function encodePing(steadyMs: number): Uint8Array {
  return new ByteWriter(PING_BYTES).u64(Math.round(steadyMs * MICROSECONDS)).finish();
}

/** The answer to a heartbeat; with the wall clock when the sender wants it. */
export function encodePong(ping: Uint8Array, wallMs: number | undefined): Uint8Array {
  const writer = new ByteWriter(TIMED_PONG_BYTES).bytes(ping);
  return (wallMs === undefined ? writer : writer.u64(wallMs)).finish();
}

/** An answer to an own heartbeat. */
export interface Pong {
  /** Own steady time at which the heartbeat left. */
  readonly sentAt: number;
  /** The peer's wall clock. */
  readonly wallMs: number | undefined;
}

/** Reads an answer; undefined when it has another form. */
export function decodePong(payload: Uint8Array): Pong | undefined {
  const reader = new ByteReader(payload);
  const sentAt = reader.u64() / MICROSECONDS;
  const wallMs = payload.length === TIMED_PONG_BYTES ? reader.u64() : undefined;
  return reader.complete() ? { sentAt, wallMs } : undefined;
}

/** Heartbeats without an answer that are remembered: a slow peer answers late. */
const REMEMBERED_PINGS = 8;

/** The heartbeats of one session that wait for their answers. */
export class Heartbeats {
  readonly #unanswered: number[] = [];

  /** The next heartbeat. */
  ping(steadyMs: number): Uint8Array {
    this.#unanswered.push(Math.round(steadyMs * MICROSECONDS));
    if (this.#unanswered.length > REMEMBERED_PINGS) this.#unanswered.shift();
    return encodePing(steadyMs);
  }

  /** Whether an answer was asked for; each is once, and in the order of the heartbeats. */
  answers({ sentAt }: Pong): boolean {
    const at = this.#unanswered.indexOf(Math.round(sentAt * MICROSECONDS));
    this.#unanswered.splice(0, at + 1);
    return at >= 0;
  }
}

/** How far a peer's clock is ahead; the answer is taken to have left half a round trip ago. */
export function clockSkewMs(own: { nowMs: number; rttMs: number }, peerMs: number): number {
  return Math.round(peerMs - (own.nowMs - own.rttMs / 2));
}

/** What is to be reported when a clock was measured. */
export type SkewNews = "differs" | "agrees" | undefined;

/** News of one peer's clock, once for each change. */
export function skewNews(beforeMs: number | undefined, nowMs: number): SkewNews {
  const was = beforeMs !== undefined && Math.abs(beforeMs) > CLOCK_WARN_MS;
  const is = Math.abs(nowMs) > CLOCK_WARN_MS;
  if (was === is) return undefined;
  return is ? "differs" : "agrees";
}

/** What is reported of a clock that is far from the own one; undefined when it is not. */
export function skewText(skewMs: number): string | undefined {
  if (Math.abs(skewMs) <= CLOCK_WARN_MS) return undefined;
  const seconds = Math.abs(Math.round(skewMs / MS_PER_SECOND));
  return `its clock is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} ours: set both by NTP`;
}
