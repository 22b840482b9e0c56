/** The event filters of a node: the state of {@link step}, its inputs and its effects. */
import type { GroupId } from "../../bytes/ids.ts";
import type { LocatedLog, LogFilter } from "../../rpc/log-filter.ts";
import type { Frame } from "../frame.ts";

/** What a node keeps and sends for event filters at most. */
export const EVENT_BOUNDS = {
  /** More are refused with -41001, as are those beyond the other three. */
  filtersPerSession: 256,
  /** Addresses and topics in all filters of a session. */
  valuesPerSession: 10_000,
  filters: 65_536,
  values: 1_000_000,
  /** More log entries, or more bytes of them, go in several pushes. */
  pushLogs: 10_000,
  pushBytes: 4 * 1024 * 1024,
  /** A client that has so much unread is given no more history. */
  unsentBytes: 1024 * 1024,
  /** Filters whose blocks are read at a time. */
  reads: 4,
} as const;

/** Blocks of one step unless the group says otherwise. Source: channel-protocol 7.3 */
export const BLOCKS_PER_STEP = 3;
/**
 * From the answer to the first push, and between looks at a filter that has to wait: clients
 * install their callback after the answer. Source: channel-protocol 7.3 (client hazards)
 */
export const PAUSE_MS = 100;
/** Between looks at a filter that cannot go on: permission or group gone, or a failed read. */
export const LONG_PAUSE_MS = 1_000;

/** A filter that is registered. Only the step changes it. */
export interface ActiveFilter {
  readonly id: number;
  readonly session: number;
  readonly filterId: string;
  readonly groupId: GroupId;
  readonly filter: LogFilter;
  /** Block that is looked at next. */
  next: number;
  /** Last block; undefined for a filter without end. */
  readonly end: number | undefined;
  /** Steady time before which it is not looked at. */
  notBefore: number;
  /** Whether it was looked at: its answer had left by then. */
  begun: boolean;
}

/** All filters; each is in one of `ready`, `delayed`, `idle`, or its blocks are being read. */
export interface FilterBook {
  readonly filters: Map<number, ActiveFilter>;
  /** Ids of the filters of a session by {@link nameOf}. */
  readonly sessions: Map<number, Map<string, number>>;
  /** To be looked at, in turn. */
  readonly ready: Set<number>;
  /** To be looked at from a time on. */
  readonly delayed: Set<number>;
  /** Nothing left until the group writes a block. */
  readonly idle: Map<GroupId, Set<number>>;
  values: number;
  reads: number;
  lastId: number;
}

/** No filter. */
export function emptyBook(): FilterBook {
  return {
    filters: new Map(),
    sessions: new Map(),
    ready: new Set(),
    delayed: new Set(),
    idle: new Map(),
    values: 0,
    reads: 0,
    lastId: 0,
  };
}

/** What distinguishes the filters of a session. Source: channel-protocol 7.3 (unregister) */
export function nameOf(groupId: GroupId, filterId: string): string {
  return `${groupId} ${filterId}`;
}

/** What the step sees of the node, as it is at the moment. */
export interface EventSight {
  /** Steady milliseconds. */
  readonly now: number;
  /** Height of a group; undefined when it does not run here. */
  head(groupId: GroupId): number | undefined;
  mayAccess(session: number, groupId: GroupId): boolean;
  /** Bytes that the session has not yet taken. */
  unsentBytes(session: number): number;
  /** `[event_filter] max_block_range`; 0 is unlimited. */
  maxBlockRange(groupId: GroupId): number;
  /** `[event_filter] max_block_per_process`. */
  blocksPerStep(groupId: GroupId): number;
}

/** What happened. */
export type EventInput =
  | { readonly type: "request"; readonly session: number; readonly frame: Frame }
  | { readonly type: "sessionClosed"; readonly session: number }
  | { readonly type: "blockWritten"; readonly groupId: GroupId }
  | { readonly type: "wake" }
  /** The blocks of an effect `read`, as far as they match. */
  | {
      readonly type: "read";
      readonly id: number;
      readonly to: number;
      readonly logs: readonly LocatedLog[];
    }
  | { readonly type: "readFailed"; readonly id: number };

/** What is to be done, in this order. */
export type EventEffect =
  | { readonly type: "send"; readonly session: number; readonly frame: Frame }
  /** Answered by the input `read` or `readFailed`. */
  | {
      readonly type: "read";
      readonly id: number;
      readonly groupId: GroupId;
      readonly from: number;
      readonly to: number;
      readonly filter: LogFilter;
    }
  /** The input `wake` is wanted after so many milliseconds; the last one counts. */
  | { readonly type: "wakeAfter"; readonly ms: number };
