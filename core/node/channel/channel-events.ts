/** Registers event filters, and follows blocks for each. Source: channel-protocol 7.3 */
import { describe } from "../../actors/supervise.ts";
import type { GroupId } from "../../bytes/ids.ts";
import type {
  ChannelExtension,
  ChannelSessions,
  SessionHandle,
} from "../../channel/session-handle.ts";
import {
  answerFrame,
  completedFrame,
  EVENT_CODE,
  type EventCode,
  logsFrame,
  pushedBytes,
  readRegistration,
  type Registration,
} from "../../channel/event-filter.ts";
import { type Frame, MESSAGE_TYPE } from "../../channel/frame.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { type LocatedLog, type LogFilter, sizeOfFilter } from "../../rpc/log-filter.ts";
import { YieldTimer, sleep } from "../../limits/yield-timer.ts";
import { FairSemaphore } from "../../limits/fair-semaphore.ts";
import type { NodeApi } from "../../api/node-api.ts";
import {
  BlockCursor,
  type FollowedBlocks,
  followedBlocks,
  NEW_BLOCKS,
  PAUSE_MS,
  UNSENT_BYTES,
} from "../feed/block-cursor.ts";
import { matchingLogs, RecentBlocks } from "../feed/recent-blocks.ts";

/** What the filters work through. */
export interface EventPorts {
  readonly node: Pick<NodeApi, "group">;
  readonly sessions: ChannelSessions;
  readonly clock: Clock;
  readonly log: Log;
}

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
  /** Filters whose blocks are read at a time, near the head and far from it; one of a session. */
  reads: 4,
} as const;

/** Blocks of one step unless the group says otherwise. Source: channel-protocol 7.3 */
const BLOCKS_PER_STEP = 3;
/** Blocks of one step at most, whatever is configured: their log entries are held meanwhile. */
const MOST_BLOCKS_PER_STEP = 1_000;
/**
 * From the answer to the first push: clients install their callback after the answer.
 * Source: channel-protocol 7.3 (client hazards)
 */
const BEGIN_MS = 100;
/** Between examines a filter that cannot go on: permission or group gone, or a failed read. */
const LONG_PAUSE_MS = 1_000;

/** A filter that is registered. */
interface ActiveFilter {
  readonly owner: Owner;
  readonly groupId: GroupId;
  readonly filterId: string;
  readonly filter: LogFilter;
  readonly cursor: BlockCursor;
  /** Log entries of the next block that were pushed already. */
  skip: number;
}

/** A session that has filters. */
interface Owner {
  readonly session: SessionHandle;
  /** By {@link nameOf}. */
  readonly filters: Map<string, ActiveFilter>;
  /** Addresses and topics in all of them. */
  values: number;
  /** Until its client has read what it was sent. */
  rest: Promise<void> | undefined;
  /** Until filters are examined again whose group or permission is gone. */
  longRest: Promise<void> | undefined;
}

