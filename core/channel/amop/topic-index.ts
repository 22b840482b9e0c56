/**
 * Which sessions have which topics, kept as they change: looking costs nothing per session.
 * Source: channel-protocol 7.1, 8.1
 */
import { fitsTopic } from "../frame.ts";

/** Sessions of a topic, so that one of them can be drawn and each can leave at once. */
interface Subscribers {
  readonly list: number[];
  readonly places: Map<number, number>;
}

/** Topics of all sessions. Only the functions here change it. */
export interface TopicIndex {
  readonly sessions: Map<number, ReadonlySet<string>>;
  readonly topics: Map<string, Subscribers>;
}

/** Nobody has a topic. */
export function emptyIndex(): TopicIndex {
  return { sessions: new Map(), topics: new Map() };
}

/** The topics of a session from now on. Work is in proportion to its old and new topics. */
export function setTopics(index: TopicIndex, session: number, topics: ReadonlySet<string>): void {
  const before = index.sessions.get(session);
  for (const topic of before ?? []) if (!topics.has(topic)) leave(index, session, topic);
  // A longer topic could never be in a message.
  const kept = new Set([...topics].filter((topic) => before?.has(topic) || fitsTopic(topic)));
  for (const topic of kept) if (!before?.has(topic)) join(index, session, topic);
  if (kept.size > 0) index.sessions.set(session, kept);
  else index.sessions.delete(session);
}

/** Sessions that have the topic, in no order. */
export function subscribersOf({ topics }: TopicIndex, topic: string): readonly number[] {
  return topics.get(topic)?.list ?? [];
}

/** Whether a session has the topic. */
export function hasTopic({ sessions }: TopicIndex, session: number, topic: string): boolean {
  return sessions.get(session)?.has(topic) ?? false;
}

function join({ topics }: TopicIndex, session: number, topic: string): void {
  const known = topics.get(topic) ?? { list: [], places: new Map<number, number>() };
  known.places.set(session, known.list.length);
  known.list.push(session);
  topics.set(topic, known);
}

/** The last one takes the place of the one that leaves. */
function leave({ topics }: TopicIndex, session: number, topic: string): void {
  const known = topics.get(topic);
  const place = known?.places.get(session);
  if (!known || place === undefined) return;
  const last = known.list.pop();
  known.places.delete(session);
  if (last !== undefined && last !== session) {
    known.list[place] = last;
    known.places.set(last, place);
  }
  if (known.list.length === 0) topics.delete(topic);
}

/** Topics that are examined for an announcement at most, if they do not all fit. */
const MOST_LOOKS = 65_536;

/**
 * Topics of all sessions, each once: all of them, or so many that each session has some of its own
 * among them, those that it named first.
 */
export function fairUnion({ sessions, topics }: TopicIndex, most: number): readonly string[] {
  if (topics.size <= most) return [...topics.keys()];
  const chosen = new Set<string>();
  let looks = 0;
  let turns = [...sessions.values()].map((own) => own.values());
  while (turns.length > 0 && looks < MOST_LOOKS) {
    const left: typeof turns = [];
    for (const turn of turns) {
      const { value, done } = turn.next();
      if (done) continue;
      looks += 1;
      chosen.add(value);
      if (chosen.size >= most) return [...chosen];
      left.push(turn);
    }
    turns = left;
  }
  return [...chosen];
}
