/**
 * The event filters of a node as a step: registrations, blocks and time in, answers, reads and
 * pushes out. The book is changed in place: a copy for each block would cost more than the filters.
 *
 * Source: channel-protocol 7.3
 */
import { type LocatedLog, sizeOfFilter } from "../../rpc/log-filter.ts";
import { type Frame, MESSAGE_TYPE } from "../frame.ts";
import {
  add,
  beginRead,
  DISTANCES,
  drop,
  due,
  endRead,
  hasRoom,
  line,
  makeIdle,
  makeReady,
  nextDue,
  takeReady,
  wakeIdle,
} from "./book.ts";
import { answerFrame, completedFrame, logsFrame, pushedBytes } from "./push.ts";
import { EVENT_CODE, type EventCode, type Registration, readRegistration } from "./registration.ts";
import {
  type ActiveFilter,
  type Distance,
  EVENT_BOUNDS,
  type EventEffect,
  type EventInput,
  type EventSight,
  type FilterBook,
  LONG_PAUSE_MS,
  nameOf,
  NEAR_BLOCKS,
  PAUSE_MS,
} from "./state.ts";

/** One step: what it sees and what is to be done. */
interface Turn {
  readonly book: FilterBook;
  readonly sight: EventSight;
  readonly effects: EventEffect[];
}

/** Takes one input. @returns what is to be done, in order */
export function step(
  book: FilterBook,
  sight: EventSight,
  input: EventInput,
): readonly EventEffect[] {
  const turn: Turn = { book, sight, effects: [] };
  switch (input.type) {
    case "request":
      onRequest(turn, input.session, input.frame);
      break;
    case "answered":
      if (book.filters.has(input.id)) book.soon.set(input.id, sight.now + PAUSE_MS);
      break;
    case "sessionClosed":
      for (const id of [...(book.sessions.get(input.session)?.names.values() ?? [])]) {
        drop(book, id);
      }
      break;
    case "blockWritten":
      wakeIdle(book, input.groupId);
      break;
    case "wake":
      break;
    case "read":
      onRead(turn, input);
      break;
    case "readFailed":
      onReadFailed(turn, input.id);
      break;
  }
  resume(turn);
  const isDone = lookAtReady(turn);
  const next = isDone ? nextDue(book) : sight.now;
  if (next !== undefined) {
    turn.effects.push({ type: "wakeAfter", ms: Math.max(0, next - sight.now) });
  }
  return turn.effects;
}

/** A frame without data is ignored. Source: channel-protocol 3.1 */
function onRequest(turn: Turn, session: number, frame: Frame): void {
  if (frame.data.length === 0) return;
  const request = readRegistration(frame.data);
  const { lastId } = turn.book;
  const code = request ? codeFor(turn, session, frame.type, request) : EVENT_CODE.invalidRequest;
  const effect = { type: "send", session, frame: answerFrame(frame, code) } as const;
  const registered = turn.book.lastId;
  turn.effects.push(registered === lastId ? effect : { ...effect, registered });
}

/** In the order of the specification. Source: channel-protocol 7.3 (processing order) */
function codeFor(turn: Turn, session: number, type: number, request: Registration): EventCode {
  const { book, sight } = turn;
  const { groupId, filterId, filter } = request;
  const head = sight.head(groupId);
  if (head === undefined) return EVENT_CODE.groupUnknown;
  if (!sight.mayAccess(session, groupId)) return EVENT_CODE.notAllowed;
  const known = book.sessions.get(session)?.names.get(nameOf(groupId, filterId));
  if (type === MESSAGE_TYPE.eventUnregister) {
    if (known !== undefined) drop(book, known);
    return EVENT_CODE.success;
  }
  const start = request.from === "latest" ? head : request.from;
  const end = request.to === "latest" ? undefined : request.to;
  if (end !== undefined && end < start) return EVENT_CODE.invalidRange;
  const range = sight.maxBlockRange(groupId);
  if (range > 0 && head - start + 1 > range) return EVENT_CODE.invalidRange;
  const replaced = known === undefined ? undefined : book.filters.get(known);
  const size = sizeOfFilter(filter);
  // What is refused leaves the filter that it would have replaced.
  if (!hasRoom(book, session, size, replaced)) return EVENT_CODE.invalidRequest;
  if (known !== undefined) drop(book, known);
  book.lastId += 1;
  add(book, { id: book.lastId, session, filterId, groupId, filter, next: start, skip: 0, end });
  return EVENT_CODE.success;
}

