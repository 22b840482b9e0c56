/**
 * The queues of the event filters: who is looked at next. Each change costs the same, however many
 * filters there are.
 */
import type { GroupId } from "../../bytes/ids.ts";
import { sizeOfFilter } from "../../rpc/log-filter.ts";
import {
  type ActiveFilter,
  type Distance,
  EVENT_BOUNDS,
  type FilterBook,
  nameOf,
  newSessionFilters,
  type Waiting,
} from "./state.ts";

/** Both, those that are served first in front. */
export const DISTANCES: readonly Distance[] = ["near", "far"];

/** Whether a filter of the size may be added when another one gives way. */
export function hasRoom(
  book: FilterBook,
  session: number,
  size: number,
  replaced: ActiveFilter | undefined,
): boolean {
  const own = book.sessions.get(session);
  const freed = replaced ? sizeOfFilter(replaced.filter) : 0;
  const count = replaced ? 1 : 0;
  return (
    (own?.names.size ?? 0) - count < EVENT_BOUNDS.filtersPerSession &&
    (own?.values ?? 0) - freed + size <= EVENT_BOUNDS.valuesPerSession &&
    book.filters.size - count < EVENT_BOUNDS.filters &&
    book.values - freed + size <= EVENT_BOUNDS.values
  );
}

/** Takes a filter in; it is in no queue. */
export function add(book: FilterBook, active: ActiveFilter): void {
  const { id, session, groupId, filterId, filter } = active;
  const own = book.sessions.get(session) ?? newSessionFilters();
  const size = sizeOfFilter(filter);
  book.filters.set(id, active);
  book.sessions.set(session, own);
  own.names.set(nameOf(groupId, filterId), id);
  own.values += size;
  book.values += size;
}

/** Forgets a filter, wherever it is. */
export function drop(book: FilterBook, id: number): void {
  const active = book.filters.get(id);
  if (!active) return;
  const { session, groupId, filterId, filter } = active;
  const size = sizeOfFilter(filter);
  book.filters.delete(id);
  book.values -= size;
  book.soon.delete(id);
  book.later.delete(id);
  const idle = book.idle.get(groupId);
  idle?.delete(id);
  if (idle?.size === 0) book.idle.delete(groupId);
  const own = book.sessions.get(session);
  if (!own) return;
  own.values -= size;
  own.names.delete(nameOf(groupId, filterId));
  for (const distance of DISTANCES) own.ready[distance].delete(id);
  if (own.names.size > 0) return;
  book.sessions.delete(session);
  book.resting.delete(session);
  for (const distance of DISTANCES) book.turns[distance].delete(session);
}

/** A filter is to be looked at; its session has its turn after the others. */
export function makeReady(book: FilterBook, { id, session }: ActiveFilter, at: Distance): void {
  book.sessions.get(session)?.ready[at].add(id);
  line(book, session);
}

/** Puts a session in line wherever it has something ready and nothing read. */
export function line(book: FilterBook, session: number): void {
  const own = book.sessions.get(session);
  if (!own || book.resting.has(session)) return;
  for (const distance of DISTANCES) {
    const isReading = own.reading[distance] !== undefined;
    if (!isReading && own.ready[distance].size > 0) book.turns[distance].add(session);
  }
}

/** The filter of the session whose turn it is. */
export function takeReady(book: FilterBook, session: number, at: Distance) {
  const ready = book.sessions.get(session)?.ready[at] ?? [];
  for (const id of ready) {
    book.sessions.get(session)?.ready[at].delete(id);
    return book.filters.get(id);
  }
  return undefined;
}

/** Blocks of a filter are being read. */
export function beginRead(book: FilterBook, { id, session }: ActiveFilter, at: Distance): void {
  const own = book.sessions.get(session);
  if (own) own.reading[at] = id;
  book.reads.set(id, { session, distance: at });
  book.readsOf[at] += 1;
}

/** They are no longer. @returns the filter unless it was dropped meanwhile */
export function endRead(book: FilterBook, id: number): ActiveFilter | undefined {
  const read = book.reads.get(id);
  if (!read || !book.reads.delete(id)) return undefined;
  const { session, distance } = read;
  book.readsOf[distance] -= 1;
  const own = book.sessions.get(session);
  if (own?.reading[distance] === id) own.reading[distance] = undefined;
  line(book, session);
  return book.filters.get(id);
}

/** The group has nothing more for the filter. */
export function makeIdle(book: FilterBook, { id, groupId }: ActiveFilter): void {
  book.idle.set(groupId, (book.idle.get(groupId) ?? new Set()).add(id));
}

/** Filters of a group that have nothing left are to be looked at. */
export function wakeIdle(book: FilterBook, groupId: GroupId): void {
  for (const id of book.idle.get(groupId) ?? []) {
    const active = book.filters.get(id);
    if (active) makeReady(book, active, "near");
  }
  book.idle.delete(groupId);
}

/** Takes out who is due. All wait equally long, so the first that is not due ends the search. */
export function* due(waiting: Waiting, now: number): Iterable<number> {
  for (const [id, time] of waiting) {
    if (time > now) return;
    waiting.delete(id);
    yield id;
  }
}

/** When somebody is due next; undefined while nobody waits. */
export function nextDue({ soon, later, resting }: FilterBook): number | undefined {
  let next: number | undefined;
  for (const waiting of [soon, later, resting]) {
    for (const time of waiting.values()) {
      next = Math.min(next ?? time, time);
      break;
    }
  }
  return next;
}
