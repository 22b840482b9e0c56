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
  /** More log entries, or more bytes of them, go in several pushes, each when there is room. */
  pushLogs: 10_000,
  pushBytes: 4 * 1024 * 1024,
  /** A client that has so much unread is pushed nothing more until it has read. */
  unsentBytes: 1024 * 1024,
  /** Filters whose blocks are read at a time, of each {@link Distance}; one of a session. */
  reads: 4,
  /** Looks at filters of one step; the rest follows after others had their turn. */
  looks: 1_024,
} as const;

/** Filters fewer blocks below the head do not wait for those that are further back. */
export const NEAR_BLOCKS = 8;
/** How far a filter is from the head. */
export type Distance = "near" | "far";

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
  /** Log entries of that block that were pushed already. */
  skip: number;
  /** Last block; undefined for a filter without end. */
  readonly end: number | undefined;
}

/** The filters of a session. */
export interface SessionFilters {
  /** Ids by {@link nameOf}. */
  readonly names: Map<string, number>;
  /** Addresses and topics in all of them. */
  values: number;
  /** Those to be looked at, in turn. */
  readonly ready: Readonly<Record<Distance, Set<number>>>;
  /** The one whose blocks are being read. */
  readonly reading: Record<Distance, number | undefined>;
}

/** Ids of filters or sessions, and from when on they go on; the first is due first. */
export type Waiting = Map<number, number>;

/**
 * All filters. Each waits for its answer to leave, or is in `soon`, `later`, `idle`, or is ready or
 * read in its session.
 */
export interface FilterBook {
  readonly filters: Map<number, ActiveFilter>;
  readonly sessions: Map<number, SessionFilters>;
  /** Sessions with a filter that is ready, in turn. */
  readonly turns: Readonly<Record<Distance, Set<number>>>;
  /** Filters after their answer. */
  readonly soon: Waiting;
  /** Filters that cannot go on for the moment. */
  readonly later: Waiting;
  /** Sessions that have too much unread. */
  readonly resting: Waiting;
  /** Nothing left until the group writes a block. */
  readonly idle: Map<GroupId, Set<number>>;
  /** By id of the filter: it may have been dropped meanwhile. */
  readonly reads: Map<number, { readonly session: number; readonly distance: Distance }>;
  readonly readsOf: Record<Distance, number>;
  values: number;
  lastId: number;
}

/** No filter. */
export function emptyBook(): FilterBook {
  return {
    filters: new Map(),
    sessions: new Map(),
    turns: { near: new Set(), far: new Set() },
    soon: new Map(),
    later: new Map(),
    resting: new Map(),
    idle: new Map(),
    reads: new Map(),
    readsOf: { near: 0, far: 0 },
    values: 0,
    lastId: 0,
  };
}

/** A session that has no filter yet. */
export function newSessionFilters(): SessionFilters {
  return {
    names: new Map(),
    values: 0,
    ready: { near: new Set(), far: new Set() },
    reading: { near: undefined, far: undefined },
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
  /** The answer to the registration has left. */
  | { readonly type: "answered"; readonly id: number }
  | { readonly type: "sessionClosed"; readonly session: number }
  | { readonly type: "blockWritten"; readonly groupId: GroupId }
  | { readonly type: "wake" }
  /** The blocks of an effect `read`, as far as they match; maybe fewer than asked for. */
  | {
      readonly type: "read";
      readonly id: number;
      readonly to: number;
      readonly logs: readonly LocatedLog[];
    }
  | { readonly type: "readFailed"; readonly id: number };

/** What is to be done, in this order. */
export type EventEffect =
  | {
      readonly type: "send";
      readonly session: number;
      readonly frame: Frame;
      /** The input `answered` is wanted for it when the frame has left. */
      readonly registered?: number;
    }
  /** Answered by the input `read` or `readFailed`. */
  | {
      readonly type: "read";
      readonly id: number;
      readonly session: number;
      readonly groupId: GroupId;
      readonly from: number;
      readonly to: number;
      readonly filter: LogFilter;
    }
  /** The input `wake` is wanted after so many milliseconds; the last one counts. */
  | { readonly type: "wakeAfter"; readonly ms: number };
