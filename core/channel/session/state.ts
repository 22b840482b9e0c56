/** What one connection of a client is: its state, what happens to it, what is to be done. */
import type { ChannelVersion } from "../session-handle.ts";
import type { Frame, FrameFailure, LongData } from "../frame.ts";

/**
 * Neither a byte read nor a frame written for so long ends a session.
 * Source: channel-protocol 2.1, 11
 */
export const IDLE_LIMIT_MS = 60_000;
/** Topics of a session; further ones are left out. */
export const MAX_TOPICS = 1_024;
/** A longer list of topics is ignored: this many of the longest need less. */
export const MAX_TOPICS_BYTES = MAX_TOPICS * 260;
/** Lists of topics taken between two ticks; of further ones the last waits for the next. */
export const MAX_TOPIC_LISTS = 8;
/** A longer handshake is ignored: it holds two numbers and a name. */
export const MAX_HANDSHAKE_BYTES = 4_096;
/** What a topic of a session takes in memory besides its text: it is kept in several tables. */
const BYTES_BESIDE_TOPIC = 256;
/**
 * A longer text of requests is refused, unread: as at the RPC port, whose bound is that of a
 * transaction. Nodes could not carry a longer one to each other. Source: tx-block-codec 2.4
 */
export const MAX_REQUEST_BYTES: number = 64 * 1024 * 1024;
/** Requests of a session that may be worked on at once; more wait unread. */
export const MAX_RUNNING = 256;
/** What a request takes in memory besides its text, while it is worked on. */
export const BYTES_BESIDE_REQUEST = 8 * 1024;

/** A request that is not over: unanswered, or with receipts to come. */
export interface OpenRequest {
  readonly seq: Uint8Array;
  /** Bytes of its data, and of its answers so far, while it is worked on. */
  bytes: number;
  answered: boolean;
  /** Receipts that are still to come, as far as is known. */
  awaited: number;
  /** Receipts that came before the answer; they must not leave before it. */
  held: (Uint8Array | LongData)[];
}

/**
 * A session. `step` changes it in place: a busy client has hundreds of open requests, which are not
 * copied for every frame.
 */
export interface SessionState {
  version: ChannelVersion;
  topics: ReadonlySet<string>;
  /** About what the topics take in memory. */
  topicBytes: number;
  /** Lists of topics that came since the last tick, and the one that waits for the next. */
  topicLists: number;
  waitingTopics: Uint8Array | undefined;
  /** When a byte was read or a frame written last, by the steady clock. */
  lastActivityMs: number;
  /** By the number that `dispatch` gave. */
  readonly requests: Map<number, OpenRequest>;
  nextRequest: number;
  /** Unanswered requests, and their bytes. */
  running: number;
  runningBytes: number;
  /** Nothing more is taken or sent but answers to what runs, and the receipts that are awaited. */
  draining: boolean;
  closed: boolean;
}

/** What happens to a session. */
export type SessionInput =
  /** Bytes of whatever kind arrived, or a frame was written. */
  | { readonly type: "activity"; readonly now: number }
  | { readonly type: "frame"; readonly frame: Frame }
  | { readonly type: "malformed"; readonly failure: FrameFailure }
  /** The answers of a batch are longer than they were. */
  | { readonly type: "grown"; readonly request: number; readonly bytes: number }
  /** A request is answered; this many receipts will follow, besides those that are here already. */
  | {
      readonly type: "answered";
      readonly request: number;
      readonly data: Uint8Array | LongData;
      readonly awaited: number;
      readonly receipts?: readonly Uint8Array[];
    }
  /** A receipt of a request, before or after its answer. */
  | { readonly type: "receipt"; readonly request: number; readonly data: Uint8Array | LongData }
  /** A receipt that will never come. */
  | { readonly type: "forgotten"; readonly request: number }
  | { readonly type: "block"; readonly groupId: number; readonly number: number }
  | { readonly type: "tick"; readonly now: number }
  | { readonly type: "drain" };

/** Why a session ends by itself. */
export type CloseReason = "idle" | "malformed" | "versions" | "drained";

/** What is to be done, in order. */
export type SessionEffect =
  | { readonly type: "send"; readonly frame: Frame }
  | {
      readonly type: "dispatch";
      readonly request: number;
      /** The text, of a long one the pieces. */
      readonly parts: readonly Uint8Array[];
      /** In effect when the request arrived. Source: channel-protocol 5.2 */
      readonly version: ChannelVersion;
    }
  | { readonly type: "topicsChanged" }
  | { readonly type: "noted"; readonly text: string }
  | { readonly type: "close"; readonly reason: CloseReason };

/** A session that has just been connected. Source: channel-protocol 3.1 */
export function newSession(now: number): SessionState {
  return {
    version: 1,
    topics: new Set(),
    topicBytes: 0,
    topicLists: 0,
    waitingTopics: undefined,
    lastActivityMs: now,
    requests: new Map(),
    nextRequest: 1,
    running: 0,
    runningBytes: 0,
    draining: false,
    closed: false,
  };
}

/** About what topics take in memory. */
export function bytesOfTopics(topics: ReadonlySet<string>): number {
  let bytes = 0;
  for (const topic of topics) bytes += topic.length + BYTES_BESIDE_TOPIC;
  return bytes;
}
