/**
 * The event filters of a node as a step: registrations, blocks and time in, answers, reads and
 * pushes out. The book is changed in place: a copy for each block would cost more than the filters.
 *
 * Source: channel-protocol 7.3
 */
import type { GroupId } from "../../bytes/ids.ts";
import { type LocatedLog, sizeOfFilter } from "../../rpc/log-filter.ts";
import { type Frame, MESSAGE_TYPE } from "../frame.ts";
import { answerFrame, completedFrame, logsFrame, pushedBytes } from "./push.ts";
import { EVENT_CODE, type EventCode, type Registration, readRegistration } from "./registration.ts";
import {
  type ActiveFilter,
  EVENT_BOUNDS,
  type EventEffect,
  type EventInput,
  type EventSight,
  type FilterBook,
  LONG_PAUSE_MS,
  nameOf,
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
    case "sessionClosed":
      onSessionClosed(book, input.session);
      break;
    case "blockWritten":
      onBlockWritten(book, input.groupId);
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
  resumeDelayed(book, sight.now);
  lookAtReady(turn);
  if (book.delayed.size > 0) turn.effects.push({ type: "wakeAfter", ms: PAUSE_MS });
  return turn.effects;
}

/** A frame without data is ignored. Source: channel-protocol 3.1 */
function onRequest(turn: Turn, session: number, frame: Frame): void {
  if (frame.data.length === 0) return;
  const request = readRegistration(frame.data);
  const code = request ? codeFor(turn, session, frame.type, request) : EVENT_CODE.invalidRequest;
  turn.effects.push({ type: "send", session, frame: answerFrame(frame, code) });
}

/** In the order of the specification. Source: channel-protocol 7.3 (processing order) */
function codeFor(turn: Turn, session: number, type: number, request: Registration): EventCode {
  const { book, sight } = turn;
  const { groupId, filterId } = request;
  const head = sight.head(groupId);
  if (head === undefined) return EVENT_CODE.groupUnknown;
  if (!sight.mayAccess(session, groupId)) return EVENT_CODE.notAllowed;
  const known = book.sessions.get(session)?.get(nameOf(groupId, filterId));
  if (type === MESSAGE_TYPE.eventUnregister) {
    if (known !== undefined) drop(book, known);
    return EVENT_CODE.success;
  }
  const start = request.from === "latest" ? head : request.from;
  const end = request.to === "latest" ? undefined : request.to;
  if (end !== undefined && end < start) return EVENT_CODE.invalidRange;
  const range = sight.maxBlockRange(groupId);
  if (range > 0 && head - start + 1 > range) return EVENT_CODE.invalidRange;
  if (known !== undefined) drop(book, known);
  if (!hasRoom(book, session, sizeOfFilter(request.filter))) return EVENT_CODE.invalidRequest;
  register(turn, session, request, { start, end });
  return EVENT_CODE.success;
}

function hasRoom(book: FilterBook, session: number, size: number): boolean {
  const own = [...(book.sessions.get(session)?.values() ?? [])];
  const values = own.reduce((sum, id) => sum + sizeOf(book, id), size);
  return (
    own.length < EVENT_BOUNDS.filtersPerSession &&
    values <= EVENT_BOUNDS.valuesPerSession &&
    book.filters.size < EVENT_BOUNDS.filters &&
    book.values + size <= EVENT_BOUNDS.values
  );
}

function sizeOf(book: FilterBook, id: number): number {
  const active = book.filters.get(id);
  return active ? sizeOfFilter(active.filter) : 0;
}

function register(
  { book, sight }: Turn,
  session: number,
  { filterId, groupId, filter }: Registration,
  { start, end }: { readonly start: number; readonly end: number | undefined },
): void {
  book.lastId += 1;
  const id = book.lastId;
  const notBefore = sight.now + PAUSE_MS;
  const place = { id, session, filterId, groupId, filter };
  book.filters.set(id, { ...place, next: start, end, notBefore, begun: false });
  const own = book.sessions.get(session) ?? new Map<string, number>();
  book.sessions.set(session, own.set(nameOf(groupId, filterId), id));
  book.values += sizeOfFilter(filter);
  book.delayed.add(id);
}