/** The event filters of all sessions. A class because it owns them. */
export class ChannelEvents implements ChannelExtension {
  readonly #ports: EventPorts;
  readonly #blocks: RecentBlocks;
  readonly #yieldTimer: YieldTimer;
  /** Of those who wake filters: reading does not wait for it. */
  readonly #waking: YieldTimer;
  /** History holds up nobody who is near the head. */
  readonly #turns = {
    near: new FairSemaphore(EVENT_BOUNDS.reads),
    far: new FairSemaphore(EVENT_BOUNDS.reads),
  };
  readonly #owners = new Map<number, Owner>();
  #count = 0;
  #values = 0;
  #isClosed = false;

  constructor(ports: EventPorts) {
    this.#ports = ports;
    this.#blocks = new RecentBlocks(ports.node, ports.clock);
    this.#yieldTimer = new YieldTimer(ports.clock);
    this.#waking = new YieldTimer(ports.clock);
  }

  /** Filters that are registered, for figures. */
  get count(): number {
    return this.#count;
  }

  /** A frame without data is ignored. Source: channel-protocol 3.1 */
  onFrame(session: SessionHandle, frame: Frame): boolean {
    const { type, data } = frame;
    if (type !== MESSAGE_TYPE.eventRegister && type !== MESSAGE_TYPE.eventUnregister) return false;
    if (this.#isClosed || data.length === 0) return true;
    const request = readRegistration(data);
    const taken = request ? this.#take(session, type, request) : EVENT_CODE.invalidRequest;
    if (typeof taken === "number") session.send(answerFrame(frame, taken));
    else {
      const begin = () => void taken.cursor.begin(BEGIN_MS);
      session.send(answerFrame(frame, EVENT_CODE.success), begin);
    }
    return true;
  }

  onSessionClosed({ id }: SessionHandle): void {
    const owner = this.#owners.get(id);
    for (const active of [...(owner?.filters.values() ?? [])]) this.#drop(active);
    this.#blocks.forget(id);
    for (const turns of Object.values(this.#turns)) turns.forget(id);
  }

  onTopicsChanged(): void {}

  /** A group has one block more: its filters go on, those of many sessions in several turns. */
  async onBlock({ groupId }: { readonly groupId: GroupId }): Promise<void> {
    for (const { filters } of [...this.#owners.values()]) {
      for (const active of filters.values()) {
        if (active.groupId === groupId) void active.cursor.run();
      }
      await this.#waking.pause();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { filters } of this.#owners.values())
      for (const { cursor } of filters.values()) cursor.close();
  }

  /**
   * In the order of the specification. Source: channel-protocol 7.3 (processing order)
   * @returns the filter when one is registered
   */
  #take(session: SessionHandle, type: number, request: Registration): EventCode | ActiveFilter {
    const { groupId, filter } = request;
    const { node, sessions } = this.#ports;
    const group = node.group(groupId);
    if (!group) return EVENT_CODE.groupUnknown;
    if (!sessions.mayAccess(session, groupId)) return EVENT_CODE.notAllowed;
    const replaced = this.#owners.get(session.id)?.filters.get(nameOf(request));
    if (type === MESSAGE_TYPE.eventUnregister) {
      if (replaced) this.#drop(replaced);
      return EVENT_CODE.success;
    }
    const blocks = followedBlocks(group, request);
    if (typeof blocks === "string") return EVENT_CODE.invalidRange;
    // What is refused leaves the filter that it would have replaced.
    if (!this.#hasRoom(session, sizeOfFilter(filter), replaced)) return EVENT_CODE.invalidRequest;
    if (replaced) this.#drop(replaced);
    return this.#add(session, request, blocks);
  }

  /** Whether a filter of the size may be added when another one gives way. */
  #hasRoom({ id }: SessionHandle, size: number, replaced: ActiveFilter | undefined): boolean {
    const own = this.#owners.get(id);
    const freed = replaced ? sizeOfFilter(replaced.filter) : 0;
    const count = replaced ? 1 : 0;
    return (
      (own?.filters.size ?? 0) - count < EVENT_BOUNDS.filtersPerSession &&
      (own?.values ?? 0) - freed + size <= EVENT_BOUNDS.valuesPerSession &&
      this.#count - count < EVENT_BOUNDS.filters &&
      this.#values - freed + size <= EVENT_BOUNDS.values
    );
  }

  #add(session: SessionHandle, request: Registration, blocks: FollowedBlocks): ActiveFilter {
    const { groupId, filterId, filter } = request;
    const { node, clock } = this.#ports;
    const owner = this.#owners.get(session.id) ?? newOwner(session);
    const cursor = new BlockCursor(
      {
        node,
        clock,
        hold: (behind) => this.#hold(active, behind),
        advance: (next, last) => this.#advance(active, next, last),
        completed: () => {
          this.#send(active, completedFrame(filterId));
          this.#drop(active);
        },
        failed: (cause) => {
          this.#complain(groupId, cause);
          void cursor.begin(LONG_PAUSE_MS);
        },
      },
      blocks,
    );
    const active: ActiveFilter = { owner, groupId, filterId, filter, cursor, skip: 0 };
    this.#owners.set(session.id, owner);
    owner.filters.set(nameOf(request), active);
    this.#count += 1;
    owner.values += sizeOfFilter(filter);
    this.#values += sizeOfFilter(filter);
    return active;
  }

  #drop(active: ActiveFilter): void {
    const { owner, filter, cursor } = active;
    cursor.close();
    for (const turns of Object.values(this.#turns)) turns.withdraw(owner.session.id, active);
    if (!owner.filters.delete(nameOf(active))) return;
    this.#count -= 1;
    owner.values -= sizeOfFilter(filter);
    this.#values -= sizeOfFilter(filter);
    if (owner.filters.size === 0) this.#owners.delete(owner.session.id);
  }

  #mayAccess({ owner: { session }, groupId }: ActiveFilter): boolean {
    return this.#ports.sessions.mayAccess(session, groupId);
  }

  #hold(active: ActiveFilter, behind: number | undefined): Promise<void> | undefined {
    const { owner } = active;
    if (behind === undefined || !this.#mayAccess(active)) {
      owner.longRest ??= this.#restLong(owner);
      return owner.longRest;
    }
    if (owner.session.unsentBytes > UNSENT_BYTES) owner.rest ??= this.#untilRead(owner);
    return owner.rest;
  }

  /** Filters of a session that cannot go on are examined together. */
  async #restLong(owner: Owner): Promise<void> {
    await sleep(this.#ports.clock, LONG_PAUSE_MS);
    await this.#waking.pause();
    owner.longRest = undefined;
  }

  /** All filters of a session wait together until its client has read. */
  async #untilRead(owner: Owner): Promise<void> {
    do await sleep(this.#ports.clock, PAUSE_MS);
    while (this.#isUnread(owner));
    owner.rest = undefined;
  }

  /** Of a session that has ended nothing is read any more: its filters are gone. */
  #isUnread({ filters, session }: Owner): boolean {
    return !this.#isClosed && filters.size > 0 && session.unsentBytes > UNSENT_BYTES;
  }

  /** A step, when it is the turn of the session. */
  async #advance(active: ActiveFilter, next: number, last: number): Promise<number> {
    const { owner, groupId, cursor } = active;
    const { session } = owner;
    const group = this.#ports.node.group(groupId);
    const behind = (group?.ledger.head().number ?? last) - next;
    const turns = behind < NEW_BLOCKS ? this.#turns.near : this.#turns.far;
    if (!(await turns.take(session.id, active))) return next;
    try {
      // Others of the session may have had theirs before it.
      const mustRead = session.unsentBytes > UNSENT_BYTES;
      if (cursor.isClosed || mustRead || !this.#mayAccess(active)) return next;
      const asked = group?.eventLimits?.maxBlocksPerProcess ?? BLOCKS_PER_STEP;
      const count = Math.min(asked, MOST_BLOCKS_PER_STEP, last - next + 1);
      const { logs, end } = await this.#read(active, next, next + count);
      await this.#yieldTimer.pause();
      return cursor.isClosed ? next : this.#push(active, logs, { next, end });
    } finally {
      turns.give(session.id);
    }
  }

  /**
   * Ends early when there is enough for a push, or the filter is gone.
   * @param end the block after the last one
   */
  async #read({ owner, groupId, filter, cursor }: ActiveFilter, from: number, end: number) {
    const logs: LocatedLog[] = [];
    let bytes = 0;
    let next = from;
    while (next < end && bytes <= EVENT_BOUNDS.pushBytes && !cursor.isClosed) {
      const block = await this.#blocks.get(groupId, next, owner.session.id);
      for (const located of matchingLogs(block, filter)) {
        logs.push(located);
        bytes += pushedBytes(located);
      }
      next += 1;
    }
    return { logs, end: next };
  }

  /**
   * Pushes what fits.
   * @returns the block to go on with: what did not fit is read again when the client has read
   */
  #push(
    active: ActiveFilter,
    logs: readonly LocatedLog[],
    { next, end }: { readonly next: number; readonly end: number },
  ): number {
    const { filterId, skip } = active;
    // The blocks are read again when the client may have them.
    if (!this.#mayAccess(active)) return next;
    const left = logs.slice(skip);
    const pushed = left.slice(0, countOfPush(left));
    if (pushed.length > 0) this.#send(active, logsFrame(filterId, pushed));
    const block = left[pushed.length]?.blockNumber;
    const before = block === next ? skip : 0;
    const ofBlock = pushed.filter(({ blockNumber }) => blockNumber === block);
    active.skip = block === undefined ? 0 : before + ofBlock.length;
    return block ?? end;
  }

  /** A push that fails is not taken for a failure to read: it is not repeated. */
  #send({ owner, groupId }: ActiveFilter, frame: Frame): void {
    try {
      owner.session.send(frame);
    } catch (cause) {
      this.#complain(groupId, cause);
    }
  }

  #complain(group: GroupId, cause: unknown): void {
    const fields = { group, cause: describe(cause) };
    this.#ports.log.write("warning", "blocks of an event filter cannot be read", fields);
  }
}

function newOwner(session: SessionHandle): Owner {
  return { session, filters: new Map(), values: 0, rest: undefined, longRest: undefined };
}

/** What distinguishes the filters of a session. Source: channel-protocol 7.3 (unregister) */
function nameOf({ groupId, filterId }: Pick<ActiveFilter, "groupId" | "filterId">): string {
  return `${groupId} ${filterId}`;
}

/** How many of the log entries one push takes: at least one. */
function countOfPush(logs: readonly LocatedLog[]): number {
  let bytes = 0;
  for (const [count, log] of logs.entries()) {
    bytes += pushedBytes(log);
    if (count >= EVENT_BOUNDS.pushLogs) return count;
    if (count > 0 && bytes > EVENT_BOUNDS.pushBytes) return count;
  }
  return logs.length;
}