function distanceOf({ sight }: Turn, { groupId, next }: ActiveFilter): Distance {
  return (sight.head(groupId) ?? 0) - next < NEAR_BLOCKS ? "near" : "far";
}

/** Whoever has waited long enough goes on. */
function resume(turn: Turn): void {
  const { book, sight } = turn;
  for (const waiting of [book.soon, book.later]) {
    for (const id of due(waiting, sight.now)) {
      const active = book.filters.get(id);
      if (active) makeReady(book, active, distanceOf(turn, active));
    }
  }
  for (const session of due(book.resting, sight.now)) line(book, session);
}

/**
 * One filter of one session after the other, as many as may be read at a time; the others keep
 * their turn.
 *
 * @returns false when some that need not wait are left for another step
 */
function lookAtReady(turn: Turn): boolean {
  const { book } = turn;
  const mayRead = (distance: Distance) => book.readsOf[distance] < EVENT_BOUNDS.reads;
  let looks = 0;
  for (const distance of DISTANCES) {
    const turns = book.turns[distance];
    for (const session of turns) {
      if (!mayRead(distance) || looks >= EVENT_BOUNDS.looks) break;
      looks += 1;
      turns.delete(session);
      const active = takeReady(book, session, distance);
      if (active) look(turn, active, distance);
      line(book, session);
    }
  }
  return DISTANCES.every((distance) => !mayRead(distance) || book.turns[distance].size === 0);
}

function look(turn: Turn, active: ActiveFilter, distance: Distance): void {
  const { book, sight } = turn;
  const { id, session, groupId, next, end, filter } = active;
  const head = sight.head(groupId);
  if (head === undefined || !sight.mayAccess(session, groupId)) {
    book.later.set(id, sight.now + LONG_PAUSE_MS);
    return;
  }
  if (sight.unsentBytes(session) > EVENT_BOUNDS.unsentBytes) {
    makeReady(book, active, distance);
    rest(turn, session);
    return;
  }
  if (next > head) {
    makeIdle(book, active);
    return;
  }
  const isWhere = distanceOf(turn, active);
  if (isWhere !== distance) {
    makeReady(book, active, isWhere);
    return;
  }
  const to = Math.min(head, end ?? head, next + sight.blocksPerStep(groupId) - 1);
  beginRead(book, active, distance);
  turn.effects.push({ type: "read", id, session, groupId, from: next, to, filter });
}

/** All filters of the session wait until its client has read. */
function rest({ book, sight }: Turn, session: number): void {
  for (const distance of DISTANCES) book.turns[distance].delete(session);
  book.resting.set(session, sight.now + PAUSE_MS);
}

function onRead(turn: Turn, { id, to, logs }: Extract<EventInput, { type: "read" }>): void {
  const { book, sight } = turn;
  const active = endRead(book, id);
  if (!active) return;
  const { session, groupId, filterId, end } = active;
  // The blocks are read again when the client may have them.
  if (!sight.mayAccess(session, groupId)) {
    book.later.set(id, sight.now + LONG_PAUSE_MS);
    return;
  }
  const left = logs.slice(active.skip);
  const pushed = left.slice(0, countOfPush(left));
  if (pushed.length > 0) {
    turn.effects.push({ type: "send", session, frame: logsFrame(filterId, pushed) });
  }
  const following = left[pushed.length];
  if (following) {
    goOnAt(active, following.blockNumber, pushed);
  } else {
    active.next = to + 1;
    active.skip = 0;
  }
  if (end === undefined || active.next <= end) {
    makeReady(book, active, distanceOf(turn, active));
    return;
  }
  turn.effects.push({ type: "send", session, frame: completedFrame(filterId) });
  drop(book, id);
}

/** The rest of a block is read again when the client has read what came before. */
function goOnAt(active: ActiveFilter, block: number, pushed: readonly LocatedLog[]): void {
  const before = active.next === block ? active.skip : 0;
  active.skip = before + pushed.filter(({ blockNumber }) => blockNumber === block).length;
  active.next = block;
}

function onReadFailed({ book, sight }: Turn, id: number): void {
  if (endRead(book, id)) book.later.set(id, sight.now + LONG_PAUSE_MS);
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