function drop(book: FilterBook, id: number): void {
  const active = book.filters.get(id);
  if (!active) return;
  const { session, groupId, filterId, filter } = active;
  book.filters.delete(id);
  book.values -= sizeOfFilter(filter);
  book.ready.delete(id);
  book.delayed.delete(id);
  const idle = book.idle.get(groupId);
  idle?.delete(id);
  if (idle?.size === 0) book.idle.delete(groupId);
  const own = book.sessions.get(session);
  own?.delete(nameOf(groupId, filterId));
  if (own?.size === 0) book.sessions.delete(session);
}

function onSessionClosed(book: FilterBook, session: number): void {
  for (const id of [...(book.sessions.get(session)?.values() ?? [])]) drop(book, id);
}

function onBlockWritten(book: FilterBook, groupId: GroupId): void {
  for (const id of book.idle.get(groupId) ?? []) book.ready.add(id);
  book.idle.delete(groupId);
}

function resumeDelayed(book: FilterBook, now: number): void {
  for (const id of book.delayed) {
    if ((book.filters.get(id)?.notBefore ?? 0) > now) continue;
    book.delayed.delete(id);
    book.ready.add(id);
  }
}

/** As many as may be read at a time; the others keep their turn. */
function lookAtReady(turn: Turn): void {
  for (const id of turn.book.ready) {
    if (turn.book.reads >= EVENT_BOUNDS.reads) return;
    turn.book.ready.delete(id);
    const active = turn.book.filters.get(id);
    if (active) look(turn, active);
  }
}

function look(turn: Turn, active: ActiveFilter): void {
  const { book, sight } = turn;
  const { id, session, groupId, next, end, filter } = active;
  const head = sight.head(groupId);
  if (head === undefined || !sight.mayAccess(session, groupId)) {
    delay(turn, active, LONG_PAUSE_MS);
    return;
  }
  // Before the first push everything has left, the answer to the registration included.
  const unsentLimit = active.begun ? EVENT_BOUNDS.unsentBytes : 0;
  if (sight.unsentBytes(session) > unsentLimit) {
    delay(turn, active, PAUSE_MS);
    return;
  }
  active.begun = true;
  if (next > head) {
    book.idle.set(groupId, (book.idle.get(groupId) ?? new Set()).add(id));
    return;
  }
  const to = Math.min(head, end ?? head, next + sight.blocksPerStep(groupId) - 1);
  book.reads += 1;
  turn.effects.push({ type: "read", id, groupId, from: next, to, filter });
}

function delay({ book, sight }: Turn, active: ActiveFilter, ms: number): void {
  active.notBefore = sight.now + ms;
  book.delayed.add(active.id);
}

function onRead(turn: Turn, input: Extract<EventInput, { type: "read" }>): void {
  const { book, sight } = turn;
  book.reads -= 1;
  const active = book.filters.get(input.id);
  if (!active) return;
  // The blocks are read again when the client may have them.
  if (!sight.mayAccess(active.session, active.groupId)) {
    delay(turn, active, LONG_PAUSE_MS);
    return;
  }
  const { session, filterId, end } = active;
  for (const logs of portions(input.logs)) {
    turn.effects.push({ type: "send", session, frame: logsFrame(filterId, logs) });
  }
  active.next = input.to + 1;
  if (end === undefined || active.next <= end) {
    book.ready.add(active.id);
    return;
  }
  turn.effects.push({ type: "send", session, frame: completedFrame(filterId) });
  drop(book, active.id);
}

function onReadFailed(turn: Turn, id: number): void {
  turn.book.reads -= 1;
  const active = turn.book.filters.get(id);
  if (active) delay(turn, active, LONG_PAUSE_MS);
}

/** Log entries in pushes of bounded size. */
function portions(logs: readonly LocatedLog[]): LocatedLog[][] {
  const result: LocatedLog[][] = [];
  let portion: LocatedLog[] = [];
  let bytes = 0;
  for (const log of logs) {
    const size = pushedBytes(log);
    const isFull = portion.length >= EVENT_BOUNDS.pushLogs || bytes + size > EVENT_BOUNDS.pushBytes;
    if (portion.length > 0 && isFull) {
      result.push(portion);
      portion = [];
      bytes = 0;
    }
    portion.push(log);
    bytes += size;
  }
  if (portion.length > 0) result.push(portion);
  return result;
}
