/** A watch that is asked for its messages, as across threads where nothing tells who is slow. */
import type { LiveMessage } from "../api.ts";
import type { WatchPost } from "./watch-post.ts";

/** Frames that wait for one who asks; more: he is dropped. */
const MOST_WAITING = 64;

/** Messages in their order. */
export interface PulledWatch {
  /** What there is, or what comes next; empty once it has ended. */
  next(): Promise<readonly LiveMessage[]>;
  close(): void;
}

/** Begins to watch a group. */
export function pullWatch(post: WatchPost, groupId: number): PulledWatch {
  let waiting: LiveMessage[] = [];
  let ended = false;
  let wake: () => void = () => undefined;
  const end = post.watch(groupId, (message) => {
    if (waiting.length >= MOST_WAITING && message.type !== "end") return false;
    waiting.push(message);
    ended ||= message.type === "end";
    wake();
    return true;
  });
  return {
    async next() {
      if (waiting.length === 0 && !ended) await new Promise<void>((resume) => (wake = resume));
      const messages = waiting;
      waiting = [];
      return messages;
    },
    close() {
      end();
      ended = true;
      wake();
    },
  };
}
